import { isCoordinate } from '../../../pipeline/model/geo.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { straightWalkMeters } from '../../../pipeline/model/walking.ts';
import type { LegRef } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import { findDatedTrip, isTooLongAgo } from '../journeys/journeys.ts';
import { getCallStop, getStopName, openPlan, openTrip, type TripView } from '../read/dated-trip.ts';
import type { Published } from '../read/realtime.ts';
import type { JourneyName, References } from '../read/references.ts';
import { findStop } from '../read/stop-ids.ts';
import { isPartOf, type Timetable } from '../read/timetable.ts';
import { type DatedRide, getAlighting, getBoarding, openRun } from '../trips/run.ts';

/** The longest walk that a request for trips may include, and so the longest between two legs. */
const MAX_WALK_METERS = 5000;
/** A leg may be planned to depart this long before the previous one arrives: a late vehicle was caught. */
const MAX_CAUGHT_DELAY_SECONDS = 2 * 3600;

/** A leg by values that outlive the snapshots: it can be found again in any later pair. */
export interface NamedLeg {
  readonly journey: JourneyName;
  /** `LegStop.id` of boarding and alighting. */
  readonly originId: string;
  readonly destinationId: string;
}

/** JSON Pointer to the legs in the request body. */
const USUAL_POINTER = '/legs';

/**
 * The rides of a request, checked: each on a journey that runs, from one of its stops to a later one, and each beginning
 * where and when the previous one ends.
 * @throws ApiProblem `unknown_journey`, `journey_expired`, `unknown_stop`, `invalid_body`, with the JSON Pointer of the
 * member
 */
export function readLegs(
  published: Published,
  references: References,
  legs: readonly LegRef[],
  instant: Instant,
  pointer = USUAL_POINTER,
): { readonly rides: DatedRide[]; readonly named: NamedLeg[] } {
  const named = legs.map((leg, i) => ({ ...leg, journey: openReference(references, leg, `${pointer}/${i}`, instant) }));
  const rides = named.map((leg, i) => readLeg(published, leg, `${pointer}/${i}`));
  for (let i = 1; i < rides.length; i++) {
    checkConnection(published, rides[i - 1]!, rides[i]!, `${pointer}/${i}`, instant);
  }
  return { rides, named: named.map(({ journey, originId, destinationId }) => ({ journey, originId, destinationId })) };
}

/** A leg of an earlier request in the present snapshots; null when its trip no longer runs so. */
export function findLeg(published: Published, leg: NamedLeg): DatedRide | null {
  const dated = findDatedTrip(published, leg.journey);
  const found = dated && findRide(openTrip(published, dated), leg);
  return found && found.alight >= 0 ? toRide(dated, found) : null;
}

function openReference(references: References, { journeyRef }: LegRef, leg: string, instant: Instant): JourneyName {
  const at = `${leg}/journeyRef`;
  const journey = references.openJourney(journeyRef);
  if (!journey)
    throw new ApiProblem(
      'unknown_journey',
      'Invalid journey reference. Use one from a current response of this service.',
      at,
    );
  if (isTooLongAgo(journey, instant))
    throw new ApiProblem('journey_expired', 'The journey took place too long ago.', at);
  return journey;
}

function readLeg(published: Published, leg: NamedLeg, pointer: string): DatedRide {
  const dated = findDatedTrip(published, leg.journey);
  if (!dated) {
    throw new ApiProblem('journey_expired', 'The journey is no longer in the timetable.', `${pointer}/journeyRef`);
  }
  const found = findRide(openTrip(published, dated), leg);
  if (!found) throw refuseStop(published.timetable, leg.originId, `${pointer}/originId`);
  if (found.alight < 0) throw refuseStop(published.timetable, leg.destinationId, `${pointer}/destinationId`);
  return toRide(dated, found);
}

interface FoundCalls {
  readonly board: number;
  /** -1 where the trip does not call there after boarding. */
  readonly alight: number;
}

/** Calls of a leg: on a loop trip the first one at the destination after the first one at the origin. */
function findRide(view: TripView, { originId, destinationId }: NamedLeg): FoundCalls | null {
  const board = findCall(view, originId, 0);
  return board < 0 ? null : { board, alight: findCall(view, destinationId, board + 1) };
}

/** First call from a position on at a stop, or at a platform of a station; a stop outside of the timetable by name. */
function findCall(view: TripView, id: string, from: number): number {
  const { timetable } = view.published;
  const stop = findStop(timetable, id);
  for (let position = from; position < view.callCount; position++) {
    const called = getCallStop(view, position);
    const isHere =
      called < 0 || stop === null
        ? called < 0 && getStopName(view, position) === id
        : isPartOf(timetable.tables, called, stop);
    if (isHere) return position;
  }
  return -1;
}

function toRide(
  { trip, addedTrip, day }: Omit<DatedRide, 'boardPosition' | 'alightPosition'>,
  found: FoundCalls,
): DatedRide {
  return { trip, addedTrip, day, boardPosition: found.board, alightPosition: found.alight };
}

function refuseStop(timetable: Timetable, id: string, pointer: string): ApiProblem {
  if (findStop(timetable, id) === null) {
    return new ApiProblem('unknown_stop', 'The timetable has no stop with this id.', pointer);
  }
  const isOrigin = pointer.endsWith('originId');
  const detail = isOrigin
    ? 'The journey does not call at this stop.'
    : 'The journey does not call at this stop after the origin.';
  return new ApiProblem('invalid_body', detail, pointer);
}

// ---- From one leg to the next ------------------------------------------------------------------

/** @throws ApiProblem `invalid_body` when no traveller can take both rides, one after the other */
function checkConnection(
  published: Published,
  before: DatedRide,
  next: DatedRide,
  pointer: string,
  instant: Instant,
): void {
  const [from, to] = [openEnd(published, before, 'alight'), openEnd(published, next, 'board')];
  if (!isWithinWalk(published.timetable, from.stop, to.stop)) {
    const detail = 'The leg does not begin where the previous one ends.';
    throw new ApiProblem('invalid_body', detail, `${pointer}/originId`);
  }
  const leaves = Math.max(to.departure, getBoarding(openRun(published, next, instant)).departure.expected);
  const arrives = Math.min(from.arrival, getAlighting(openRun(published, before, instant)).arrival.expected);
  if (leaves < arrives - MAX_CAUGHT_DELAY_SECONDS) {
    throw new ApiProblem('invalid_body', 'The leg departs long before the previous one arrives.', pointer);
  }
}

function openEnd(published: Published, ride: DatedRide, end: 'board' | 'alight') {
  const view = openTrip(published, ride);
  const position = end === 'board' ? ride.boardPosition : ride.alightPosition;
  return { stop: getCallStop(view, position), ...openPlan(view)(position) };
}

/** True where it cannot be measured: a stop without coordinates, or outside of the timetable. */
function isWithinWalk({ tables }: Timetable, from: number, to: number): boolean {
  if (from < 0 || to < 0) return true;
  const { lat, lon, station } = tables.stops;
  if (station[from] === station[to]) return true;
  if (!isCoordinate(lat[from]!, lon[from]!) || !isCoordinate(lat[to]!, lon[to]!)) return true;
  return straightWalkMeters(lat[from]!, lon[from]!, lat[to]!, lon[to]!) <= MAX_WALK_METERS;
}
