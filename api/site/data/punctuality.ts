import { type Static, Type } from '../../contract/json-schema.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { RouteContract } from '../../contract/route-contract.ts';
import { calendarDate, closed, described, oneOf, text } from '../../contract/schema-builders.ts';
import {
  type PunctualityData,
  type PunctualityDefinitionChoice,
  type PunctualityLine,
  punctualityTables,
} from '../../contract/site-charts.ts';
import { type Chart, renderForReaders, toRows } from '../../history/chart.ts';
import type { HistoryReader } from '../../history/open-history.ts';
import {
  definitionsChart,
  type PunctualityChart,
  type PunctualityQuestion,
  punctualityCharts,
  punctualityColumns,
} from '../../history/punctuality-charts.ts';
import { DEFAULT_DAYS, type HistoryQuestion } from '../../history/question.ts';
import type { CountedBy } from '../../history/question-conditions.ts';
import type { Column } from '../../history/render-columns.ts';
import type { Answer } from '../../plugins/route-handler.ts';
import { findStopName, type HistoryData, historyHandler, readQuestion } from '../../routes/history-question.ts';
import type { Service, ServiceRequest } from '../../routes/service.ts';
import type { SiteRoute } from './mirror-route.ts';
import { rankLines } from './rank-lines.ts';
import { answerTable, CHART_MEDIA_TYPES, emptyColumns, tableFormat } from './table-formats.ts';

const punctualityQuery = closed(
  {
    from: Type.Optional(described('First day. Absent: so that the period has 30 days.', calendarDate())),
    to: Type.Optional(described('Last day; at most 366 days, both included. Absent: yesterday.', calendarDate())),
    line: Type.Optional(described('A line label.', text(200))),
    operator: Type.Optional(described('Name of an operator.', text(200))),
    stopId: Type.Optional(described('A stop, or a station with all of its stops.', text(300))),
    source: Type.Optional(described('Id of a data source. Absent: all of them, each call once.', text(200))),
    definition: Type.Optional(
      described(
        'What counts, as in the setting history.furtherDefinitions, or with lastForecast. Absent: that of the api.',
        Type.String({ pattern: '^\\d{1,6}/\\d{1,6}(/(forecast|lastForecast))?$' }),
      ),
    ),
    table: Type.Optional(described('One table, whole, instead of all charts.', oneOf(...punctualityTables))),
    format: tableFormat(),
  },
  { dependentRequired: { format: ['table'] } },
);
type PunctualityQuery = Static<typeof punctualityQuery>;

const contract: RouteContract = {
  method: 'GET',
  path: '/site/data/punctuality',
  operationId: 'getPunctualityData',
  summary: 'The charts of punctuality, or one of their tables.',
  query: punctualityQuery,
  answer: null,
  answerMediaTypes: CHART_MEDIA_TYPES,
  problems: ['period_too_long', 'unknown_stop'],
  cost: 3,
  cacheControl: 'public, max-age=600',
};

/** Data of the page `/punctuality`. */
export function punctualityDataRoute(service: Service): SiteRoute {
  return {
    contract,
    handler: {
      ...historyHandler(service),
      changesWithTime: ({ to }) => to === undefined,
      answer: async (request) => {
        const question = readQuestion(service, request, DEFAULT_DAYS.v2);
        const { history, definition } = request.data as HistoryData;
        const usual: CountedBy = { ...definition, evidence: 'observed_actual' };
        if (!history) return answerNothing(question, usual, request);
        return answerCharts(history, await chooseDefinition(history, question, usual, request), request);
      },
    },
  };
}

// ---- Definitions -------------------------------------------------------------------------------

interface ChosenDefinition {
  readonly question: PunctualityQuestion;
  readonly definitions: readonly CountedBy[];
}

/** @throws ApiProblem `invalid_parameter` for a definition without published counts */
async function chooseDefinition(
  history: HistoryReader,
  question: HistoryQuestion,
  usual: CountedBy,
  { query, whenGone }: ServiceRequest,
): Promise<ChosenDefinition> {
  const definitions =
    history.manifest.definitionColumns.length === 0
      ? [usual]
      : await listDefinitions(history, question, usual, whenGone);
  const { definition: id } = query as PunctualityQuery;
  const definition = id === undefined ? usual : definitions.find((one) => definitionKey(one) === id);
  if (!definition) throw unknownDefinition();
  return { question: { ...question, definition }, definitions };
}

