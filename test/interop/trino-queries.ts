import path from 'node:path';
import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { openHistoryEngine } from '../../api/history/history-engine.ts';
import { openMartReader } from '../../api/history/mart-reader.ts';
import { openHistory, readHistorySql } from '../../api/history/open-history.ts';
import { predictionCharts, readPredictionSql } from '../../api/history/prediction-charts.ts';
import { definitionsChart, punctualityCharts } from '../../api/history/punctuality-charts.ts';
import type { HistoryQuestion } from '../../api/history/question.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import type { MartDefinition } from '../../pipeline/history/marts/definitions.ts';
import { listMartMonths } from '../../pipeline/history/marts/mart-manifest.ts';
import { martFile } from '../../pipeline/lake/paths.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { Trino } from '../../pipeline/scale-out/trino/open-trino.ts';
import {
  findCurrentHistoryId,
  historySnapshotsFolder,
  readHistoryManifest,
} from '../../pipeline/snapshots/history-contract.ts';
import {
  findCurrentPredictionMetricsId,
  predictionMetricsFolder,
  readPredictionMetricsManifest,
} from '../../pipeline/snapshots/prediction-metrics-contract.ts';
import { publishPredictionMetrics } from '../../pipeline/snapshots/publish-prediction-metrics.ts';
import { openTrinoOnly, untilTrinoAnswers } from '../support/fakes/trino-only.ts';

const TIME_LIMIT_SECONDS = 300;

/** Runs every statement of the API and its charts on both engines. */
export async function compareQuestions(
  dataDir: string,
  trino: Trino,
  definitions: readonly MartDefinition[],
): Promise<string> {
  const folders = [historySnapshotsFolder(dataDir), predictionMetricsFolder(dataDir)].map((folder) =>
    path.resolve(folder),
  );
  const pool = { maxConcurrent: 1, maxQueued: 8, timeLimitSeconds: TIME_LIMIT_SECONDS };
  const engine = await openHistoryEngine(folders, { ...pool, threads: 1, memoryLimit: '512MB' });
  const log = { ...silentLog, warn: (line: string) => process.stderr.write(`${line}\n`) };
  const remote = openTrinoOnly(trino, pool, { clock: systemClock, log });
  const sides = [
    (snapshot: Snapshot) => openMartReader({ engine, ...snapshot }),
    (snapshot: Snapshot) => remote.openReader(snapshot.files),
  ];
  try {
    const answers = await compareAnswers(dataDir, sides, definitions);
    const charts = await compareCharts(dataDir, sides);
    return `${answers}; ${charts}`;
  } finally {
    await remote.close();
    await engine.close();
  }
}

type Snapshot = Pick<Parameters<typeof openMartReader>[0], 'folder' | 'files'>;
type Side = (snapshot: Snapshot) => ReturnType<typeof openMartReader>;

/** Runs the same query on both engines, once the second has loaded its states. */
async function queryBoth<Result>(
  what: string,
  queries: readonly (() => Promise<Result>)[],
  times: number[],
): Promise<Result> {
  const results: Result[] = [];
  for (const [i, query] of queries.entries()) {
    const start = performance.now();
    results.push(await query());
    times[i] = (times[i] ?? 0) + performance.now() - start;
  }
  if (!isDeepStrictEqual(results[0], results[1])) {
    throw new Error(`${what}: DuckDB says ${JSON.stringify(results[0])}, and Trino ${JSON.stringify(results[1])}`);
  }
  return results[0]!;
}

