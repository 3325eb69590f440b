import path from 'node:path';
import { openHistoryEngine } from '../../api/history/history-engine.ts';
import { openMartReader } from '../../api/history/mart-reader.ts';
import { type HistoryReader, openHistory, readHistorySql } from '../../api/history/open-history.ts';
import type { HistoryQuestion } from '../../api/history/question.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { martFile } from '../../pipeline/lake/paths.ts';
import { addDays } from '../../pipeline/model/service-time.ts';
import { openTrino } from '../../pipeline/scale-out/trino/open-trino.ts';
import {
  ALL_SOURCES,
  findCurrentHistoryId,
  historySnapshotsFolder,
} from '../../pipeline/snapshots/history-contract.ts';
import { openTrinoOnly, untilTrinoAnswers } from '../support/fakes/trino-only.ts';
import { warningsOnly } from './child-tasks.ts';
import { dayFilesFolder, readByDay } from './europe-by-day.ts';
import { EUROPE_DAY } from './europe-lake.ts';
import type { EuropeMartsInput } from './europe-marts.ts';
import { MONTH_START } from './europe-month.ts';

/** Number of queries per kind, each for a different period within the month. */
const QUERIES = 15;
const WARM_UPS = 2;
/** Default limits of the service, except for the time limit, since slow responses are measured too. */
const limits = { maxConcurrent: 1, maxQueued: 8, timeLimitSeconds: 300 };
const engineLimits = { ...limits, threads: 1, memoryLimit: '512MB' };

export const questionKinds = ['all lines', 'one operator', 'one line', 'one stop'] as const;
export type QuestionKind = (typeof questionKinds)[number];

export interface EuropeQueriesInput extends EuropeMartsInput {
  /** Reads the files of `splitEuropeMonth`; DuckDB only. */
  readonly isByDay?: boolean;
}

/**
 * Measures history queries on a month of all countries and sources, with the code of the API.
 * @returns sorted milliseconds, or the error message if the engine refuses a query
 */
export async function measureEuropeQueries({
  dataDir,
  trinoUrl,
  isByDay = false,
}: EuropeQueriesInput): Promise<Record<QuestionKind, number[] | string>> {
  const { history, close } = await (trinoUrl === null
    ? openOnDuckdb(dataDir, isByDay)
    : openOnTrino(dataDir, trinoUrl));
  try {
    const queries = await listMonthQueries(dataDir);
    const times: Partial<Record<QuestionKind, number[] | string>> = {};
    for (const kind of questionKinds) {
      times[kind] = await timeEach(history, queries[kind]).catch((error: Error) => error.message);
    }
    return times as Record<QuestionKind, number[] | string>;
  } finally {
    await close();
  }
}

interface Opened {
  readonly history: HistoryReader;
  close(): Promise<void>;
}

async function openOnDuckdb(dataDir: string, isByDay: boolean): Promise<Opened> {
  const folders = [path.resolve(historySnapshotsFolder(dataDir)), dayFilesFolder(dataDir)];
  const opened = await openHistoryEngine(folders, engineLimits);
  const engine = isByDay ? readByDay(opened, dataDir) : opened;
  const openReader = async (snapshot: SnapshotFiles) => openMartReader({ engine, ...snapshot });
  return { history: await openCurrent(dataDir, openReader), close: () => engine.close() };
}

async function openOnTrino(dataDir: string, url: string): Promise<Opened> {
  const trino = await openTrino({ url, catalog: 'files', user: 'bench', password: null });
  const remote = openTrinoOnly(trino, limits, { clock: systemClock, log: warningsOnly });
  const history = await openCurrent(dataDir, async ({ files }) => remote.openReader(files));
  const aDay = { period: { from: EUROPE_DAY, to: EUROPE_DAY }, source: ALL_SOURCES };
  await untilTrinoAnswers(() => history.answer({ ...aDay, line: null, operator: null, stops: null }, () => {}));
  return { history, close: () => remote.close() };
}

type SnapshotFiles = Pick<Parameters<typeof openMartReader>[0], 'folder' | 'files'>;

async function openCurrent(dataDir: string, openReader: Parameters<typeof openHistory>[2]['openReader']) {
  const id = await findCurrentHistoryId(dataDir);
  return openHistory(dataDir, id!, { sql: await readHistorySql(), openReader });
}

/** Lines, operators and stops, selected by the hash of their names so that they cover all countries. */
async function listMonthQueries(dataDir: string): Promise<Record<QuestionKind, HistoryQuestion[]>> {
  const db = await openDuckdb({ memoryLimit: '2GB', threads: 2 });
  try {
    const draw = async (mart: 'line_daily' | 'stop_daily', columns: string) => {
      const file = sqlText(martFile(dataDir, mart, EUROPE_DAY.slice(0, 7)));
      return db.query(
        `select distinct ${columns} from read_parquet(${file}, hive_partitioning = false)
         where source = ${sqlText(ALL_SOURCES)} and service_date = date ${sqlText(EUROPE_DAY)}
         order by hash(${columns}) limit ${QUERIES}`,
      );
    };
    const [lines, operators] = [await draw('line_daily', 'line'), await draw('line_daily', 'operator')];
    const stops = await draw('stop_daily', 'feed_source, stop_id');
    const all = { source: ALL_SOURCES, line: null, operator: null, stops: null };
    const toPeriod = (i: number) => ({ from: addDays(MONTH_START, i % QUERIES), to: EUROPE_DAY });
    const makeQuery = (what: Partial<HistoryQuestion>, i: number): HistoryQuestion => ({
      ...all,
      ...what,
      period: toPeriod(i),
    });
    return {
      'all lines': Array.from({ length: QUERIES }, (_, i) => makeQuery({}, i)),
      'one operator': operators.map(({ operator }, i) => makeQuery({ operator: String(operator) }, i)),
      'one line': lines.map(({ line }, i) => makeQuery({ line: String(line) }, i)),
      'one stop': stops.map((row, i) =>
        makeQuery({ stops: [{ feedSource: String(row.feed_source), stopId: String(row.stop_id) }] }, i),
      ),
    };
  } finally {
    db.close();
  }
}

async function timeEach(history: HistoryReader, questions: readonly HistoryQuestion[]): Promise<number[]> {
  const milliseconds: number[] = [];
  for (const [i, question] of [...questions.slice(0, WARM_UPS), ...questions].entries()) {
    const started = performance.now();
    const { totals } = await history.answer(question, () => {});
    if (totals.expected === 0) throw new Error(`${JSON.stringify(question)} matches no call`);
    if (i >= WARM_UPS) milliseconds.push(performance.now() - started);
  }
  return milliseconds.sort((a, b) => a - b);
}
