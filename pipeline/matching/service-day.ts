import type { EpochDay } from '../model/service-time.ts';
import { runsOn } from '../snapshots/contract.ts';
import { callCountOf, dayStartOf, feedOfTrip, sourceOfTrip, type TimetableIndex, timeRow } from './timetable-index.ts';

const SECONDS_PER_DAY = 86_400;

/** Nobody tells of a trip that is further away than this. */
const MAX_DISTANCE_SECONDS = SECONDS_PER_DAY;

/** Of a trip without a date: a moment at which something was told of it, and the call that it was told of. */
export interface ToldMoment {
  readonly moment: number;
  /** -1: of the trip as a whole, which is the nearer the less time lies between the moment and its way. */
  readonly position: number;
}

/** @returns the day on which the trip runs and lies nearest to the moment; why there is none, or more than one */
export function findNearestDay(
  index: TimetableIndex,
  trip: number,
  told: ToldMoment,
): EpochDay | 'not_running' | 'ambiguous' {
  const { tables } = index;
  const service = tables.trips.service[trip]!;
  const middle = Math.floor((told.moment - tables.times.departure[timeRow(tables, trip, 0)]!) / SECONDS_PER_DAY);
  // A trip of several days may be on its way since long ago.
  const daysUnderWay = Math.ceil(lengthOf(index, trip) / SECONDS_PER_DAY);
  let best = -1;
  let bestDistance = MAX_DISTANCE_SECONDS;
  let isTied = false;
  for (let day = middle - daysUnderWay - 1; day <= middle + 1; day++) {
    if (!runsOn(tables, service, day)) continue;
    const distance = distanceFrom(index, trip, day, told);
    if (distance < bestDistance) {
      best = day;
      bestDistance = distance;
      isTied = false;
    } else if (distance === bestDistance) isTied = true;
  }
  if (best < 0) return 'not_running';
  return isTied ? 'ambiguous' : (best as EpochDay);
}

function lengthOf({ tables }: TimetableIndex, trip: number): number {
  const last = timeRow(tables, trip, callCountOf(tables, trip) - 1);
  return tables.times.arrival[last]! - tables.times.departure[timeRow(tables, trip, 0)]!;
}

/** Seconds between the moment and the trip on a day, or the call that the moment belongs to. */
function distanceFrom(index: TimetableIndex, trip: number, day: number, { moment, position }: ToldMoment): number {
  const { tables } = index;
  const start = dayStartOf(index, trip, day);
  if (position >= 0) return Math.abs(start + tables.times.departure[timeRow(tables, trip, position)]! - moment);
  const begin = start + tables.times.departure[timeRow(tables, trip, 0)]!;
  return Math.max(0, begin - moment, moment - (begin + lengthOf(index, trip)));
}

/**
 * Of a trip without a date that several versions of a source hold, the one that is nearest to a moment: each version has
 * days of its own.
 */
export function chooseVersion<Found extends { readonly trip: number; readonly day: number }>(
  index: TimetableIndex,
  found: readonly Found[],
  moment: number,
): readonly Found[] {
  const { tables } = index;
  const distance = ({ trip, day }: Found) => distanceFrom(index, trip, day, { moment, position: -1 });
  const isOtherVersion = (a: Found, b: Found) =>
    sourceOfTrip(tables, a.trip) === sourceOfTrip(tables, b.trip) &&
    feedOfTrip(tables, a.trip) !== feedOfTrip(tables, b.trip);
  return found.filter((one) => !found.some((other) => isOtherVersion(one, other) && distance(other) < distance(one)));
}
