import type { Leg, Place, Trip } from '../../../../api/contract/definitions.ts';
import { readPlace } from '../../../../api/engine/trips/places.ts';
import { presentTrip } from '../../../../api/engine/trips/present-trip.ts';
import {
  computeTimeline,
  type Plan,
  type PlannedRide,
  type PlannedWalk,
} from '../../../../api/engine/trips/timeline.ts';
import { rememberPaths } from '../../../../api/engine/trips/walk-paths.ts';
import type { SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import { type ServiceDate, toEpochDay } from '../../../../pipeline/model/service-time.ts';
import type { WalkRouter } from '../../../../pipeline/streets/walk-router.ts';
import { expectValidAnswer } from '../../../support/checks/contract-validator.ts';
import { instant, openWorld, type World } from '../../../support/worlds/board-world.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { at, DAY, describeTime } from '../live-town.ts';

/**
 * A network for itineraries: a bus to the station (platform 1) and beyond, a tram from its platform 2, a bus from the
 * nearby heath that continues as another trip, a later tram, and a train to the court that requires a transfer.
 */
export const tripTown = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code,wheelchair_boarding
  a,Anger,48.000,16.000,0,,,1
  s,Bahnhof,48.040,16.040,1,,,1
  s1,Bahnhof,48.0400,16.0400,0,s,1,
  s2,Bahnhof,48.0403,16.0400,0,s,2,
  k,Kirche,48.020,16.020,0,,,
  z,Ziel,48.030,16.060,0,,,
  h,Heide,48.041,16.046,0,,,
  x,Hof,48.080,16.100,0,,,
  e,Eingang,48.0401,16.0401,2,s,,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  r1,v,1,Anger - Ziel,3
  r2,v,2,Bahnhof - Ziel,0
  r3,v,3,Heide - Ziel,3
  r4,v,4,Ziel - Anger,3
  r5,v,S5,Bahnhof - Hof,109
  # trips.txt
  trip_id,route_id,service_id,trip_headsign,trip_short_name,shape_id,block_id,wheelchair_accessible,bikes_allowed
  t1,r1,daily,,,w,,1,
  t2,r2,daily,Zum Ziel,TR 2,,,,1
  t3,r3,daily,,,,b,1,
  t4,r4,daily,,,,b,1,
  late,r2,daily,Spät,,,,,
  x1,r5,daily,,,,,,
  x2,r5,daily,,,,,,
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time,stop_headsign,pickup_type,drop_off_type
  t1,a,1,08:00:00,08:00:00,,,
  t1,k,2,08:06:00,08:06:00,,,
  t1,s1,3,08:10:00,08:12:00,Nach Ziel,,
  t1,z,4,08:30:00,08:30:00,,,
  t2,s2,1,08:18:00,08:18:00,,,
  t2,z,2,08:40:00,08:40:00,,,
  t3,h,1,08:25:00,08:25:00,,3,
  t3,k,2,,,,,
  t3,z,3,08:50:00,08:50:00,,,2
  t4,z,1,08:52:00,08:52:00,,,
  t4,a,2,09:20:00,09:20:00,,,
  late,s2,1,09:00:00,09:00:00,,,
  late,z,2,09:22:00,09:22:00,,,
  x1,s2,1,08:18:00,08:18:00,,,
  x1,x,2,08:45:00,08:45:00,,,
  x2,s2,1,09:18:00,09:18:00,,,
  x2,x,2,09:45:00,09:45:00,,,
  # shapes.txt
  shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
  w,48.000,16.000,1
  w,48.010,16.020,2
  w,48.020,16.020,3
  w,48.040,16.040,4
  w,48.030,16.060,5
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`;

export const openTripTown = () => openWorld(tripTown);

/** The network at a time after a response of a source received at that time. */
export async function liveTripTown(now: string, update: Partial<SourceUpdate>): Promise<World> {
  const live = await openLiveWorld(await openTripTown());
  live.report('rt', at(now), update);
  return live.at(at(now));
}

// ---- Manual itineraries ------------------------------------------------------------------------

export function findStopRow({ timetable }: World, stopId: string): number {
  const { stopId: ids } = timetable.tables.stops;
  return findRow(ids, stopId);
}

function findRow(ids: { readonly length: number; get(row: number): string }, wanted: string): number {
  for (let row = 0; row < ids.length; row++) if (ids.get(row) === wanted) return row;
  throw new Error(`the timetable holds no "${wanted}"`);
}

const TODAY = toEpochDay(DAY as ServiceDate);

/** A ride on a trip of the day, between two of its calls by position. */
export function rideOn(
  { timetable }: World,
  tripId: string,
  [boardPosition, alightPosition]: readonly [number, number],
  over: Partial<PlannedRide> = {},
): PlannedRide {
  const trip = findRow(timetable.tables.trips.tripId, tripId);
  return { kind: 'ride', trip, addedTrip: -1, day: TODAY, boardPosition, alightPosition, isStaying: false, ...over };
}

/** A walk between stops by id, or places by number. */
export function walkFrom(
  world: World,
  role: PlannedWalk['role'],
  [from, to]: readonly [string | number, string | number],
  over: Partial<PlannedWalk> = {},
): PlannedWalk {
  const stopOf = (end: string | number) => (typeof end === 'string' ? findStopRow(world, end) : -1);
  const placeOf = (end: string | number) => (typeof end === 'string' ? -1 : end);
  return {
    kind: 'walk',
    role,
    fromStop: stopOf(from),
    toStop: stopOf(to),
    fromPlace: placeOf(from),
    toPlace: placeOf(to),
    meters: 0,
    seconds: 0,
    transferSeconds: 0,
    requiredSeconds: over.transferSeconds ?? 0,
    isGuaranteed: false,
    ...over,
  };
}

export interface PresentOptions {
  readonly now?: string;
  readonly places?: readonly Place[];
  readonly walks?: WalkRouter | null;
  readonly wheelchair?: boolean;
  /** Of an itinerary on foot. */
  readonly departure?: string;
}

/** Presents a trip of given parts, and checks it against the published schema and the invariants of trips. */
export async function presentParts(
  { timetable, realtime, references }: World,
  parts: Plan['parts'],
  options: PresentOptions = {},
): Promise<Trip> {
  const { now = '07:00', places = [], walks = null, wheelchair = false } = options;
  const published = { timetable, realtime };
  const departure = options.departure === undefined ? null : instant(at(options.departure));
  const transfers = parts.filter((part) => part.kind === 'walk' && part.role === 'transfer').length;
  const timeline = computeTimeline(published, { parts, departure, transfers }, instant(at(now)));
  const requested = places.map((place, i) => readPlace(timetable, place, `/${i}`));
  const paths = rememberPaths(walks, wheelchair ? 'wheelchair' : 'foot');
  const context = { published, references, places: requested, paths, wheelchair, instant: instant(at(now)) };
  const trip = await presentTrip(context, timeline);
  await expectValidAnswer('Trip', trip);
  return trip;
}

// ---- Trips as text -----------------------------------------------------------------------------

/** `transit 1: Anger 08:00 - Bahnhof 1 08:10`, and other properties of the leg. */
/** Without the seconds of a transfer. */
function describeLeg(leg: Leg): string {
  const { mode, line, origin, destination, transferRisk, attributes, distanceMeters } = leg;
  const end = (place: Leg['origin'], time: Leg['origin']['arrival']) =>
    [place.name, place.platform.text, time && describeTime(time)].filter(Boolean).join(' ');
  const meters = mode === 'transit' || distanceMeters === undefined ? [] : [`${distanceMeters} m`];
  const others = attributes.filter((attribute) => !/^\w*(Seconds|probabilityFrom):/i.test(attribute));
  const details = [...meters, ...(transferRisk ? [transferRisk] : []), ...others];
  const way = `${end(origin, origin.departure)} - ${end(destination, destination.arrival)}`;
  return `${[mode, line?.label].filter(Boolean).join(' ')}: ${way}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}

export const describeLegs = ({ legs }: Trip): string[] => legs.map(describeLeg);
