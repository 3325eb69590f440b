import { createHash } from 'node:crypto';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Cancellation, Leg, Notice, Trip } from '../../contract/definitions.ts';
import { findFares } from '../fares/find-fares.ts';
import { listOtherRides } from '../fares/other-rides.ts';
import type { VehicleUse } from '../planner/itinerary.ts';
import { presentEventTime } from '../read/event-times.ts';
import type { Published } from '../read/realtime.ts';
import type { References } from '../read/references.ts';
import { getStopId } from '../read/stop-ids.ts';
import type { Timetable } from '../read/timetable.ts';
import type { SharingPlace } from '../sharing/open-sharing.ts';
import { listLiftAttributes } from './lift-outages.ts';
import type { RequestedPlace } from './places.ts';
import { presentMeetingRide } from './present-meeting-ride.ts';
import { getRide } from './present-on-demand.ts';
import { presentRide } from './present-ride.ts';
import { presentSharedRide } from './present-shared-ride.ts';
import { type Neighbours, presentWait, presentWalk, type WalkContext } from './present-walk.ts';
import { getAlighting, getBoarding, type Run } from './run.ts';
import { isNoStep, type TimedPart, type TimedRide, type TimedWalk, type Timeline } from './timeline.ts';
import type { WalkPaths } from './walk-paths.ts';

/** Raise when equal ids would no longer mean equal trips. */
const FORMAT = 1;

/**
 * Id of a trip, from its rides and their ends and from no time that may change: it is the same in every answer. A
 * direct way uses its begin. Ways by bicycle and car count, walks do not.
 */
function nameTrip(timetable: Timetable, places: readonly RequestedPlace[], { parts, begin }: Timeline): string {
  const rides = parts.flatMap((part) => (part.kind === 'ride' ? [listRide(timetable, part.run)] : []));
  const ends = places.map(({ shown }) => shown.id);
  const steps = parts.filter((part) => part.kind === 'ride' || !isNoStep(part.walk));
  const vehicles = steps.flatMap((part, i) => {
    if (part.kind === 'ride') return [];
    const { vehicle, onDemand } = part.walk;
    if (onDemand) return [[i, timetable.tables.onDemandTrips.tripId.get(getRide(onDemand, part.begin.expected).trip)]];
    return vehicle ? [[i, nameVehicle(vehicle)]] : [];
  });
  const content = [FORMAT, ends, rides, ...(rides.length === 0 ? [begin.scheduled] : []), ...vehicles];
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
}

/** Where a shared bicycle is rented and returned. */
function nameVehicle({ vehicle, shared }: VehicleUse): unknown {
  if (shared === undefined) return vehicle.mode;
  const nameOf = ({ station, point }: SharingPlace) => station?.id ?? [point.lat, point.lon];
  return [vehicle.mode, nameOf(shared.from), nameOf(shared.to)];
}

function listRide(timetable: Timetable, { view: { tripKey }, ride, calls }: Run): unknown[] {
  const { day, boardPosition, alightPosition } = ride;
  const stops = [calls[0]!, calls.at(-1)!].map(({ stop, stopName }) =>
    stop >= 0 ? getStopId(timetable, stop) : stopName,
  );
  return [tripKey.toString(16), day, boardPosition, alightPosition, ...stops];
}

export interface TripContext {
  readonly published: Published;
  readonly references: References;
  /** The places that walks refer to by number; empty where all walks are between stops. */
  readonly places: readonly RequestedPlace[];
  readonly paths: WalkPaths;
  readonly wheelchair: boolean;
  /** Now: decides which bookings are closed. */
  readonly instant: Instant;
  /** Whether a bicycle is taken along; absent: no. */
  readonly withBike?: boolean;
}

/** A trip in the format of the contract. */
export async function presentTrip(context: TripContext, timeline: Timeline): Promise<Trip> {
  const legs = await presentLegsOf(context, timeline.parts);
  return {
    id: nameTrip(context.published.timetable, context.places, timeline),
    legs,
    departure: presentEventTime(timeline.begin),
    arrival: presentEventTime(timeline.end),
    transfers: timeline.transfers,
    cancellation: sumCancellations(legs),
    notices: listNotices(legs),
    attributes: listCautions(legs),
    fares: listFares(context.published, timeline.parts),
  };
}

// ---- Legs --------------------------------------------------------------------------------------

/** A wait of at least this length gets a separate leg. */
const WAIT_SECONDS = 900;