async function compareAnswers(
  dataDir: string,
  sides: readonly Side[],
  definitions: readonly MartDefinition[],
): Promise<string> {
  const id = (await findCurrentHistoryId(dataDir))!;
  const sql = await readHistorySql();
  const histories = await Promise.all(
    sides.map((side) => openHistory(dataDir, id, { sql, openReader: async (snapshot) => side(snapshot) })),
  );
  const questions = await listQuestions(dataDir, id);
  await untilTrinoAnswers(() => histories[1]!.answer(questions[0]!, () => {}));
  const times: number[] = [];
  let calls = 0;
  for (const question of questions) {
    const queries = histories.map((history) => () => history.answer(question, () => {}));
    const { totals } = await queryBoth(JSON.stringify(question), queries, times);
    calls += totals.observed;
  }
  const chartTimes: number[] = [];
  let charts = 0;
  for (const [i, question] of questions.entries()) {
    const definition = definitions[i % definitions.length]!;
    const all = Object.entries(punctualityCharts(sql.charts, { ...question, definition }));
    for (const [name, chart] of [...all, ['definitions', definitionsChart(sql.charts, question)] as const]) {
      if (!chart) continue;
      const queries = histories.map((history) => () => history.queryCharts([chart], question.period, () => {}));
      await queryBoth(`${name} ${JSON.stringify(question)}`, queries, chartTimes);
      charts += 1;
    }
  }
  if (calls === 0) throw new Error('the queries match no calls');
  return (
    `${questions.length} questions to the history are equal (${describeTimes(times, questions.length)}); ` +
    `${charts} charts of it are equal (${describeTimes(chartTimes, charts)})`
  );
}

function describeTimes([here, there]: readonly number[], count: number): string {
  return `${(here! / count).toFixed(0)} ms each by DuckDB, ${(there! / count).toFixed(0)} ms by Trino`;
}

/** Queries for all lines, one line, one operator and stops; over all days, one day and none. */
async function listQuestions(dataDir: string, id: string): Promise<HistoryQuestion[]> {
  const { firstDate, lastDate, sources } = await readHistoryManifest(dataDir, id);
  const months = await listMartMonths(dataDir);
  const db = await openDuckdb({ threads: 1 });
  const file = martFile(dataDir, 'stop_daily', months.at(-1)!);
  const rows = await db.query(
    `select line, operator, feed_source, list(distinct stop_id)::json::varchar as stops from read_parquet('${file}')
     where observed > 0 group by all order by all limit 1`,
  );
  db.close();
  const periods = [
    { from: firstDate!, to: lastDate! },
    { from: lastDate!, to: lastDate! },
    { from: '2031-01-01' as ServiceDate, to: '2031-01-07' as ServiceDate },
  ];
  const filters = rows.flatMap(({ line, operator, feed_source, stops }) => [
    { line: String(line), operator: null, stops: null },
    { line: null, operator: String(operator), stops: null },
    { line: String(line), operator: String(operator), stops: null },
    {
      line: null,
      operator: null,
      stops: (JSON.parse(String(stops)) as string[]).map((stopId) => ({ feedSource: String(feed_source), stopId })),
    },
  ]);
  const hostile = { line: "' or 1 = 1 --", operator: '"; drop table x', stops: null };
  return periods.flatMap((period) =>
    ['*', ...sources.slice(0, 1)].flatMap((source) =>
      [{ line: null, operator: null, stops: null }, hostile, ...filters].map((filter) => ({
        period,
        source,
        ...filter,
      })),
    ),
  );
}

async function compareCharts(dataDir: string, sides: readonly Side[]): Promise<string> {
  const effects = { clock: systemClock, log: silentLog };
  await publishPredictionMetrics({ dataDir, keepSnapshots: 1, duckdb: { threads: 1, memoryLimit: '512MB' } }, effects);
  const id = (await findCurrentPredictionMetricsId(dataDir))!;
  const { files, sources } = await readPredictionMetricsManifest(dataDir, id);
  const folder = path.resolve(predictionMetricsFolder(dataDir), id);
  const readers = sides.map((side) => side({ folder, files }));
  const sql = await readPredictionSql();
  const times: number[] = [];
  let charts = 0;
  for (const { source, lastDate } of sources) {
    for (const pairsOf of ['all', 'toldBySource'] as const) {
      const month = { from: `${lastDate.slice(0, 7)}-01` as ServiceDate, to: lastDate };
      const all = predictionCharts(sql, { source, day: lastDate, month, pairsOf, example: 1 });
      for (const [name, chart] of Object.entries(all)) {
        if (charts === 0) await untilTrinoAnswers(() => readers[1]!.queryCharts([chart], month, () => {}));
        const queries = readers.map((reader) => () => reader.queryCharts([chart], month, () => {}));
        await queryBoth(name, queries, times);
        charts += 1;
      }
    }
  }
  return `${charts} charts of predictions are equal (${describeTimes(times, charts)})`;
}
