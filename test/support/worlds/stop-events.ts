import path from 'node:path';
import { type Duckdb, openDuckdb, type SqlRow, sqlName, sqlText } from '../../../pipeline/effects/duckdb.ts';
import type { StopEventFacts } from '../../../pipeline/history/stop-events/stop-event-store.ts';
import { stopEventColumns } from '../../../pipeline/history/stop-events/stop-event-table.ts';
import { stopEventPartition } from '../../../pipeline/lake/paths.ts';
import { type SourceId, toSourceId } from '../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';

/** Columns of one row; the others are as for the first call of a trip that ran two minutes late. */
export type StopEventRow = Partial<Record<keyof typeof stopEventColumns, string | number | boolean | null>>;

const usual: StopEventRow = {
  trip_id: 't1',
  line_label: 'U1',
  route_id: 'r1',
  direction: 'Leopoldau',
  position: 0,
  stop_id: 'a',
  event: 'departure',
  scheduled_time: '2026-01-15 12:00:00',
  observed_time: '2026-01-15 12:02:00',
  delay_seconds: 120,
  is_final_forecast: false,
  evidence: 'observed_actual',
  arrival_is_cancelled: false,
  departure_is_cancelled: false,
  is_replaced: false,
  is_added: false,
  feed_source: 'city',
  feed_version: '0123456789abcdef',
  rules_version: 1,
};

/** Cancels both events of a call, as most sources report it. */
export function cancelCall(isCancelled = true): StopEventRow {
  return { arrival_is_cancelled: isCancelled, departure_is_cancelled: isCancelled };
}

/** Whether the counted event is cancelled. */
export function isCallCancelled(row: StopEventRow): boolean {
  return (row.event === 'departure' ? row.departure_is_cancelled : row.arrival_is_cancelled) === true;
}

/** A select that returns rows in the order of the list. */
export function selectRows(rows: readonly StopEventRow[]): string {
  return rows
    .map((reported) => {
      const row = { ...usual, ...reported };
      const values = Object.entries(stopEventColumns).map(([name, [type]]) => {
        const value = row[name as keyof StopEventRow] ?? null;
        return `${value === null ? 'null' : sqlText(String(value))}::${type} as ${sqlName(name)}`;
      });
      return `select ${values.join(', ')}`;
    })
    .join(' union all ');
}

export function dayFacts(reported: Partial<StopEventFacts> = {}): StopEventFacts {
  return {
    sourceId: toSourceId('live'),
    serviceDate: '2026-01-15' as ServiceDate,
    kind: 'realtime',
    rulesVersion: 1,
    inputs: [{ name: 'part-1.parquet', hash: 'abc' }],
    rowsIn: 1,
    refused: {},
    builtAt: '2026-01-16T12:00:00.000Z',
    ...reported,
  };
}

/** Rows of a finalised day as any reader sees them, in order of the file. */
export async function readStopEvents(
  dataDir: string,
  source: SourceId,
  date: ServiceDate,
  columns = '*',
): Promise<SqlRow[]> {
  const db: Duckdb = await openDuckdb({ threads: 1 });
  try {
    const file = sqlText(path.join(stopEventPartition(dataDir, source, date), 'part-0.parquet'));
    return await db.query(`select ${columns} from read_parquet(${file}, hive_partitioning = false)`);
  } finally {
    db.close();
  }
}
