import path from 'node:path';
import { sampleRealtimeIds } from '../../jobs/definitions/sample-sources.ts';
import { nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { openObservations } from '../../pipeline/lake/observations/observation-store.ts';
import { observationsFolder } from '../../pipeline/lake/paths.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';

/** Later than any open report. */
const LONG_AFTER_SECONDS = 30 * 86_400;
const ENGINE = { memoryLimit: '512MB', threads: 1 };

interface ObservedRow {
  /** Source, trip, call and event. */
  readonly call: string;
  /** The call and the reported values. */
  readonly report: string;
  /** The first response that reported it. */
  readonly rawId: string;
}

/** Flushes journals at once, which a poller does every ten minutes, and for all reports of ended trips. */
export async function flushJournals(dataDir: string): Promise<void> {
  const muchLater = (nowInstant(systemClock) + LONG_AFTER_SECONDS) as Instant;
  for (const source of sampleRealtimeIds) {
    const store = await openObservations(dataDir, source, ENGINE, { log: silentLog });
    await store.flush(muchLater);
    await store.close();
  }
}

/**
 * Compares the observations with those of a single reader of all responses: each must exist once. The second poller starts
 * without the state of the first, so it writes observations that are still reported again.
 * @param inHand responses that may have been stored but not applied
 * @returns a summary of the counts
 * @throws Error if an observation is lost, duplicated, or in no response
 */
export async function compareObservations(
  stored: string,
  rebuilt: string,
  inHand: ReadonlySet<string>,
): Promise<string> {
  const [found, expected] = [await readRows(stored, false), await readRows(rebuilt, false)];
  const names = new Set(found.map(nameOf));
  if (names.size < found.length) throw new Error(`${found.length - names.size} observations are in the store twice`);
  const lost = expected.filter((row) => !names.has(nameOf(row)) && !inHand.has(row.rawId));
  if (lost.length > 0)
    throw new Error(`${lost.length} of ${expected.length} observations are lost: ${nameOf(lost[0]!)}`);
  const expectedNames = new Set(expected.map(nameOf));
  const reports = new Set(expected.map(({ report }) => report));
  const repeated = found.filter((row) => !expectedNames.has(nameOf(row)));
  const unknown = repeated.find(({ report }) => !reports.has(report));
  if (unknown) throw new Error(`no response contains ${nameOf(unknown)}`);
  return `${expected.length} observations once, ${repeated.length} reported to both pollers`;
}

/**
 * Compares the times derived from positions with those that each poller's own responses give.
 * @param rebuilt the data rebuilt from the responses of each poller
 * @param inHand responses that may have been stored but not applied
 * @returns a summary of the counts
 * @throws Error if a derived time is lost, duplicated, or in no rebuild, or if there is none
 */
export async function comparePassages(
  stored: string,
  rebuilt: readonly string[],
  inHand: ReadonlySet<string>,
): Promise<string> {
  const found = await readRows(stored, true);
  const expected = (await Promise.all(rebuilt.map((folder) => readRows(folder, true)))).flat();
  if (expected.length === 0) throw new Error('the positions give no passages: the pollers ran too briefly');
  const names = new Set(found.map(nameOf));
  if (names.size < found.length) throw new Error(`${found.length - names.size} derived times are in the store twice`);
  const expectedNames = new Set(expected.map(nameOf));
  const unknown = found.find((row) => !expectedNames.has(nameOf(row)));
  if (unknown) throw new Error(`no poller's responses give ${nameOf(unknown)}`);
  // A poller that takes over does not derive again what it finds in the store.
  const calls = new Set(found.map(({ call }) => call));
  const lost = expected.filter(({ call, rawId }) => !calls.has(call) && !inHand.has(rawId));
  if (lost.length > 0)
    throw new Error(`${lost.length} of ${expected.length} derived times are lost: ${nameOf(lost[0]!)}`);
  return `${found.length} times derived from positions`;
}

function nameOf({ report, rawId }: ObservedRow): string {
  return `${rawId} ${report}`;
}

/** @param isDerived times derived from the positions of a vehicle before and after, or all others */
async function readRows(dataDir: string, isDerived: boolean): Promise<ObservedRow[]> {
  const db = await openDuckdb({ threads: 1 });
  try {
    const files = sqlText(path.join(observationsFolder(dataDir), 'source=*', '**', '*.parquet'));
    const rows = await db.query(
      `select raw_id, concat_ws(' ', source, service_date, trip_id, position, event) as call,
         concat_ws(' ', coalesce(epoch(coalesce(observed_time, estimated_time))::bigint, 0), evidence, is_cancelled,
           coalesce(platform, '-')) as report
       from read_parquet(${files}, hive_partitioning = true)
       where (uncertainty_seconds is not null) = ${isDerived}`,
    );
    return rows.map(({ call, report, raw_id }) => ({
      call: String(call),
      report: `${call} ${report}`,
      rawId: String(raw_id),
    }));
  } finally {
    db.close();
  }
}
