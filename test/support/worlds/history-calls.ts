import { addDays, isoWeekday, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import { cancelCall, type StopEventRow } from './stop-events.ts';

/** One call in short form. */
export interface HistoryCall {
  readonly source: string;
  readonly day: ServiceDate;
  /** Id of the trip; with the position it identifies the same call in every source. */
  readonly trip: string;
  readonly position: number;
  readonly line: string | null;
  /** Number of the trip; unknown if absent. */
  readonly tripNumber?: string;
  readonly product: string | null;
  /** Unknown if absent. */
  readonly operator?: string | null;
  readonly stop: string;
  readonly station: string;
  /** Hour of the service date, may pass 24; the minute does not matter. */
  readonly hour: number;
  /** Delay in seconds; null if it was not observed. */
  readonly delay: number | null;
  /** Whether the delay is derived from positions. */
  readonly isDerived?: boolean;
  /** Delay of a final forecast, where nothing was observed. */
  readonly finalForecast?: number | null;
  readonly isCancelled?: boolean;
  readonly isReplaced?: boolean;
  readonly isAdded?: boolean;
  /** Feed of the timetable; null for an archive without one. */
  readonly feed: string | null;
}

/** A call of U1 at stop a, on time, with the given changes. */
export function historyCall(over: Partial<HistoryCall>): HistoryCall {
  return {
    source: 'live',
    day: '2026-01-15' as ServiceDate,
    trip: 't1',
    position: 0,
    line: 'U1',
    product: 'subway',
    stop: 'a',
    station: 'a',
    hour: 8,
    delay: 0,
    feed: 'at',
    ...over,
  };
}

/** Local time is UTC in these rows, so that they are easy to check. */
export function toStopEvent(call: HistoryCall): StopEventRow {
  const { hour, delay, finalForecast = null, isCancelled = false, isReplaced = false, isAdded = false } = call;
  const scheduled = Date.parse(`${call.day}T00:00:00Z`) + hour * 3_600_000;
  const sqlTime = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
  return {
    trip_id: call.trip,
    trip_number: call.tripNumber ?? null,
    position: call.position,
    line_label: call.line,
    product: call.product,
    operator: call.operator ?? null,
    stop_id: call.stop,
    stop_name: `Stop ${call.stop}`,
    station_id: call.station,
    event: call.position === 0 ? 'departure' : 'arrival',
    scheduled_time: sqlTime(scheduled),
    utc_offset_minutes: 0,
    observed_time: delay === null ? null : sqlTime(scheduled + delay * 1000),
    delay_seconds: delay,
    uncertainty_seconds: call.isDerived && delay !== null ? 20 : null,
    forecast_delay_seconds: finalForecast,
    is_final_forecast: finalForecast !== null,
    evidence: delay !== null ? 'observed_actual' : finalForecast === null ? 'unknown' : 'forecast',
    ...cancelCall(isCancelled),
    is_replaced: isReplaced,
    is_added: isAdded,
    feed_source: call.feed,
    feed_version: call.feed === null ? null : '0123456789abcdef',
  };
}

// ---- The same numbers, counted independently ---------------------------------------------------

interface CountedHistory {
  readonly expected: number;
  readonly observed: number;
  readonly onTime: number;
  readonly early: number;
  readonly late10: number;
  readonly cancelled: number;
  readonly replaced: number;
  readonly delaySum: number;
}

export interface HistoryQueryInput {
  readonly from: string;
  readonly to: string;
  readonly source?: string;
  readonly line?: string;
  readonly operator?: string;
  /** Stops of feed `at`. */
  readonly stops?: readonly string[];
}

/** Calls that count for a query, each once. Shares nothing with SQL, marts or API. */
export function chooseCalls(
  calls: readonly HistoryCall[],
  { from, to, source, line, operator, stops }: HistoryQueryInput,
): HistoryCall[] {
  const ofSource = calls.filter((call) => !call.isAdded && (source === undefined || call.source === source));
  const once = source === undefined ? mergeCalls(ofSource) : ofSource;
  return once.filter(
    (call) =>
      call.day >= from &&
      call.day <= to &&
      (line === undefined || call.line === line) &&
      (operator === undefined || call.operator === operator) &&
      (stops === undefined || (call.feed === 'at' && stops.includes(call.stop))),
  );
}

/** Observed wins over cancelled, cancelled over forecast and unknown; then the first source in alphabetical order. */
function mergeCalls(calls: readonly HistoryCall[]): HistoryCall[] {
  const rank = ({ delay, isCancelled, finalForecast = null }: HistoryCall) => {
    if (delay !== null) return 0;
    return isCancelled ? 1 : finalForecast !== null ? 2 : 3;
  };
  const best = new Map<string, HistoryCall>();
  for (const [index, call] of calls.entries()) {
    const { feed, trip, day, position } = call;
    const key = feed === null ? `alone ${index}` : JSON.stringify([feed, trip, day, position]);
    const known = best.get(key);
    const isBetter =
      known === undefined || rank(call) < rank(known) || (rank(call) === rank(known) && call.source < known.source);
    if (isBetter) best.set(key, call);
  }
  return [...best.values()];
}

export function countCalls(calls: readonly HistoryCall[]): CountedHistory {
  const delays = calls.filter((call) => !call.isCancelled).flatMap(({ delay }) => delay ?? []);
  return {
    expected: calls.length,
    observed: delays.length,
    onTime: delays.filter((delay) => delay < 330).length,
    early: delays.filter((delay) => delay <= -60).length,
    late10: delays.filter((delay) => delay >= 600).length,
    cancelled: calls.filter(({ isCancelled }) => isCancelled).length,
    replaced: calls.filter(({ isReplaced }) => isReplaced).length,
    delaySum: delays.reduce((sum, delay) => sum + delay, 0),
  };
}

/** Local weekday and hour. */
export function clockOf({ day, hour }: HistoryCall): { dow: number; hour: number } {
  return { dow: isoWeekday(addDays(day, Math.floor(hour / 24))), hour: hour % 24 };
}

/** Groups by a key, sorted by the bytes of the keys. */
export function groupCalls(
  calls: readonly HistoryCall[],
  keyOf: (call: HistoryCall) => string,
): [string, HistoryCall[]][] {
  const groups = new Map<string, HistoryCall[]>();
  for (const call of calls) groups.set(keyOf(call), [...(groups.get(keyOf(call)) ?? []), call]);
  return [...groups].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
