import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Cancellation, Notice } from '../../contract/definitions.ts';
import { type AlertPlace, findCancellationText, findNotices } from '../read/alerts.ts';
import type { TripView } from '../read/dated-trip.ts';
import { listTripNotices } from './trip-notices.ts';

/** GTFS location_type. */
const STATION = 1;

/**
 * A dated trip at some of its calls, for looking up notices. A replacement has the notices of the trip that it
 * replaces; a copy of a trip at another time is a separate trip.
 * @param stops rows of the stops of the calls in question; -1 for a stop that the timetable does not contain
 */
export function placeRun(view: TripView, stops: readonly number[]): AlertPlace {
  const { published, day, tripKey, route, basedOn } = view;
  const { trips, stops: allStops } = published.timetable.tables;
  // A merged station represents all of them only if it has more than one of several stops with that name.
  const stationOf = (stop: number) =>
    allStops.locationType[allStops.station[stop]!] === STATION
      ? allStops.station[stop]!
      : allStops.publishedStation[stop]!;
  const withStations = stops.flatMap((stop) =>
    stop < 0 ? [] : [stop, allStops.publishedStation[stop]!, stationOf(stop)],
  );
  return {
    day,
    stops: [...new Set(withStations)],
    trip: basedOn >= 0 && trips.key[basedOn] === tripKey ? basedOn : -1,
    route,
    directionId: basedOn < 0 ? -1 : trips.direction[basedOn]!,
  };
}

/**
 * The notices for passengers of a trip at some of its calls: its deviations from the schedule, then the alerts that are
 * active during the period and apply to the trip, its line or the stops.
 * @param stops rows of the stops of the calls in question; -1 for a stop that the timetable does not contain
 */
export function listNotices(view: TripView, stops: readonly number[], from: Instant, to: Instant): Notice[] {
  const { realtime } = view.published;
  if (!realtime) return [];
  return [...listTripNotices(view), ...findNotices(realtime.alertIndex, placeRun(view, stops), from, to)];
}

/** A dated trip, and the period in which its alerts count. */
export interface NotedRun {
  readonly view: TripView;
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * A cancellation with the text of its publisher, where an alert of this very trip has one; unchanged where nothing is
 * cancelled.
 * @param stops rows of the stops of the cancelled calls, -1 for one that the timetable does not have
 */
export function noteCancellation(
  cancellation: Cancellation,
  { view, from, to }: NotedRun,
  stops: readonly number[],
): Cancellation {
  const { realtime } = view.published;
  if (!realtime || !(cancellation.fullyCancelled || cancellation.partiallyCancelled)) return cancellation;
  const note = findCancellationText(realtime.alertIndex, placeRun(view, stops), from, to);
  return note === null ? cancellation : { ...cancellation, note };
}
