import { addDays, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import { type Static, Type } from '../../contract/json-schema.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { RouteContract } from '../../contract/route-contract.ts';
import { calendarDate, closed, defaulted, described, integer, oneOf, text } from '../../contract/schema-builders.ts';
import { type ModelTestRow, type PredictionData, predictionTables } from '../../contract/site-charts.ts';
import { renderForReaders, toRows } from '../../history/chart.ts';
import { type PredictionQuestion, predictionCharts, predictionColumns } from '../../history/prediction-charts.ts';
import type { PredictionMetrics } from '../../history/watch-prediction-metrics.ts';
import type { Answer } from '../../plugins/route-handler.ts';
import type { Service, ServiceRequest } from '../../routes/service.ts';
import type { SiteRoute } from './mirror-route.ts';
import { answerTable, CHART_MEDIA_TYPES, emptyColumns, tableFormat } from './table-formats.ts';

/** Days that the monthly metrics cover, including the chosen day. */
const MONTH_DAYS = 30;
/** Number of examples that the job stores per day at most. */
const MAX_EXAMPLE = 1000;

const predictionQuery = closed(
  {
    source: Type.Optional(described('Id of a data source. Absent: the one that was measured last.', text(200))),
    day: Type.Optional(described('A measured day. Absent: the newest of the source.', calendarDate())),
    pairs: defaulted(
      described('All forecasts, or those alone that the source itself had forecast too.', oneOf('all', 'toldBySource')),
      'all',
    ),
    example: defaulted(described('Number of a forecast of the day.', integer(1, MAX_EXAMPLE)), 1),
    table: Type.Optional(described('One table, whole, instead of all charts.', oneOf(...predictionTables))),
    format: tableFormat(),
  },
  { dependentRequired: { format: ['table'] } },
);
type PredictionQuery = Static<typeof predictionQuery>;

const contract: RouteContract = {
  method: 'GET',
  path: '/site/data/predictions',
  operationId: 'getPredictionData',
  summary: 'How good past predictions were, or one of the tables of it.',
  query: predictionQuery,
  answer: null,
  answerMediaTypes: CHART_MEDIA_TYPES,
  problems: [],
  cost: 3,
  cacheControl: 'public, max-age=600',
};

/** Data of the page `/predictions`. */
export function predictionDataRoute({ predictions }: Service): SiteRoute {
  return {
    contract,
    handler: {
      snapshot: 'unused',
      takeData: () => {
        const held = predictions.predictionMetrics.current();
        const models = listTests(predictions);
        const value: PredictionPageData = { metrics: held?.value ?? null, models };
        return { value, dataVersion: held?.dataVersion, tagPart: JSON.stringify(models) };
      },
      changesWithTime: () => false,
      answer: (request) => {
        const { metrics, models } = request.data as PredictionPageData;
        const question = readQuestion(metrics, request.query as PredictionQuery);
        return metrics && question ? answerCharts(metrics, question, request) : answerNothing(request, models);
      },
    },
  };
}

interface PredictionPageData {
  /** null before anything is measured. */
  readonly metrics: PredictionMetrics | null;
  readonly models: readonly ModelTestRow[];
}

function listTests({ listModels }: Service['predictions']): ModelTestRow[] {
  return listModels().flatMap(({ sourceId: source, test }) => (test ? { source, ...test } : []));
}

/** @returns null before anything is measured */
function readQuestion(predictionMetrics: PredictionMetrics | null, query: PredictionQuery): PredictionQuestion | null {
  const sources = predictionMetrics?.manifest.sources ?? [];
  const [newest] = [...sources].sort((a, b) => (a.lastDate < b.lastDate ? 1 : -1));
  const found = query.source === undefined ? newest : sources.find(({ source }) => source === query.source);
  if (query.source !== undefined && !found) {
    throw new ApiProblem('invalid_parameter', 'No predictions were evaluated for a source with this id.', 'source');
  }
  if (!found) return null;
  const day = (query.day as ServiceDate | undefined) ?? found.lastDate;
  return {
    source: found.source,
    day,
    month: { from: addDays(day, 1 - MONTH_DAYS), to: day },
    pairsOf: query.pairs,
    example: query.example,
  };
}

async function answerCharts(
  predictionMetrics: PredictionMetrics,
  question: PredictionQuestion,
  { query, whenGone }: ServiceRequest,
): Promise<Answer> {
  const { table, format } = query as PredictionQuery;
  const { example_count: counted, ...charts } = predictionCharts(predictionMetrics.chartSql, question);
  if (table !== undefined) {
    const [columns] = await predictionMetrics.queryCharts([charts[table]], question.month, whenGone);
    return answerTable(charts[table], columns!, format);
  }
  const all = [...predictionTables.map((name) => charts[name]), counted];
  const results = await predictionMetrics.queryCharts(all, question.month, whenGone);
  const rows = Object.fromEntries(predictionTables.map((name, i) => [name, toRows(results[i]!)]));
  const { source, day, month, pairsOf, example } = question;
  return {
    json: {
      sources: predictionMetrics.manifest.sources,
      question: { source, day, month, pairs: pairsOf, example },
      ...(rows as unknown as Pick<PredictionData, (typeof predictionTables)[number]>),
      examples: (results.at(-1)![0]!.values[0] as number | undefined) ?? 0,
      sql: Object.fromEntries(predictionTables.map((name) => [name, renderForReaders(charts[name])])),
      models: [],
    } satisfies PredictionData,
  };
}

function answerNothing({ query }: ServiceRequest, models: readonly ModelTestRow[]): Answer | Promise<Answer> {
  const { table, format } = query as PredictionQuery;
  if (table !== undefined) return answerTable(null, emptyColumns(predictionColumns[table]), format);
  const nothing = Object.fromEntries(predictionTables.map((name) => [name, []]));
  return {
    json: {
      sources: [],
      question: null,
      ...(nothing as unknown as Pick<PredictionData, (typeof predictionTables)[number]>),
      examples: 0,
      sql: {},
      models,
    } satisfies PredictionData,
  };
}
