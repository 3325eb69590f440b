import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { compactObservations } from '../../pipeline/lake/observations/compact-observations.ts';
import { openObservations } from '../../pipeline/lake/observations/observation-store.ts';
import { listObservedDates } from '../../pipeline/lake/observations/partition-files.ts';
import { observationsFolder } from '../../pipeline/lake/paths.ts';
import type { StoredRawAnswer } from '../../pipeline/lake/raw-answer-index.ts';
import { listRawAnswers, readRawBytes } from '../../pipeline/lake/raw-answers.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { CallObservation } from '../../pipeline/model/observation.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { openMatcher } from '../../pipeline/realtime/matching/open-matcher.ts';
import { openSources, type PolledSource } from '../../pipeline/realtime/polling/open-sources.ts';
import { createRealtimeState } from '../../pipeline/realtime/state/realtime-state.ts';
import { findCurrentRealtime, readRealtimeSnapshot } from '../../pipeline/snapshots/realtime-files.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import { compileProgram } from '../support/fakes/compiled-program.ts';
import { lakeSettings } from '../support/worlds/observations.ts';
import { openCountry, POLL_START } from '../support/worlds/polled-country.ts';
import { listKilledSources } from './killed-sources.ts';

const START = parseTimestamp(POLL_START)!;
/** Time after which all trips have ended. */
const MUCH_LATER = (START + 30 * 86_400) as Instant;

/**
 * Lifetime of each process: number of stored responses, and milliseconds after the last one, so that it is killed while it
 * processes a response. One lives until its observations are flushed. The same in every run.
 */
const lives = [
  { answers: 4, milliseconds: 3 },
  { answers: 36, milliseconds: 11 },
  { answers: 2, milliseconds: 0 },
  { answers: 11, milliseconds: 27 },
];

it('a poller killed at any time loses at most the current poll, and stores nothing twice', {
  timeout: 240_000,
}, async () => {
  const country = await openCountry();
  onTestFinished(country.close);
  const { dataDir } = country;
  const program = await compileProgram('test/e2e/kill-program.ts');
  const sources = await openSources(listKilledSources('http://upstream.example'), { log: silentLog });

  const lost = new Map<SourceId, Set<string>>(sources.map(({ id }) => [id, new Set()]));
  for (const life of lives) {
    await runAndKill(program, dataDir, life);
    const { id } = (await findCurrentRealtime(dataDir))!;
    const { manifest } = await readRealtimeSnapshot(dataDir, id);
    expect(manifest.timetableId).toBe(await findCurrentTimetableId(dataDir));
    expect(manifest.sources.map(({ trouble }) => trouble)).toEqual([null, null]);
    for (const source of sources) lost.get(source.id)!.add((await findLost(dataDir, source.id))?.fetchedAt ?? '');
  }

  for (const { id } of sources) await bringToLake(dataDir, id);
  for (const source of sources) {
    const all = await listAnswers(dataDir, source.id);
    const applied = all.filter(({ fetchedAt }) => !lost.get(source.id)!.has(fetchedAt));
    expect(await readRows(dataDir, source.id)).toEqual(await listExpected(dataDir, source, applied));
    expect(applied.length).toBeGreaterThan(lives.length * 3);
  }
});

// ---- Killing -------------------------------------------------------------------------------------

