import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReferences } from '../../api/engine/read/references.ts';
import type { ExplainedTrip } from '../../jobs/explain/explain-trip.ts';
import { withEngine } from '../../pipeline/lake/observations/write-parts.ts';
import { rawRoot } from '../../pipeline/lake/paths.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { type Instant, type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import type { LoggedPrediction } from '../../pipeline/predictions/live/prediction-log.ts';
import { storePredictions } from '../../pipeline/predictions/live/prediction-store.ts';
import { hashTrip } from '../../pipeline/snapshots/timetable-lookups.ts';
import { STAGING_RULES_VERSION } from '../../pipeline/timetable/feed/ingest-feed.ts';
import { finalise, openWorldToFinalise, type World } from '../support/worlds/finalised-world.ts';
import { soundFeed } from '../support/worlds/ingest.ts';
import { POLLED_DAY as DAY, pollDay } from '../support/worlds/polled-day.ts';
import { runCommand } from './fake-world.ts';

const KEY = 'ab'.repeat(32);

async function polledWorld(): Promise<World> {
  const world = await openWorldToFinalise(soundFeed, DAY);
  await pollDay(world);
  await finalise(world, '2026-03-04T13:45:00Z', '--source', 'live');
  return world;
}

async function explain({ dataDir }: World, ...args: string[]) {
  return runCommand(['explain', ...args, '--config', path.join(dataDir, 'taktgeber.yaml')], {
    dataDir,
    environment: { TAKTGEBER_REFERENCE_KEY: KEY },
  });
}

