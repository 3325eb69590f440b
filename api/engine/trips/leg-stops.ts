import type { Cancellation, LegStop, TimeInfo } from '../../contract/definitions.ts';
import type { NamedCoord } from '../places/resolve-places.ts';
import type { JourneyCall } from '../read/calls.ts';
import { type EventTime, presentEventTime } from '../read/event-times.ts';
import { findStopCoord, presentCoord, presentPlatform } from '../read/present.ts';
import { getStopId } from '../read/stop-ids.ts';
import type { Timetable } from '../read/timetable.ts';

/** Begin or end of a leg, without its times. */
export type LegPlace = Omit<LegStop, 'arrival' | 'departure'>;

const NOT_CANCELLED: Cancellation = { fullyCancelled: false, partiallyCancelled: false };

/** A stop of the timetable, as planned. */
export function describeStop(timetable: Timetable, stop: number): LegPlace {
  const platform = timetable.tables.stops.platformCode.get(stop) || null;
  return {
    ...nameStop(timetable, stop),
    platform: presentPlatform(platform, null),
    cancellation: NOT_CANCELLED,
  };
}

/** The stop of a call as it is actually served. */
export function describeCall(timetable: Timetable, call: JourneyCall): LegPlace {
  return { ...nameCall(timetable, call), platform: platformOf(call), cancellation: NOT_CANCELLED };
}

/** Ten centimetres, as for all coordinates. */
const COORDINATE_DIGITS = 6;

/** A coordinate; without a name, the coordinates are the name. */
export function describePoint({ coord: point, name, foundName, ...place }: NamedCoord): LegPlace {
  const coord = presentCoord(point.lat, point.lon);
  const id = place.id ?? `${coord.lat.toFixed(COORDINATE_DIGITS)},${coord.lon.toFixed(COORDINATE_DIGITS)}`;
  return { id, name: name ?? foundName ?? id, coord, platform: { changed: false }, cancellation: NOT_CANCELLED };
}

/** A call of a ride, with the times at which the vehicle stops there. */
export function presentCall(
  timetable: Timetable,
  call: JourneyCall,
  {
    isFirst,
    isLast,
    cancellation,
  }: { readonly isFirst: boolean; readonly isLast: boolean; readonly cancellation: Cancellation },
): LegStop {
  return {
    ...nameCall(timetable, call),
    ...(isFirst ? {} : timeOf('arrival', call.arrival)),
    ...(isLast ? {} : timeOf('departure', call.departure)),
    platform: platformOf(call),
    cancellation,
  };
}

/** A stop that the timetable does not have uses its name as its id. */
function nameCall(
  timetable: Timetable,
  { stop, stopName, coord }: JourneyCall,
): Pick<LegStop, 'id' | 'name' | 'coord'> {
  return stop >= 0 ? nameStop(timetable, stop) : { id: stopName, name: stopName, ...coord };
}

function nameStop(timetable: Timetable, stop: number): Pick<LegStop, 'id' | 'placeId' | 'name' | 'coord'> {
  const { stops } = timetable.tables;
  const station = stops.station[stop]!;
  return {
    id: getStopId(timetable, stop),
    ...(station === stop ? {} : { placeId: getStopId(timetable, station) }),
    name: stops.name.get(stop),
    ...findStopCoord(timetable, stop),
  };
}

function platformOf({ platform, announcedPlatform }: JourneyCall) {
  return presentPlatform(platform, announcedPlatform);
}

/** Omits missing times: an added trip need not have all of them. */
function timeOf(name: 'arrival' | 'departure', event: EventTime): { arrival?: TimeInfo; departure?: TimeInfo } {
  return event.scheduled === 0 ? {} : { [name]: presentEventTime(event) };
}
