import type { MartDefinition } from '../../../pipeline/history/marts/definitions.ts';
import { isCallCancelled, type StopEventRow } from '../worlds/stop-events.ts';

/** A row with the source and date of its folders. */
export interface StoredCall {
  readonly source: string;
  readonly date: string;
  readonly row: StopEventRow;
}

interface Counts {
  scheduled: number;
  observed: number;
  on_time: number;
  early: number;
  late: number;
  late10: number;
  cancelled: number;
  replaced: number;
  missing: number;
  delay_sum_seconds: number;
}

/** Computes the marts call by call, independently of their SQL. */
export function countNaively(
  calls: readonly StoredCall[],
  definition: MartDefinition,
  keyOf: (call: StoredCall) => string,
): Map<string, { counts: Counts; delays: number[] }> {
  const groups = new Map<string, { counts: Counts; delays: number[] }>();
  const planned = calls.filter(({ row }) => row.is_added !== true);
  for (const call of [...planned, ...mergeNaively(planned)]) {
    const key = keyOf(call);
    const group = groups.get(key) ?? { counts: noCounts(), delays: [] };
    groups.set(key, group);
    count(group.counts, group.delays, call.row, definition);
  }
  return groups;
}

function noCounts(): Counts {
  const zeros = {
    scheduled: 0,
    observed: 0,
    on_time: 0,
    early: 0,
    late: 0,
    late10: 0,
    cancelled: 0,
    replaced: 0,
    missing: 0,
  };
  return { ...zeros, delay_sum_seconds: 0 };
}

function count(counts: Counts, delays: number[], row: StopEventRow, definition: MartDefinition): void {
  counts.scheduled += 1;
  if (isCallCancelled(row)) {
    counts.cancelled += 1;
    if (row.is_replaced) counts.replaced += 1;
    return;
  }
  const delay = delayOf(row, definition);
  if (delay === null) {
    counts.missing += 1;
    return;
  }
  delays.push(delay);
  counts.observed += 1;
  counts.delay_sum_seconds += delay;
  if (delay <= definition.earlyMinSeconds) counts.early += 1;
  if (delay < definition.onTimeMaxDelaySeconds) counts.on_time += 1;
  else counts.late += 1;
  if (delay >= definition.lateMinDelaySeconds) counts.late10 += 1;
}

function delayOf(row: StopEventRow, { evidence }: MartDefinition): number | null {
  if (row.evidence === 'observed_actual') return (row.delay_seconds as number | null) ?? null;
  if (row.evidence === 'forecast' && evidence === 'forecast')
    return (row.forecast_delay_seconds as number | null) ?? null;
  return null;
}

/** Merges all sources: the better evidence wins, then the name; without a timetable no two calls are the same. */
function mergeNaively(calls: readonly StoredCall[]): StoredCall[] {
  const best = new Map<string, StoredCall>();
  for (const [number, call] of calls.entries()) {
    const { feed_source: feed, trip_id: trip, position } = call.row;
    const key = feed ? JSON.stringify([call.date, feed, trip, position]) : String(number);
    const known = best.get(key);
    if (!known || isBetter(call, known)) best.set(key, call);
  }
  return [...best.values()].map((call) => ({ ...call, source: '*' }));
}

function isBetter(a: StoredCall, b: StoredCall): boolean {
  const difference = rank(a.row) - rank(b.row);
  return difference === 0 ? a.source < b.source : difference > 0;
}

function rank(row: StopEventRow): number {
  if (isCallCancelled(row)) return 2;
  if (row.evidence === 'observed_actual') return 3;
  return row.evidence === 'forecast' ? 1 : 0;
}