async function explainJson(world: World, ...args: string[]): Promise<ExplainedTrip[]> {
  const { stdout, stderr } = await explain(world, ...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as ExplainedTrip[];
}

describe('taktgeber explain', () => {
  it('shows a row with its observations, the raw responses behind them, and their reports of the trip', async () => {
    const [trip, ...rest] = await explainJson(await polledWorld(), 't1', '--date', DAY);
    expect(rest).toEqual([]);
    expect(trip!.day).toMatchObject({ kind: 'realtime', rulesVersion: 7 });
    expect(trip!.calls.map(({ row, observations }) => [row.position, row.evidence, observations.length])).toEqual([
      [0, 'observed_actual', 2],
      [1, 'forecast', 1],
      [2, 'unknown', 0],
    ]);
    const [first] = trip!.calls;
    const deciding = first!.observations.filter(({ isDeciding }) => isDeciding);
    expect(deciding.map(({ observed_time, raw_id }) => [observed_time, raw_id])).toEqual([
      [`${DAY} 07:01:30`, first!.row.raw_id],
    ]);
    expect(first!.published).toMatchObject({ trip_id: 't1', stop_sequence: '1', departure_time: '08:00:00' });
    const answer = trip!.answers[String(first!.row.raw_id)]!;
    expect(answer.facts).toMatchObject({ part: 'trip-updates', fetchedAt: `${DAY}T07:02:00.000Z`, status: 200 });
    expect(answer.trips.map(({ place, trip: { tripId }, calls }) => [place, tripId, calls.length])).toEqual([
      ['entity t1', 't1', 1],
    ]);
    expect(trip!.timetables).toMatchObject([
      { source: 'city', version: first!.row.feed_version, rulesVersion: STAGING_RULES_VERSION },
    ]);
    expect(trip!.timetables[0]!.file).toMatch(/^raw\/source=city\/fetch_date=2026-03-03\/[0-9a-f]{16}\.zip$/);
  });

  it('is readable', async () => {
    const { code, stdout } = await explain(await polledWorld(), 't2', 'Berg', '--date', DAY);
    expect(code).toBe(0);
    expect(stdout).toContain(`live, ${DAY}: built 2026-03-04T13:45:00.000Z by rules 7 (realtime)`);
    expect(stdout).toContain('call 1, Berg (b), arrival: unknown');
    expect(stdout).toContain("rule: cancelled: by the source's last report on the event");
    expect(stdout).toMatch(/\* +arrival +stop_events +cancelled/);
    expect(stdout).toContain(`requested https://live.example.org/ at ${DAY}T07:05:00.000Z, 200,`);
    expect(stdout).toContain('"relationship":"cancelled"');
    expect(stdout).toContain('timetable city ');
    expect(stdout).not.toContain('call 0');
  });

  it('shows predictions and their inputs', async () => {
    const world = await polledWorld();
    const source = toSourceId('live');
    const madeAt = (Date.parse(`${DAY}T07:02:00Z`) / 1000) as Instant;
    const prediction: LoggedPrediction = {
      day: toEpochDay(DAY as ServiceDate),
      tripId: 't1',
      madeAt,
      model: `${DAY}-cafe`,
      fromPosition: 0,
      observedAt: madeAt - 30,
      isFromPosition: false,
      delaySeconds: 90,
      position: 1,
      low: 40,
      median: 75,
      high: 160,
      priors: [12, -8.4, 30, 4, 24, Number.NaN],
    };
    await withEngine(world.dataDir, { memoryLimit: '500MB', threads: 1 }, (db, folder) =>
      storePredictions(db, world.dataDir, folder, source, [prediction, { ...prediction, position: 2 }]),
    );
    const [trip] = await explainJson(world, 't1', 'Berg', '--date', DAY);
    expect(trip!.predictions).toMatchObject([
      { position: 1, median_seconds: 75, train_runs: 12, made_at: `${DAY} 07:02:00` },
    ]);
    expect(trip!.models).toEqual({ [`${DAY}-cafe`]: null });
    const { stdout } = await explain(world, 't1', 'Berg', '--date', DAY);
    expect(stdout).toMatch(/1 +2026-03-03 07:02:00 +0 at 07:01:30 +90 +40 +75 +160 +-8 \(12\) +\+4 \(30\) +- \(24\)/);
    expect(stdout).toContain(`model ${DAY}-cafe: no longer kept`);
    // Without a stop, the newest prediction of each call.
    await withEngine(world.dataDir, { memoryLimit: '500MB', threads: 1 }, (db, folder) =>
      storePredictions(db, world.dataDir, folder, source, [
        { ...prediction, madeAt: (madeAt + 60) as Instant, median: 80 },
      ]),
    );
    const all = await explain(world, 't1', '--date', DAY);
    expect(all.stdout.match(/ at 07:01:30 /g)).toHaveLength(2);
    expect(all.stdout).toContain('the newest of each call, of 3 in all');
  });

  it('accepts a reference of the API', async () => {
    const references = createReferences(Buffer.from(KEY, 'hex'));
    const name = { tripKey: hashTrip('city', 't2', -1), day: toEpochDay(DAY as ServiceDate) };
    const [trip] = await explainJson(await polledWorld(), references.sealJourney(name), '2');
    expect(trip!.calls.map(({ row }) => [row.trip_id, row.position])).toEqual([['t2', 2]]);
  });

  it('says which responses are no longer stored', async () => {
    const world = await polledWorld();
    await rm(path.join(rawRoot(world.dataDir), 'source=live'), { recursive: true });
    const { stdout } = await explain(world, 't1', '--date', DAY);
    expect(stdout).toContain('or was dropped');
  });

  it.each<[reason: string, args: string[], code: number, message: string]>([
    ['an unknown trip', ['t9', '--date', DAY], 1, 'no data for trip "t9" on 2026-03-03'],
    ['another stop', ['t1', 'x', '--date', DAY], 1, 'no data for trip "t1" at "x"'],
    ['another source', ['t1', '--date', DAY, '--source', 'other'], 1, 'no data for trip'],
    ['a trip id of another day without its date', ['t1'], 2, 'for another day, add --date to a trip id'],
    ['an invalid date', ['t1', '--date', 'today'], 2, '--date is "today"'],
  ])('%s', async (_case, args, code, message) => {
    expect(await explain(await polledWorld(), ...args)).toMatchObject({
      code,
      stderr: expect.stringContaining(message),
    });
  });
});
