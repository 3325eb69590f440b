import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Cancellation } from '../../contract/definitions.ts';
import { findCancellationText, type NewsPlace } from '../read/news.ts';
import type { Published } from '../read/realtime.ts';

/**
 * A run at some of its calls. What takes the place of a trip bears the notices of that trip; what repeats it at another
 * time is a trip of its own.
 * @param run one of its rows is -1
 * @param stops rows of the stops of the calls in question; -1 for one that the timetable does not have
 */
export function placeRun(
  { timetable, realtime }: Published,
  { trip, addedTrip, day }: { readonly trip: number; readonly addedTrip: number; readonly day: number },
  stops: readonly number[],
): NewsPlace {
  const { trips, patterns, stops: allStops } = timetable.tables;
  const withStations = stops.flatMap((stop) => (stop < 0 ? [] : [stop, allStops.station[stop]!]));
  const places = { day, stops: [...new Set(withStations)] };
  if (trip >= 0) {
    return { ...places, trip, route: patterns.route[trips.pattern[trip]!]!, directionId: trips.direction[trip]! };
  }
  const { route, basedOn, key } = realtime!.tables.addedTrips;
  const base = basedOn[addedTrip]!;
  const isInItsPlace = base >= 0 && trips.key[base] === key[addedTrip];
  return {
    ...places,
    trip: isInItsPlace ? base : -1,
    route: route[addedTrip]!,
    directionId: base < 0 ? -1 : trips.direction[base]!,
  };
}

/** A run, and the span of time in which its alerts count. */
export interface NotedRun {
  /** One of the two rows is -1. */
  readonly trip: number;
  readonly addedTrip: number;
  readonly day: number;
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * A cancellation with the words of its publisher, where an alert of this very trip has some; unchanged where nothing is
 * cancelled.
 * @param stops rows of the stops of the cancelled calls, -1 for one that the timetable does not have
 */
export function noteCancellation(
  published: Published,
  cancellation: Cancellation,
  run: NotedRun,
  stops: readonly number[],
): Cancellation {
  const { realtime } = published;
  if (!realtime || !(cancellation.fullyCancelled || cancellation.partiallyCancelled)) return cancellation;
  const note = findCancellationText(realtime.news, placeRun(published, run, stops), run.from, run.to);
  return note === null ? cancellation : { ...cancellation, note };
}
