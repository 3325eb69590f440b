import type { Leg, Trip, TripRequest, TripResult } from '../../../../api/contract/definitions.ts';
import { presentTimestamp } from '../../../../api/engine/read/present.ts';
import { getStopId } from '../../../../api/engine/read/stop-ids.ts';
import { planTrips } from '../../../../api/engine/trips/plan-trips.ts';
import { distanceMeters } from '../../../../pipeline/model/geo.ts';
import { type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import type { BrokenTrip } from '../../../../pipeline/sample/simulator/breakdowns.ts';
import { pick, type Random, wholeBetween } from '../../../../pipeline/sample/simulator/seeded-random.ts';
import type { SceneCountry } from './open-scene-country.ts';
import type { Truth } from './ride-trip.ts';

/** A trip with one transfer, from a train, with just enough time by the timetable. */
export interface TransferringTrip {
  readonly trip: Trip;
  /** Its two rides. */
  readonly rides: readonly [first: Leg, second: Leg];
  /** Scheduled time between arrival and departure. */
  readonly spareSeconds: number;
}

/** Upper limit between arrival and next departure. */
const MAX_SPARE_SECONDS = 900;
/** Calls between boarding and alighting, so that the traveller can alight earlier. */
const MIN_CALLS_BETWEEN = 2;
/** Limits of the first ride: long enough to receive events on board, and not to the end. */
const MAX_RIDE_SECONDS = 2400;
const TRAINS: readonly string[] = ['train', 'regionalTrain', 'sBahn'];

/** The first trip with one transfer, from a train, with little time for it; null without one. */
function findTransferringTrip(trips: readonly Trip[]): TransferringTrip | null {
  for (const trip of trips) {
    const [first, second, ...more] = trip.legs.filter(({ mode }) => mode === 'transit');
    if (!first || !second || more.length > 0 || trip.transfers !== 1) continue;
    if (trip.legs.some(({ transferRisk }) => transferRisk !== undefined && transferRisk !== 'ok')) continue;
    const spareSeconds = at(second.origin.departure) - at(first.destination.arrival);
    const rideSeconds = at(first.destination.arrival) - at(first.origin.departure);
    if (!TRAINS.includes(first.line!.product) || first.intermediateStops.length < MIN_CALLS_BETWEEN) continue;
    if (spareSeconds > MAX_SPARE_SECONDS || rideSeconds > MAX_RIDE_SECONDS) continue;
    return { trip, rides: [first, second], spareSeconds };
  }
  return null;
}

function at(time: Leg['origin']['departure']): number {
  return parseTimestamp(time!.scheduled!)!;
}

/** Plans trips. */
type QueryTrips = (body: TripRequest) => Promise<TripResult>;

const MAX_DRAWS = 5000;
/** Distance between origin and destination: too far to walk, near enough for the trips of a day. */
const [NEAREST_METERS, FURTHEST_METERS] = [8000, 60_000];

interface TripDraw {
  /** The trip begins at this time or a limited time later. */
  readonly time: Instant;
  readonly maxAheadSeconds: number;
  readonly random: Random;
}

/** Draws origins and destinations until there is such a trip. @throws RangeError if none is found */
export async function drawTransferringTrip(
  country: SceneCountry,
  { time, maxAheadSeconds, random }: TripDraw,
  query: QueryTrips,
): Promise<TransferringTrip> {
  const stations = listStations(country);
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const [from, to] = [pick(random, stations), pick(random, stations)];
    const meters = distanceMeters(from.lat, from.lon, to.lat, to.lon);
    if (meters < NEAREST_METERS || meters > FURTHEST_METERS) continue;
    const { trips } = await query({
      from: { stopId: from.id },
      to: { stopId: to.id },
      time: presentTimestamp(time),
      timeMode: 'departure',
      limit: 4,
      walkSpeedKmh: 4.7,
      maxWalkMeters: 1500,
      wheelchair: false,
    });
    const found = findTransferringTrip(trips);
    if (found && at(found.rides[0].origin.departure) - time <= maxAheadSeconds) return found;
  }
  throw new RangeError('no trip with a transfer was found');
}

/** Queries the planner in this process, with the timetable only. */
export function queryTimetable({ timetable, planner, places, references }: SceneCountry): QueryTrips {
  const published = { timetable, realtime: null };
  return (body) => {
    const instant = parseTimestamp(body.time!)!;
    return planTrips({ published, planner, places, references, instant, walks: null, isSpent: () => false }, body);
  };
}

interface Station {
  readonly id: string;
  readonly lat: number;
  readonly lon: number;
}

/** Stations of trains: where trips with a transfer begin and end. */
function listStations({ timetable, lookups }: SceneCountry): readonly Station[] {
  const isTrain = ({ mode }: { readonly mode: string }) => mode === 'rail' || mode === 's_bahn';
  const served = new Set(lookups.lines.filter(isTrain).flatMap(({ calls }) => calls.map(({ place }) => place.id)));
  const { stopId, station, lat, lon } = timetable.tables.stops;
  const rows = Array.from({ length: stopId.length }, (_, row) => row);
  return rows
    .filter((row) => station[row] === row && served.has(stopId.get(row)))
    .map((row) => ({ id: getStopId(timetable, row), lat: lat[row]!, lon: lon[row]! }));
}

/**
 * Stops the first train of a trip shortly before boarding (or after, if it begins there) for longer than there is time
 * for the transfer. Later delays are as uncertain as on any day.
 * @param overSeconds by how much it is too long
 */
export function breakDown(
  { rides: [first], spareSeconds }: Pick<TransferringTrip, 'rides' | 'spareSeconds'>,
  truth: Truth,
  overSeconds: number,
  random: Random,
): BrokenTrip {
  const { tripId, startDate, startTime, from } = truth.findRide(first);
  const boarding = from.stopSequence - 1;
  const call = wholeBetween(random, Math.max(1, boarding - CALLS_BEFORE), Math.max(1, boarding));
  return { tripId, date: startDate, startSeconds: startTime, call, seconds: spareSeconds + overSeconds };
}

const CALLS_BEFORE = 2;
