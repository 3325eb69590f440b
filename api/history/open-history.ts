import path from 'node:path';
import { touchesMonth } from '../../pipeline/model/month-range.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import {
  ALL_SOURCES,
  type HistoryManifest,
  type HistoryTable,
  historySnapshotsFolder,
  readHistoryManifest,
} from '../../pipeline/snapshots/history-contract.ts';
import type { Chart } from './chart.ts';
import { type Condition, composeStatement, readStatements } from './compose-statement.ts';
import type { Columns } from './history-engine.ts';
import type { MartReader, MartReaderParts, QueryMarts } from './mart-reader.ts';
import { type ChartSql, chooseTables, readChartSql } from './punctuality-charts.ts';
import { type DatePeriod, DEFAULT_DAYS, defaultPeriod, type HistoryQuestion } from './question.ts';
import { besideMonths, listConditions } from './question-conditions.ts';
import type { Column } from './render-columns.ts';
import { emptyNumbers, type HistoryNumbers, type HourTally, type LineTally, sumTallies, type Tally } from './tally.ts';
import { findWholeMonths } from './whole-months.ts';
import type { WhenGone } from './worker-pool.ts';

type NumbersBy<Name extends string> = Readonly<Record<Name, number>>;

/** Rows of a result with a value in the column, as objects of the named columns. */
function listRows<Name extends string>(columns: Columns, having: string, names: readonly Name[]): NumbersBy<Name>[] {
  const rows: NumbersBy<Name>[] = [];
  const marks = columns[having]!;
  for (let i = 0; i < marks.length; i++) {
    if (marks[i] === null) continue;
    rows.push(Object.fromEntries(names.map((name) => [name, columns[name]![i]])) as NumbersBy<Name>);
  }
  return rows;
}

const tallyColumns = [
  'expected',
  'observed',
  'derived',
  'forecasts',
  'on_time',
  'early',
  'late10',
  'cancelled',
  'replaced',
  'delay_sum_seconds',
] as const;

function toTally(row: NumbersBy<(typeof tallyColumns)[number]>): Tally {
  const {
    on_time: onTime,
    delay_sum_seconds: delaySumSeconds,
    expected,
    observed,
    derived,
    forecasts,
    early,
    late10,
    cancelled,
    replaced,
  } = row;
  return { expected, observed, derived, forecasts, onTime, early, late10, cancelled, replaced, delaySumSeconds };
}

function readDays(columns: Columns): (Tally & { readonly day: ServiceDate })[] {
  const days = columns.day!.filter((day) => day !== null) as ServiceDate[];
  return listRows(columns, 'day', tallyColumns).map((row, i) => ({ day: days[i]!, ...toTally(row) }));
}

function readLines(columns: Columns): LineTally[] {
  const texts = (name: string) => columns[name]!.filter((_, row) => columns.line![row] !== null) as string[];
  const [lines, products, operators] = [texts('line'), texts('product'), texts('operator')];
  return listRows(columns, 'line', ['observed', 'on_time', 'delay_sum_seconds'])
    .map((row, i) => ({
      line: lines[i]!,
      product: products[i]!,
      operator: operators[i]!,
      observed: row.observed,
      onTime: row.on_time,
      delaySumSeconds: row.delay_sum_seconds,
    }))
    .filter(({ observed }) => observed > 0);
}

function readHours(columns: Columns): HourTally[] {
  return listRows(columns, 'dow', ['dow', 'hour', 'observed', 'delay_sum_seconds'])
    .map(({ dow, hour, observed, delay_sum_seconds: delaySumSeconds }) => ({ dow, hour, observed, delaySumSeconds }))
    .filter(({ observed }) => observed > 0);
}

/** A loaded history snapshot. */
export interface HistoryReader {
  readonly manifest: HistoryManifest;
  /** Statements of the charts. */
  readonly chartSql: ChartSql;
  /** A precomputed answer: default periods of the prepared days, for all sources, lines and stops. */
  findReady(question: HistoryQuestion): HistoryNumbers | null;
  /** @throws as `HistoryEngine.work` */
  answer(question: HistoryQuestion, whenGone: WhenGone): Promise<HistoryNumbers>;
  /**
   * Runs the statements of charts, in one task.
   * @param period the days of the charts
   * @throws as `HistoryEngine.work`
   */
  queryCharts(charts: readonly Chart[], period: DatePeriod, whenGone: WhenGone): Promise<Column[][]>;
  /** Computes the default periods of a day, in one attempt; until then they are queried like others. */
  prepare(today: ServiceDate): Promise<void>;
}

const answerNames = ['days_and_hours', 'days_and_lines', 'lines', 'stop_hours'] as const;

/** The SQL statements of this room. */
export interface HistorySql {
  /** Statements of the API's answers. */
  readonly answers: Readonly<Record<(typeof answerNames)[number], string>>;
  readonly charts: ChartSql;
}

export async function readHistorySql(): Promise<HistorySql> {
  return { answers: await readStatements('answers', answerNames), charts: await readChartSql() };
}

