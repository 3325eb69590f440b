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
  derived: number;
  forecasts: number;
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

interface CountedTrip {
  readonly numbers: string[];
  scheduled: number;
  cancelled: number;
  readonly delays: Map<number, number>;
}

/**
 * Trips with a number, over all sources: `[date, source, feed, trip, number, scheduled, observed, cancelled, delay at the
 * last observed call, largest delay]`.
 */
export function countTripsNaively(calls: readonly StoredCall[]): unknown[][] {
  const trips = new Map<string, CountedTrip>();
  const merged = mergeNaively(calls.filter(({ row }) => row.is_added !== true));
  for (const { date, reporter, row } of merged) {
    if (!row.trip_number) continue;
    const feed = row.feed_source || '';
    const key = JSON.stringify([date, feed === '' ? reporter : '*', feed, row.trip_id]);
    const trip = trips.get(key) ?? { numbers: [], scheduled: 0, cancelled: 0, delays: new Map<number, number>() };
    trips.set(key, trip);
    trip.numbers.push(String(row.trip_number));
    trip.scheduled += 1;
    if (isCallCancelled(row)) trip.cancelled += 1;
    else if (row.evidence === 'observed_actual') trip.delays.set(Number(row.position), Number(row.delay_seconds));
  }
  return [...trips].map(([key, { numbers, scheduled, cancelled, delays }]) => [
    ...(JSON.parse(key) as unknown[]),
    numbers.sort().at(-1),
    scheduled,
    delays.size,
    cancelled,
    [...delays].sort(([a], [b]) => b - a)[0]?.[1] ?? null,
    delays.size === 0 ? null : Math.max(...delays.values()),
  ]);
}

function noCounts(): Counts {
  const zeros = {
    scheduled: 0,
    observed: 0,
    derived: 0,
    forecasts: 0,
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
  if (row.evidence === 'forecast') counts.forecasts += 1;
  else if (typeof row.uncertainty_seconds === 'number') counts.derived += 1;
  counts.delay_sum_seconds += delay;
  if (delay <= definition.earlyMinSeconds) counts.early += 1;
  if (delay < definition.onTimeMaxDelaySeconds) counts.on_time += 1;
  else counts.late += 1;
  if (delay >= definition.lateMinDelaySeconds) counts.late10 += 1;
}

function delayOf(row: StopEventRow, { evidence }: MartDefinition): number | null {
  if (row.evidence === 'observed_actual') return (row.delay_seconds as number | null) ?? null;
  const counts = evidence === 'forecast' || (evidence === 'last_forecast' && row.is_final_forecast === true);
  if (row.evidence === 'forecast' && counts) return (row.forecast_delay_seconds as number | null) ?? null;
  return null;
}

/** Merges all sources: the better evidence wins, then the name; without a timetable no two calls are the same. */
function mergeNaively(calls: readonly StoredCall[]): (StoredCall & { readonly reporter: string })[] {
  const best = new Map<string, StoredCall>();
  for (const [number, call] of calls.entries()) {
    const { feed_source: feed, trip_id: trip, position } = call.row;
    const key = feed ? JSON.stringify([call.date, feed, trip, position]) : String(number);
    const known = best.get(key);
    if (!known || isBetter(call, known)) best.set(key, call);
  }
  return [...best.values()].map((call) => ({ ...call, source: '*', reporter: call.source }));
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
