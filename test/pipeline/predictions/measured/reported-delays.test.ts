import { expect, test } from 'vitest';
import { openDuckdb } from '../../../../pipeline/effects/duckdb.ts';
import { findDatedTrips } from '../../../../pipeline/predictions/features/sweep.ts';
import { readReportedDelays } from '../../../../pipeline/predictions/measured/transfer-records.ts';
import type { TransferCases } from '../../../../pipeline/predictions/past-transfers/transfer-cases.ts';
import { makeDatedTripTable } from '../../../support/worlds/run-world.ts';

const table = makeDatedTripTable(1, { days: 1, trains: 9, calls: 3 });
/** The second calls of two trips: arrival at the one, departure from the other. */
const [arrival, departure] = [...table.sequence.keys()].filter((call) => table.sequence[call] === 2) as [
  number,
  number,
];
const transfers = { count: 1, arrival: Int32Array.of(arrival), departure: Int32Array.of(departure) };
const [first, second] = [arrival, departure].map((call) => findDatedTrips(table)[call]);
const CASES_AT = [100, 200, 400, 800];

/** Rows of the source: trip, position of the call from 1, event, first and last seen, evidence, delay. */
const reports = [
  "('a', 2, 'arrival', 90, 150, 'forecast', 60, 'stop_events')",
  "('a', 2, 'arrival', 180, 250, 'forecast', 300, 'stop_events')",
  "('a', 2, 'arrival', 390, 395, 'observed_actual', 700, 'stop_events')",
  "('a', 2, 'arrival', 190, 250, 'forecast', 999, 'vehicles')",
  "('a', 3, 'arrival', 90, 900, 'forecast', 999, 'stop_events')",
  "('b', 2, 'departure', 150, 300, 'forecast', -120, 'stop_events')",
  "('b', 2, 'arrival', 90, 900, 'forecast', 999, 'stop_events')",
];

test('finds the delay that a source had published by an instant and still published', async () => {
  const db = await openDuckdb();
  try {
    await db.run(
      `create temp table run_names as from (values ('a', ${first}), ('b', ${second})) as named(trip_id, number)`,
    );
    await db.run(`create temp table day_observations as
      select trip_id, position, event, to_timestamp(first_seen) as first_seen_at, to_timestamp(last_seen) as last_seen_at,
        evidence, delay_seconds, channel
      from (values ${reports.join(', ')})
        as listed(trip_id, position, event, first_seen, last_seen, evidence, delay_seconds, channel)`);
    const cases = { transfers, requestedAt: Float64Array.from(CASES_AT) } as Partial<TransferCases> as TransferCases;
    const find = await readReportedDelays(db, table, cases);
    expect(CASES_AT.map((_, place) => find(arrival, false, place))).toEqual([60, 300, null, null]);
    expect(CASES_AT.map((_, place) => find(departure, true, place))).toEqual([null, -120, -120, null]);
    expect(find(arrival, true, 0)).toBeNull();
  } finally {
    db.close();
  }
});