/**
 * Opens the published snapshot; only its manifest is read.
 * @throws ExternalError `snapshot_damaged`
 */
export async function openHistory(
  dataDir: string,
  id: string,
  {
    openReader,
    sql,
  }: {
    readonly openReader: (snapshot: Pick<MartReaderParts, 'folder' | 'files'>) => Promise<MartReader>;
    readonly sql: HistorySql;
  },
): Promise<HistoryReader> {
  const manifest = await readHistoryManifest(dataDir, id);
  const folder = path.resolve(historySnapshotsFolder(dataDir), id);
  const reader = await openReader({ folder, files: manifest.files });
  let ready: ReadonlyMap<string, HistoryNumbers> = new Map();
  let preparedFor: ServiceDate | null = null;

  const answer = async (question: HistoryQuestion, whenGone: WhenGone) => {
    if (!hasRows(manifest, question)) return emptyNumbers(question.period);
    return reader.query(
      (query) => queryHistory({ query, sql: sql.answers, manifest, hasMonths: reader.hasMonths }, question),
      question.period,
      whenGone,
    );
  };
  return {
    manifest,
    chartSql: sql.charts,
    findReady: (question) => ready.get(nameQuestion(question)) ?? null,
    answer,
    queryCharts: reader.queryCharts,
    async prepare(today) {
      if (preparedFor === today) return;
      preparedFor = today;
      const numbers = new Map<string, HistoryNumbers>();
      for (const question of listDefaults(today)) {
        numbers.set(nameQuestion(question), await answer(question, () => {}));
      }
      ready = numbers;
    },
  };
}

function nameQuestion({ period, source, line, operator, stops, countsForecasts = false }: HistoryQuestion): string {
  return JSON.stringify([period.from, period.to, source, line, operator, stops, countsForecasts]);
}

/** The most frequent queries: recent punctuality without a filter. */
function listDefaults(today: ServiceDate): HistoryQuestion[] {
  return Object.values(DEFAULT_DAYS).map((days) => ({
    period: defaultPeriod(today, days),
    source: ALL_SOURCES,
    line: null,
    operator: null,
    stops: null,
  }));
}

/** Whether the tables of a query have a month of its period. */
function hasRows({ files }: HistoryManifest, { period, stops }: HistoryQuestion): boolean {
  const wanted: HistoryTable = stops ? 'stop_daily' : 'network_hourly';
  return files.some(({ table, month }) => table === wanted && touchesMonth(period, month));
}

interface QueryContext {
  readonly query: QueryMarts;
  readonly sql: HistorySql['answers'];
  readonly manifest: HistoryManifest;
  readonly hasMonths: boolean;
}

async function queryHistory(context: QueryContext, question: HistoryQuestion): Promise<HistoryNumbers> {
  const { query, sql } = context;
  const { period, stops } = question;
  const conditions = conditionsOf(context, question);
  const run = (statement: string, table: HistoryTable) => query(composeStatement({ statement, table, conditions }));
  if (stops) {
    const days = await run(sql.days_and_lines, 'stop_daily');
    const hours = await run(sql.stop_hours, 'stop_daily');
    if (!days || !hours) return emptyNumbers(period);
    const daily = readDays(days);
    return { period, totals: sumTallies(daily), daily, lines: readLines(days), heatmap: readHours(hours) };
  }
  const [, byHour] = chooseTables(question);
  const columns = await run(sql.days_and_hours, byHour);
  const lines = await queryLines(context, question);
  if (!columns || !lines) return emptyNumbers(period);
  const daily = readDays(columns);
  return { period, totals: sumTallies(daily), daily, lines: readLines(lines), heatmap: readHours(columns) };
}

function conditionsOf({ manifest }: QueryContext, question: HistoryQuestion, days?: Condition): Condition[] {
  const evidence = question.countsForecasts ? 'last_forecast' : 'observed_actual';
  const countedBy = { ...manifest.definition, evidence } as const;
  return listConditions(question, countedBy, { days, columns: manifest.definitionColumns });
}

const LINE_COLUMNS = 'line, product, operator, observed, on_time, delay_sum_seconds';

/** Queries the sums of lines: whole months from the loaded sums, if there are any, and all other days from files. */
function queryLines(context: QueryContext, question: HistoryQuestion): Promise<Columns | null> {
  const { query, sql, hasMonths } = context;
  const conditions = conditionsOf(context, question);
  const parts = { statement: sql.lines, table: 'line_daily', conditions };
  const whole = hasMonths ? findWholeMonths(question.period) : null;
  if (whole === null) return query(composeStatement(parts));
  const beside = besideMonths(whole);
  const months = conditionsOf(context, question, beside.months);
  const statement = composeStatement({
    ...parts,
    conditions: [...conditions, beside.days],
    added: { table: 'line_monthly', conditions: months, columns: LINE_COLUMNS },
  });
  return query(statement, (month) => touchesMonth(whole, month));
}
