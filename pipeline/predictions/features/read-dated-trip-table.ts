import type { Duckdb } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { buildDatedTripTable, type DatedCallColumns, type DatedTripTable } from './dated-trip-table.ts';
import { countImplausible, findImplausibleCalls, type ImplausibleCounts } from './implausible-calls.ts';

/** The dated trips, and how many calls were excluded. */
export interface ReadDatedTrips {
  readonly table: DatedTripTable;
  readonly implausible: ImplausibleCounts;
}

/**
 * Reads the table `run_calls`, which a query of a layout or of the lake has created, sorted by trip and position.
 * Delays of implausible calls are set to unknown, in the table and in `run_calls`; their plan stays.
 */
export async function readDatedTripTable(db: Duckdb): Promise<ReadDatedTrips> {
  const [{ rows }] = (await db.query('select count(*)::integer as rows from run_calls')) as [{ rows: number }];
  const calls = await readColumns(
    db,
    {
      datedTrip: ['i32', 'run'],
      serviceDay: ['i32', 'service_day'],
      train: ['i32', 'train'],
      route: ['i32', 'route'],
      operator: ['i32', 'operator'],
      stop: ['i32', 'stop'],
      sequence: ['i32', 'sequence'],
      scheduledArrival: ['f64', 'scheduled_arrival'],
      scheduledDeparture: ['f64', 'scheduled_departure'],
      arrivalDelay: ['f64', 'arrival_delay'],
      departureDelay: ['f64', 'departure_delay'],
      isDepartureReported: ['u8', 'is_departure_reported'],
      isInstant: ['u8', 'is_instant'],
    },
    'from run_calls',
    rows,
  );
  const implausible = await dropImplausible(db, calls);
  return { table: buildDatedTripTable(calls), implausible };
}

async function dropImplausible(
  db: Duckdb,
  calls: DatedCallColumns & { readonly isDepartureReported: Uint8Array },
): Promise<ImplausibleCounts> {
  const {
    datedTrip,
    sequence,
    scheduledArrival,
    scheduledDeparture,
    arrivalDelay,
    departureDelay,
    isDepartureReported,
  } = calls;
  const isFirst = (call: number) => call === 0 || datedTrip[call] !== datedTrip[call - 1];
  const isLast = (call: number) => datedTrip[call] !== datedTrip[call + 1];
  const observedDeparture = (call: number) =>
    isDepartureReported[call] === 1 && !isLast(call) ? departureDelay[call]! : Number.NaN;
  const found = findImplausibleCalls({
    datedTrip,
    arrivalTime: (call) => (isFirst(call) ? Number.NaN : scheduledArrival[call]! + arrivalDelay[call]!),
    departureTime: (call) => scheduledDeparture[call]! + observedDeparture(call),
    departureDelay: observedDeparture,
  });
  for (const { place } of found) {
    arrivalDelay[place] = Number.NaN;
    departureDelay[place] = Number.NaN;
  }
  await db.run('create or replace temp table implausible_calls (run integer, sequence integer)');
  await db.insertColumns('implausible_calls', [
    Int32Array.from(found, ({ place }) => datedTrip[place]!),
    Int32Array.from(found, ({ place }) => sequence[place]!),
  ]);
  await db.run(`
    update run_calls set arrival_delay = 'nan', departure_delay = 'nan' from implausible_calls
    where run_calls.run = implausible_calls.run and run_calls.sequence = implausible_calls.sequence;
    drop table implausible_calls;
  `);
  return countImplausible(found);
}
