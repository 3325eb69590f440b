import type { Published } from './realtime.ts';

/** What an alert may be about: a dated trip, its route and direction, and the stops in question. */
export interface NewsPlace {
  /** Row of the timetable's routes, or -1. */
  readonly route: number;
  /** 0, 1, or -1 where unknown. */
  readonly directionId: number;
  /** Row of the timetable's trips, or -1. */
  readonly trip: number;
  readonly day: number;
  /** Rows of stops, with the stations that they belong to. */
  readonly stops: readonly number[];
}

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
