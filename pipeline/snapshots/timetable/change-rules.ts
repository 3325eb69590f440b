import type { TripCalls } from '../../timetable/patterns.ts';
import { append, emptyList, toArray } from './int32-list.ts';
import type { FeedColumns } from './read-feeds.ts';

/**
 * What a rule says of a change: there is none; the next vehicle waits; it takes so long; or it is a change like any
 * other, at whatever distance.
 */
export const verdicts = ['none', 'timed', 'published', 'usual'] as const;
export type Verdict = (typeof verdicts)[number];

/** Rules for changing, types 0 to 3 of transfers.txt; their order settles between equals. */
export interface ChangeRules {
  /** Stops, or stations: then they hold at all platforms. */
  readonly fromStop: Int32Array;
  readonly toStop: Int32Array;
  /** Which calls there are meant: those of a route (its row), those of a trip (count of routes + its row), or any. */
  readonly fromSelector: Int32Array;
  readonly toSelector: Int32Array;
  /** Position in `verdicts`. */
  readonly verdict: Int32Array;
  /** Of `published`, else 0. */
  readonly seconds: Int32Array;
}

export const ANY_CALL = -1;

const MOST_TYPE = 3;
const published = verdicts.indexOf('published');

type StopsOfTrips = Pick<TripCalls, 'tripFirstCall' | 'stop'>;

/**
 * @param station by stop
 * @returns rules that a call may fall under: the trips that they name do call there
 */
export function readChangeRules(
  transfers: FeedColumns['transfers'],
  calls: StopsOfTrips,
  station: Int32Array,
  routeCount: number,
): ChangeRules {
  const rows = emptyList();
  const callsThere = (trip: number, stop: number) => trip < 0 || hasCallAt(calls, station, trip, stop);
  for (let row = 0; row < transfers.type.length; row++) {
    if (transfers.type[row]! > MOST_TYPE) continue;
    if (!callsThere(transfers.fromTrip[row]!, transfers.fromStop[row]!)) continue;
    if (callsThere(transfers.toTrip[row]!, transfers.toStop[row]!)) append(rows, row);
  }
  const kept = toArray(rows);
  const verdict = kept.map((row) => verdicts.indexOf(judge(transfers.type[row]!, transfers.seconds[row]!)));
  // A trip belongs to one route: where both are named, the trip says it all.
  const select = (route: Int32Array, trip: Int32Array) =>
    kept.map((row) => (trip[row]! >= 0 ? routeCount + trip[row]! : route[row]!));
  return {
    fromStop: kept.map((row) => transfers.fromStop[row]!),
    toStop: kept.map((row) => transfers.toStop[row]!),
    fromSelector: select(transfers.fromRoute, transfers.fromTrip),
    toSelector: select(transfers.toRoute, transfers.toTrip),
    verdict,
    seconds: kept.map((row, rule) => (verdict[rule] === published ? transfers.seconds[row]! : 0)),
  };
}

function hasCallAt({ tripFirstCall, stop }: StopsOfTrips, station: Int32Array, trip: number, place: number): boolean {
  for (let call = tripFirstCall[trip]!; call < tripFirstCall[trip + 1]!; call++) {
    if (stop[call] === place || station[stop[call]!] === place) return true;
  }
  return false;
}

function judge(type: number, seconds: number): Verdict {
  if (type === 1) return 'timed';
  if (type === 3) return 'none';
  return seconds >= 0 ? 'published' : 'usual';
}

/** @returns by trip: 0, or for each that rules single out a number of its own */
export function numberNamedTrips(rules: ChangeRules, tripCount: number, routeCount: number): Int32Array {
  const numbers = new Int32Array(tripCount);
  const eachSelector = (selector: number) => {
    if (selector >= routeCount) numbers[selector - routeCount] = selector - routeCount + 1;
  };
  rules.fromSelector.forEach(eachSelector);
  rules.toSelector.forEach(eachSelector);
  return numbers;
}
