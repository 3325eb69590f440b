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
  /** The reported values and the call. */
  readonly report: string;
  /** The first response that reported it. */
  readonly rawId: string;
  /** Derived from the positions of a vehicle before and after. */
  readonly isDerived: boolean;
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
  const [allFound, allExpected] = [await readRows(stored), await readRows(rebuilt)];
  const derived = countDerived(allFound, allExpected);
  const [found, expected] = [allFound, allExpected].map((rows) => rows.filter(({ isDerived }) => !isDerived)) as [
    ObservedRow[],
    ObservedRow[],
  ];
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
  return `${expected.length} observations once, ${repeated.length} reported to both pollers; ${derived}`;
}

/**
 * Counts times derived from positions apart. A poller that takes over knows no position of before, and it takes several to
 * begin and to settle a way, so short runs of pollers derive fewer than one reader of all responses.
 * @throws Error if the pollers derived more than that reader
 */
function countDerived(found: readonly ObservedRow[], expected: readonly ObservedRow[]): string {
  const [stored, all] = [found, expected].map((rows) => rows.filter(({ isDerived }) => isDerived).length) as [
    number,
    number,
  ];
  const summary = `${stored} of ${all} derived from positions`;
  if (stored > all) throw new Error(`${summary}: more than the responses give`);
  return summary;
}

function nameOf({ report, rawId }: ObservedRow): string {
  return `${rawId} ${report}`;
}

async function readRows(dataDir: string): Promise<ObservedRow[]> {
  const db = await openDuckdb({ threads: 1 });
  try {
    const files = sqlText(path.join(observationsFolder(dataDir), 'source=*', '**', '*.parquet'));
    const rows = await db.query(
      `select raw_id, concat_ws(' ', source, service_date, trip_id, position, event,
         coalesce(epoch(coalesce(observed_time, estimated_time))::bigint, 0), evidence, is_cancelled, coalesce(platform, '-'))
         as report, uncertainty_seconds is not null as is_derived
       from read_parquet(${files}, hive_partitioning = true)`,
    );
    return rows.map(({ report, raw_id, is_derived }) => ({
      report: String(report),
      rawId: String(raw_id),
      isDerived: is_derived === true,
    }));
  } finally {
    db.close();
  }
}
