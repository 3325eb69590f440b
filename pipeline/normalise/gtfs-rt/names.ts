import type { TripDescriptor } from '../../formats/gtfs-rt/feed-message.ts';
import type { StopName, TripName } from '../../model/realtime.ts';
import { parseServiceDate, parseServiceTime, type ServiceDate, type ServiceTime } from '../../model/service-time.ts';
import { type FeedReading, tell, textOf } from './reading.ts';

/** Says of a trip what its descriptor says; null for one that names neither trip nor route. */
export function toTripName(reading: FeedReading, descriptor: TripDescriptor, place: string): TripName | null {
  // A trip that a detour has changed is named by the one that it was made from; the reference leaves the rest empty.
  const modified = descriptor.modifiedTrip;
  const tripId = textOf(modified?.affectedTripId ?? descriptor.tripId);
  const routeId = textOf(descriptor.routeId);
  if (tripId === null && routeId === null) return null;
  return {
    tripId,
    routeId,
    directionId: toDirection(descriptor.directionId),
    startDate: readDate(reading, modified?.startDate ?? descriptor.startDate, place),
    startTime: readTime(reading, modified?.startTime ?? descriptor.startTime, place),
    lineLabel: null,
    product: null,
    operatorName: null,
    headsign: null,
  };
}

/** `YYYYMMDD`; null where it is missing, and where it is no date, which is told as `bad_start_date`. */
export function readDate(reading: FeedReading, text: string | undefined, place: string): ServiceDate | null {
  const known = textOf(text);
  if (known === null) return null;
  const date = findOrMake(reading.dates, known, () => parseServiceDate(known.trim()));
  if (date === null) tell(reading, 'bad_start_date', place, `"${known}" is no date`);
  return date;
}

/** `H:MM:SS`, past 24 hours as well; null where it is missing, and where it is no time, told as `bad_start_time`. */
export function readTime(reading: FeedReading, text: string | undefined, place: string): ServiceTime | null {
  const known = textOf(text);
  if (known === null) return null;
  const time = parseServiceTime(known.trim());
  if (time === null) tell(reading, 'bad_start_time', place, `"${known}" is no time`);
  return time;
}

export function toStopName({ stops }: FeedReading, stopId: string | undefined): StopName | null {
  const id = textOf(stopId);
  if (id === null) return null;
  return findOrMake(stops, id, () => ({ id, idSpace: 'gtfs', name: null, lat: null, lon: null }));
}

function findOrMake<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

function toDirection(directionId: number | undefined): 0 | 1 | null {
  return directionId === 0 || directionId === 1 ? directionId : null;
}