async function presentLegsOf(context: TripContext, all: readonly TimedPart[]): Promise<Leg[]> {
  const { published, places, paths } = context;
  const { instant, wheelchair } = context;
  const walkContext: WalkContext = { timetable: published.timetable, places, paths, instant, wheelchair };
  const parts = all.filter((part) => part.kind === 'ride' || !isNoStep(part.walk));
  const legs: Leg[] = [];
  for (const [i, part] of parts.entries()) {
    const [before, after] = [parts[i - 1], parts[i + 1]];
    if (before && isWaited(before, part)) legs.push(presentWait(walkContext, before, part));
    const shown =
      part.kind === 'ride' ? [presentRide(context, part)] : await presentWay(walkContext, part, { before, after });
    legs.push(...withLifts(shown, part, listLiftAttributes(published, all, all.indexOf(part))));
  }
  return legs;
}

/** Put on the leg next to the station: the last access leg, or the first egress leg. */
function withLifts(legs: readonly Leg[], part: TimedPart, lifts: readonly string[]): readonly Leg[] {
  if (lifts.length === 0) return legs;
  const marked = part.kind === 'walk' && part.walk.role === 'egress' ? 0 : legs.length - 1;
  return legs.map((leg, i) => (i === marked ? { ...leg, attributes: [...leg.attributes, ...lifts] } : leg));
}

async function presentWay(context: WalkContext, part: TimedWalk, beside: Neighbours): Promise<Leg[]> {
  const { vehicle, onDemand } = part.walk;
  if (onDemand?.walkBefore || onDemand?.walkAfter) return presentMeetingRide(context, part, onDemand, beside);
  if (vehicle?.shared === undefined) return [await presentWalk(context, part, beside)];
  return presentSharedRide(context, part, { vehicle: vehicle.vehicle, shared: vehicle.shared }, beside);
}

/** Passengers who stay on board do not wait. */
function isWaited(before: TimedPart, next: TimedPart): boolean {
  const isSeated = next.kind === 'ride' && next.isStaying;
  return !isSeated && next.begin.expected - before.end.expected >= WAIT_SECONDS;
}

// ---- The trip as a whole -----------------------------------------------------------------------

function sumCancellations(legs: readonly Leg[]): Cancellation {
  const rides = legs.filter(({ mode }) => mode === 'transit').map(({ cancellation }) => cancellation);
  const fullyCancelled = rides.length > 0 && rides.every((ride) => ride.fullyCancelled);
  const isTouched = rides.some((ride) => ride.fullyCancelled || ride.partiallyCancelled);
  const note = rides.find((ride) => ride.note !== undefined)?.note;
  return { fullyCancelled, partiallyCancelled: isTouched && !fullyCancelled, ...(note === undefined ? {} : { note }) };
}

function listNotices(legs: readonly Leg[]): Notice[] {
  const byId = new Map(legs.flatMap(({ notices }) => notices.map((notice) => [notice.id, notice] as const)));
  return [...byId.values()];
}

/** Attributes of legs that also make the whole trip uncertain. */
const cautions = [
  'onDemand:yes',
  'time:headway',
  'time:interpolated',
  'walk:straightLine',
  'wheelchair:unknown',
  'stopWheelchair:unknown',
  'bikes:unknown',
];

function listCautions(legs: readonly Leg[]): string[] {
  return cautions.filter((caution) => legs.some(({ attributes }) => attributes.includes(caution)));
}

/** A delay does not change prices. */
function listFares(published: Published, parts: readonly TimedPart[]): Trip['fares'] {
  const rides = parts.filter((part): part is TimedRide => part.kind === 'ride');
  // Fares of on-demand rides are unknown.
  const isWhole = parts.every((part) => part.kind === 'ride' || !part.walk.onDemand);
  if (rides.length === 0 || !isWhole) return [];
  return findFares(
    published.timetable,
    rides.map(({ run, isStaying }) => ({
      trip: run.ride.trip,
      route: run.view.route,
      stops: run.calls.map(({ stop }) => stop),
      departure: getBoarding(run).departure.scheduled,
      arrival: getAlighting(run).arrival.scheduled,
      isStaying,
      listOthers: () =>
        listOtherRides(
          published.timetable.tables,
          run.ride.trip,
          run.ride.day,
          run.calls.map(({ stop }) => stop),
        ),
    })),
  );
}
