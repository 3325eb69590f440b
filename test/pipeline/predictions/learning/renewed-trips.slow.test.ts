import { describe, expect, it } from 'vitest';
import { withEngine } from '../../../../pipeline/lake/observations/write-parts.ts';
import type { DatedTripTable } from '../../../../pipeline/predictions/features/dated-trip-table.ts';
import { featureColumns, InstantRows } from '../../../../pipeline/predictions/features/instant-rows.ts';
import { buildSourceFeatures } from '../../../../pipeline/predictions/learning/build-source-features.ts';
import { readFeatures } from '../../../../pipeline/predictions/learning/feature-store.ts';
import { listLearningDays } from '../../../../pipeline/predictions/learning/learning-days.ts';
import { loadRecordedTrips, type RecordedTrips } from '../../../../pipeline/predictions/learning/recorded-trips.ts';
import { LiveTrips } from '../../../../pipeline/predictions/live/live-trips.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { observedBy } from '../../../support/worlds/live-runs-world.ts';
import { ENGINE, RECORDED, recordRuns } from '../../../support/worlds/recorded-world.ts';
import { FIRST_DAY, makeDatedTripTable, withDelays } from '../../../support/worlds/run-world.ts';

const DAYS = 8;
const LAST_DAY = FIRST_DAY + DAYS - 1;
const TRAIN_RUNS = featureColumns.indexOf('train_runs');
const table = makeDatedTripTable(71, { days: DAYS, trains: 12, calls: 8 });

/** A different name on each day, as from a publisher that renews `trip_id` with each version. */
const renewed = (datedTrip: number) => `v${table.serviceDay[datedTrip]}-${table.train[datedTrip]}`;

async function record(given: DatedTripTable, over: Parameters<typeof recordRuns>[3] = {}): Promise<string> {
  const dataDir = await temporaryFolder();
  await recordRuns(dataDir, given, LAST_DAY, over);
  return dataDir;
}

async function load(dataDir: string): Promise<RecordedTrips> {
  const days = await listLearningDays(dataDir, RECORDED, null);
  return withEngine(dataDir, ENGINE, (db) => loadRecordedTrips(db, dataDir, RECORDED, days));
}

/** Trips that are one train, by the identity of a trip in all records: its day and its train in the invented table. */
function listTrains({ table: read, trips }: RecordedTrips): string[] {
  const byTrain = new Map<number, string[]>();
  trips.forEach((trip, datedTrip) => {
    const name = `${read.serviceDay[datedTrip]} ${trip.replace(/^v\d+-|^t/, '')}`;
    byTrain.set(read.train[datedTrip]!, [...(byTrain.get(read.train[datedTrip]!) ?? []), name]);
  });
  return [...byTrain.values()].map((names) => names.sort().join(', ')).sort();
}

/** Another offset: from a day on, clocks and trains are an hour later. */
function putForward(given: DatedTripTable, fromDay: number): DatedTripTable {
  const runOf = (call: number) =>
    given.callStart.findLastIndex((start, datedTrip) => datedTrip < given.datedTripCount && start <= call);
  const move = (times: Float64Array) =>
    times.map((time, call) => time - (given.serviceDay[runOf(call)]! >= fromDay ? 3600 : 0));
  const moved = {
    ...given,
    scheduledArrival: move(given.scheduledArrival),
    scheduledDeparture: move(given.scheduledDeparture),
  };
  return withDelays(moved, given.arrivalDelay, given.departureDelay);
}

describe('trains whose trips have new names every day', () => {
  it('are the same trains', async () => {
    const steady = await load(await record(table));
    expect(steady.table.trainCount).toBeLessThan(steady.table.datedTripCount / 3);
    expect(listTrains(await load(await record(table, { tripOf: renewed })))).toEqual(listTrains(steady));
  });

  it('are the same trains in summer and in winter', async () => {
    const changedOn = FIRST_DAY + 4;
    const offsetMinutes = (day: number) => (day >= changedOn ? 60 : 0);
    const moved = await record(putForward(table, changedOn), { tripOf: renewed, offsetMinutes });
    expect(listTrains(await load(moved))).toEqual(listTrains(await load(await record(table))));
  });

  it('have a history to learn from, with their names', async () => {
    const dataDir = await record(table, { tripOf: renewed });
    const stored = await withEngine(dataDir, ENGINE, async (db, folder) => {
      const request = { dataDir, source: RECORDED, lastDay: null, isForced: false, isDryRun: false, builtAt: '' };
      await buildSourceFeatures(db, folder, request);
      const names = await db.query(`select distinct service_day, trip_id
        from read_parquet('${dataDir}/lake/prediction_features/source=live/part-0.parquet')`);
      for (const { service_day, trip_id } of names) expect(trip_id).toMatch(new RegExp(`^v${service_day}-`));
      return readFeatures(db, dataDir, RECORDED);
    });
    const known = Array.from(
      { length: stored.count },
      (_, row) => stored.values[row * featureColumns.length + TRAIN_RUNS]!,
    );
    expect(known.filter((datedTrips) => datedTrips > 0).length).toBeGreaterThan(0.6 * stored.count);
  });

  it('have a history when they are predicted under a new name', async () => {
    const first = table.serviceDay.indexOf(LAST_DAY);
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, table, LAST_DAY - 1, { tripOf: renewed });
    const live = new LiveTrips(await load(dataDir), 1, { datedTrips: 50, calls: 500 });
    const rows = new InstantRows(live.table, live.index, live.statistics);
    const row = new Float32Array(featureColumns.length);
    let known = 0;
    for (let datedTrip = first; datedTrip < table.datedTripCount; datedTrip++) {
      const observed = observedBy(table, datedTrip, table.departureTime[table.callStart[datedTrip]!]!);
      const standing = live.update({ ...observed, tripId: renewed(datedTrip) })!;
      rows.start(standing.datedTrip, standing.call, standing.observedAt, standing.isStanding);
      rows.write(standing.call + 1, row);
      if (row[TRAIN_RUNS]! > 0) known++;
    }
    // Except those that skip a stop on that day, which is another path.
    expect(known).toBeGreaterThan(0.6 * (table.datedTripCount - first));
  });
});

describe('implausible calls of a record', () => {
  it('exist only in the schedule, and are counted by code', async () => {
    const departureDelay = table.departureDelay.slice();
    const arrivalDelay = table.arrivalDelay.slice();
    const [one, other] = [table.callStart[3]! + 2, table.callStart[7]! + 3];
    departureDelay[one] = -601;
    arrivalDelay[other] = -1500;
    const dataDir = await record(withDelays(table, arrivalDelay, departureDelay));
    const { table: read, implausible, trips } = await load(dataDir);
    expect(implausible).toEqual({ early_departure: 1, before_previous_event: 1 });
    for (const call of [one, other]) {
      const reported = table.callStart.findLastIndex((start) => start <= call);
      const name = `t${table.train[reported]}`;
      const datedTrip = trips.findIndex(
        (trip, at) => trip === name && read.serviceDay[at] === table.serviceDay[reported],
      );
      const place = read.callStart[datedTrip]! + call - table.callStart[reported]!;
      expect(read.scheduledArrival[place]).toBe(table.scheduledArrival[call]);
      expect([read.arrivalDelay[place], read.departureDelay[place]]).toEqual([Number.NaN, Number.NaN]);
      expect(read.arrivalDelay[place + 1]).toBe(table.arrivalDelay[call + 1]);
    }
  });
});
