import type { Duckdb } from '../effects/duckdb.ts';
import { readColumns } from '../effects/read-columns.ts';
import { buildRunTable, type RunTable } from './run-table.ts';

/** Reads the table `run_calls`, which a query of a layout or of the lake has left: sorted by run and position. */
export async function readRunTable(db: Duckdb): Promise<RunTable> {
  const [{ rows }] = (await db.query('select count(*)::integer as rows from run_calls')) as [{ rows: number }];
  const calls = await readColumns(
    db,
    {
      run: ['i32', 'run'],
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
      isInstant: ['u8', 'is_instant'],
    },
    'from run_calls',
    rows,
  );
  return buildRunTable(calls);
}