async function runAndKill(program: string, dataDir: string, life: (typeof lives)[number]): Promise<void> {
  const before = await countAnswers(dataDir);
  const child = spawn(process.execPath, [program, dataDir, await findNextStart(dataDir)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  while ((await countAnswers(dataDir)) < before + life.answers && child.exitCode === null) await setTimeout(5);
  await setTimeout(life.milliseconds);
  child.kill('SIGKILL');
  expect((await ended)[1], 'the program ended by itself').toBe('SIGKILL');
}

const sourceIds = listKilledSources('http://upstream.example').map(({ id }) => id);

async function listAnswers(dataDir: string, source: SourceId): Promise<StoredRawAnswer[]> {
  return listRawAnswers(dataDir, source, START, (START + 86_400) as Instant);
}

async function countAnswers(dataDir: string): Promise<number> {
  const lists = await Promise.all(sourceIds.map((id) => listAnswers(dataDir, id)));
  return lists.flat().length;
}

/** A minute after the last request, by the clock of the killed program. */
async function findNextStart(dataDir: string): Promise<string> {
  const lists = await Promise.all(sourceIds.map((id) => listAnswers(dataDir, id)));
  const newest = Math.max(...lists.flat().map(({ fetchedAt }) => Date.parse(fetchedAt)));
  return Number.isFinite(newest) ? new Date(newest + 60_000).toISOString() : POLL_START;
}

/** The newest response if its bytes are stored but not yet applied: the one being processed. */
async function findLost(dataDir: string, source: SourceId): Promise<StoredRawAnswer | null> {
  const newest = (await listAnswers(dataDir, source)).at(-1)!;
  const store = await openObservations(dataDir, source, lakeSettings, { log: silentLog });
  // The newest applied response confirmed every open report.
  const seen = Math.max(...[...store.listOpen()].map(({ lastSeenAt }) => lastSeenAt));
  await store.close();
  return seen * 1000 < Date.parse(newest.fetchedAt) ? newest : null;
}

// ---- Observations --------------------------------------------------------------------------------

async function bringToLake(dataDir: string, source: SourceId): Promise<void> {
  const store = await openObservations(dataDir, source, lakeSettings, { log: silentLog });
  await store.flush(MUCH_LATER);
  await store.close();
  for (const date of await listObservedDates(dataDir, source)) {
    await compactObservations(dataDir, source, date, lakeSettings);
  }
}

/** The rows of a source, without the time last seen, which depends on the polls. */
async function readRows(dataDir: string, source: SourceId): Promise<string[]> {
  const db = await openDuckdb({ threads: 1 });
  try {
    const files = sqlText(path.join(observationsFolder(dataDir), `source=${source}`, '**', '*.parquet'));
    const rows = await db.query(
      `select concat_ws(' ', trip_id, position, event, coalesce(epoch(coalesce(observed_time, estimated_time))::bigint, 0),
         evidence, is_cancelled, coalesce(platform, '-'), epoch(first_seen_at)::bigint, raw_id) as row
       from read_parquet(${files}, hive_partitioning = true) order by row`,
    );
    return rows.map(({ row }) => String(row));
  } finally {
    db.close();
  }
}

/** The expected rows: all responses, read by a poller that was never killed; repeated reports add no rows. */
async function listExpected(
  dataDir: string,
  polled: PolledSource,
  answers: readonly StoredRawAnswer[],
): Promise<string[]> {
  const snapshot = await readTimetableSnapshot(dataDir, (await findCurrentTimetableId(dataDir))!);
  const matcher = openMatcher(snapshot, { stopLinks: [], metroStations: [] });
  const { id, source, facts } = polled;
  const stateSource = { id, maxAgeSeconds: facts.maxAgeSeconds, findTimetableSource: () => 'sample' };
  const state = createRealtimeState([stateSource], { tables: snapshot.tables, matcher });
  const seen = new Map<string, string>();
  const rows: string[] = [];
  for (const { part, rawId, fetchedAt: iso } of answers) {
    const fetchedAt = parseTimestamp(iso)!;
    const [request] = source.listRequests(fetchedAt);
    const update = await source.parse(await readRawBytes(dataDir, rawId), request!, fetchedAt);
    const { observations } = state.apply(id, { part, fetchedAt, update });
    for (const observation of observations) {
      const key = `${observation.tripId} ${observation.position} ${observation.event}`;
      const value = describeValue(observation);
      if (seen.get(key) === value) continue;
      seen.set(key, value);
      rows.push(`${key} ${value} ${fetchedAt} ${rawId}`);
    }
  }
  return rows.sort();
}

function describeValue({ time, evidence, isCancelled, platform }: CallObservation): string {
  return `${time ?? 0} ${evidence} ${isCancelled} ${platform ?? '-'}`;
}
