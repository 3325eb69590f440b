import { METERS_PER_DEGREE, measureLine, RADIANS_PER_DEGREE } from '../../../pipeline/model/geo.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Coord } from '../../contract/definitions.ts';
import { getPolyline } from '../journeys/journey-calls.ts';
import type { Published } from '../read/realtime.ts';
import type { TimedRide } from '../trips/timeline.ts';
import { isVehicleShown } from '../vehicles/vehicles.ts';

/** Where a traveller is, seen from the vehicle of a ride that is under way. */
type PlaceOnRide = 'aboard' | 'behind' | 'elsewhere' | 'unknown';

/** Phones are inexact, and so are the lines that vehicles are drawn along. */
const OFF_LINE_METERS = 300;
/** Where no shape is known, tracks leave the straight line by a share of the way between two stops. */
const DETOUR_SHARE = 0.25;
/** Forecasts are inexact: a vehicle may be where it was expected this long ago, or is expected this soon. */
const INEXACT_SECONDS = 120;
/** An observed position says where the vehicle is now for this long. */
const MAX_POSITION_AGE_SECONDS = 120;

/**
 * Compares a traveller with the vehicle: by its observed position, else by the place that its times put it at along its
 * shape, or along the line between its stops.
 */
export function findPlaceOnRide(published: Published, ride: TimedRide, now: Instant, position: Coord): PlaceOnRide {
  const stretches = listStretches(ride);
  if (stretches.some(({ length }) => length < 2)) return 'unknown';
  const line = stretches.flat();
  const tolerance = OFF_LINE_METERS + (hasShape(ride) ? 0 : DETOUR_SHARE * Math.max(...stretches.map(measureLine)));
  const at = (instant: number) => placeByTime(stretches, ride, instant);
  const observed = findObservedPosition(published, ride, now);
  const seen = observed && findAlong(line, observed, tolerance, at(now));
  const place = findAlong(line, position, tolerance, seen ?? at(now));
  if (place === null) return 'elsewhere';
  const [slowest, fastest] = seen === null ? [at(now - INEXACT_SECONDS), at(now + INEXACT_SECONDS)] : [seen, seen];
  if (place < slowest - tolerance) return 'behind';
  return place > fastest + tolerance ? 'elsewhere' : 'aboard';
}

/** The line of the vehicle from each call of the ride to the next. */
function listStretches({ run: { view, calls, ride } }: TimedRide): Coord[][] {
  return calls.slice(1).map((call, i) => getPolyline(view, ride.boardPosition + i, [calls[i]!, call]));
}

function hasShape({ run: { view } }: TimedRide): boolean {
  const { trip, published } = view;
  return trip >= 0 && published.timetable.tables.trips.tripShape[trip]! >= 0;
}

/** Metres from the boarding that the times of the vehicle put it at. */
function placeByTime(stretches: readonly Coord[][], { run: { calls } }: TimedRide, instant: number) {
  let meters = 0;
  for (const [i, stretch] of stretches.entries()) {
    const [from, to] = [calls[i]!, calls[i + 1]!];
    const [leaves, arrives] = [from.departure.expected, to.arrival.expected];
    if (instant <= leaves) return meters;
    const share = arrives > leaves ? Math.min(1, (instant - leaves) / (arrives - leaves)) : 1;
    meters += share * measureLine(stretch);
  }
  return meters;
}

function findObservedPosition({ realtime }: Published, { run: { ride } }: TimedRide, now: Instant): Coord | null {
  if (!realtime) return null;
  const { trip, addedTrip, day, observedAt, lat, lon } = realtime.tables.vehicles;
  for (let row = 0; row < trip.length; row++) {
    const isOfRide =
      ride.trip >= 0 ? trip[row] === ride.trip && day[row] === ride.day : addedTrip[row] === ride.addedTrip;
    const isRecent = Math.abs(now - observedAt[row]!) <= MAX_POSITION_AGE_SECONDS;
    if (isOfRide && isRecent && isVehicleShown(realtime, row, now)) return { lat: lat[row]!, lon: lon[row]! };
  }
  return null;
}

// ---- Along a line ------------------------------------------------------------------------------

/**
 * Metres along a line of the point next to a place; of several, as the line may pass twice, that next to `expected`.
 * @returns null where the place is farther off than the range
 */
function findAlong(line: readonly Coord[], place: Coord, maxMeters: number, expected: number): number | null {
  let found: number | null = null;
  let along = 0;
  const east = METERS_PER_DEGREE * Math.cos(place.lat * RADIANS_PER_DEGREE);
  const toMeters = ({ lat, lon }: Coord) => [(lon - place.lon) * east, (lat - place.lat) * METERS_PER_DEGREE] as const;
  for (let i = 1; i < line.length; i++) {
    const [x, y] = toMeters(line[i - 1]!);
    const [toX, toY] = toMeters(line[i]!);
    const length = Math.hypot(toX - x, toY - y);
    const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(x * (toX - x) + y * (toY - y)) / length ** 2));
    const off = Math.hypot(x + share * (toX - x), y + share * (toY - y));
    const here = along + share * length;
    const isNearer = found === null || Math.abs(here - expected) < Math.abs(found - expected);
    if (off <= maxMeters && isNearer) found = here;
    along += length;
  }
  return found;
}
