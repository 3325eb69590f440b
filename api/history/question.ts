import { addDays, type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import { ApiProblem } from '../contract/problems.ts';

/** Service days, both included. */
export interface DatePeriod {
  readonly from: ServiceDate;
  readonly to: ServiceDate;
}

/** A query of past service days. */
export interface HistoryQuestion {
  readonly period: DatePeriod;
  /** Id of a source; `'*'`: all of them merged, each call once. */
  readonly source: string;
  /** Label of a line, of any product and operator; null: all lines. */
  readonly line: string | null;
  /** Name of an operator; null: all of them. */
  readonly operator: string | null;
  /** null: all stops. */
  readonly stops: RequestedStops | null;
  /** Whether a call without an observed time counts by its final forecast. Absent: no. */
  readonly countsForecasts?: boolean;
}

/** A stop or, with all platforms, a station: of one timetable, or of several that publish it. */
export type RequestedStops = readonly RequestedStop[];

interface RequestedStop {
  readonly feedSource: string;
  /** As in stops.txt. */
  readonly stopId: string;
}

/** @param stops at least one */
export function toStopValues(stops: RequestedStops) {
  // Sorted by bytes, as in the engine: most of a file need not be read then.
  const sort = (texts: readonly string[]) =>
    [...new Set(texts)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const feeds = sort(stops.map(({ feedSource }) => feedSource));
  const ids = sort(stops.map(({ stopId }) => stopId));
  return {
    first_feed: feeds[0]!,
    last_feed: feeds.at(-1)!,
    first_stop: ids[0]!,
    last_stop: ids.at(-1)!,
    public_ids: sort(stops.map(({ feedSource, stopId }) => `${feedSource}:${stopId}`)),
  };
}

const MAX_PERIOD_DAYS = 366;
/** Default number of complete service days. */
export const DEFAULT_DAYS = { v1: 90, v2: 30 } as const;

/**
 * The period of a request. `from` alone ends yesterday, `to` alone begins as many days before as the default has.
 * @param today in the service's time zone; the day before it is the last complete one
 * @throws ApiProblem `invalid_parameter` when it ends before it begins, `period_too_long`
 */
export function readPeriod(
  query: { readonly from?: string; readonly to?: string },
  today: ServiceDate,
  defaultDays: number,
): DatePeriod {
  const to = (query.to as ServiceDate | undefined) ?? addDays(today, -1);
  const from = (query.from as ServiceDate | undefined) ?? addDays(to, 1 - defaultDays);
  if (from > to) {
    throw new ApiProblem('invalid_parameter', `The period ends (${to}) before it begins (${from}).`, 'from');
  }
  const days = toEpochDay(to) - toEpochDay(from) + 1;
  if (days > MAX_PERIOD_DAYS) {
    throw new ApiProblem('period_too_long', `The period has ${days} days. Request at most ${MAX_PERIOD_DAYS} days.`);
  }
  return { from, to };
}

/** The period of a request without one. */
export function defaultPeriod(today: ServiceDate, days: number): DatePeriod {
  return readPeriod({}, today, days);
}