function unknownDefinition(): ApiProblem {
  return new ApiProblem('invalid_parameter', 'This definition was not applied to any day of the period.', 'definition');
}

async function listDefinitions(
  history: HistoryReader,
  question: HistoryQuestion,
  usual: CountedBy,
  whenGone: ServiceRequest['whenGone'],
): Promise<readonly CountedBy[]> {
  const chart = definitionsChart(history.chartSql, question);
  const [columns] = await history.queryCharts([chart], question.period, whenGone);
  const found = toRows(columns!).map((row) => ({
    onTimeMaxDelaySeconds: row.on_time_max_delay_seconds as number,
    lateMinDelaySeconds: row.late_min_delay_seconds as number,
    earlyMinSeconds: row.early_min_seconds as number,
    evidence: row.evidence as CountedBy['evidence'],
  }));
  const isUsual = (one: CountedBy) => definitionKey(one) === definitionKey(usual);
  return [usual, ...found.filter((one) => !isUsual(one))];
}

function definitionKey({ onTimeMaxDelaySeconds, lateMinDelaySeconds, evidence }: CountedBy): string {
  const names = { observed_actual: [], forecast: ['forecast'], last_forecast: ['lastForecast'] } as const;
  return [onTimeMaxDelaySeconds, lateMinDelaySeconds, ...names[evidence]].join('/');
}

function toChoice(definition: CountedBy): PunctualityDefinitionChoice {
  return { id: definitionKey(definition), ...definition };
}

// ---- Responses ---------------------------------------------------------------------------------

type ChartTable = readonly [name: PunctualityChart, chart: Chart | null, columns: readonly Column[]];

async function answerCharts(
  history: HistoryReader,
  { question, definitions }: ChosenDefinition,
  request: ServiceRequest,
): Promise<Answer> {
  const { table, format } = request.query as PunctualityQuery;
  const all = punctualityCharts(history.chartSql, question);
  const names = table === undefined ? punctualityTables : [table];
  const charts = names.flatMap((name) => all[name] ?? []);
  const results = await history.queryCharts(charts, question.period, request.whenGone);
  const tables = names.map((name): ChartTable => {
    const chart = all[name];
    return [name, chart, chart ? results[charts.indexOf(chart)]! : emptyColumns(punctualityColumns[name])];
  });
  if (table !== undefined) return answerTable(tables[0]![1], tables[0]![2], format);
  const { firstDate, lastDate, sources } = history.manifest;
  return {
    json: {
      period: question.period,
      stopName: findStopName(request),
      recorded: firstDate === null || lastDate === null ? null : { from: firstDate, to: lastDate },
      definition: toChoice(question.definition),
      definitions: definitions.map(toChoice),
      sources,
      ...presentTables(tables),
    } satisfies PunctualityData,
  };
}

/** Response before anything is published. */
function answerNothing(question: HistoryQuestion, usual: CountedBy, request: ServiceRequest): Answer | Promise<Answer> {
  const { table, format, definition } = request.query as PunctualityQuery;
  if (definition !== undefined && definition !== definitionKey(usual)) throw unknownDefinition();
  if (table !== undefined) return answerTable(null, emptyColumns(punctualityColumns[table]), format);
  const tables = punctualityTables.map((name): ChartTable => [name, null, emptyColumns(punctualityColumns[name])]);
  return {
    json: {
      period: question.period,
      stopName: findStopName(request),
      recorded: null,
      definition: toChoice(usual),
      definitions: [toChoice(usual)],
      sources: [],
      ...presentTables(tables),
    } satisfies PunctualityData,
  };
}

function presentTables(
  tables: readonly ChartTable[],
): Pick<PunctualityData, 'totals' | 'days' | 'hours' | 'lines' | 'delays' | 'sql'> {
  const rowsOf = <Row>(wanted: PunctualityChart) => {
    const [, , columns] = tables.find(([name]) => name === wanted)!;
    return toRows(columns) as unknown as readonly Row[];
  };
  const statements = tables.flatMap(([name, chart]) => (chart ? [[name, renderForReaders(chart)] as const] : []));
  const hasDelays = statements.some(([name]) => name === 'delays') || statements.length === 0;
  return {
    totals: rowsOf<NonNullable<PunctualityData['totals']>>('totals')[0] ?? null,
    days: rowsOf('days'),
    hours: rowsOf('hours'),
    lines: rankLines(rowsOf<PunctualityLine>('lines')),
    delays: hasDelays ? rowsOf('delays') : null,
    sql: Object.fromEntries(statements),
  };
}
