import type { Occupancy } from '../../model/occupancy.ts';
import { listOf, type MgateObject, numberOf, objectOf, textOf } from './mgate-answer.ts';

/**
 * Loads that endpoints send: 1 to 4 for trains (low to exceptionally high, which is booked out), 11 to 13 for city
 * transport (low, medium, high); 0 and an absent number mean unknown. Of the recorded answers, only those of DB and BVG
 * have loads.
 */
const occupancyByLoad: Readonly<Record<number, Occupancy>> = {
  1: 'MANY_SEATS_AVAILABLE',
  2: 'FEW_SEATS_AVAILABLE',
  3: 'STANDING_ROOM_ONLY',
  4: 'FULL',
  11: 'MANY_SEATS_AVAILABLE',
  12: 'FEW_SEATS_AVAILABLE',
  13: 'STANDING_ROOM_ONLY',
};

/** An entry of `tcocL`: how full one class of a vehicle is. */
export interface HafasLoad {
  readonly isSecondClass: boolean;
  /** `null` if unknown. */
  readonly occupancy: Occupancy | null;
}

/**
 * Parses an entry; realtime ranks before the forecast.
 * @throws RangeError for a number that is not known
 */
export function parseLoad({ c, r, rRT }: MgateObject): HafasLoad {
  const load = numberOf(rRT) ?? numberOf(r) ?? 0;
  const occupancy = occupancyByLoad[load] ?? null;
  if (load !== 0 && occupancy === null) throw new RangeError(`load ${load} is not known`);
  return { isSecondClass: textOf(c) === 'SECOND', occupancy };
}

/** Forecast of the occupancy at the departure from a call; that of the second class if classes differ. */
export function findOccupancy(
  { dTrnCmpSX }: MgateObject,
  { findLoad }: { findLoad(index: unknown): HafasLoad | null },
): Occupancy | null {
  const loads = listOf(objectOf(dTrnCmpSX).tcocX)
    .map(findLoad)
    .filter((load) => load !== null);
  const load = loads.find(({ isSecondClass }) => isSecondClass) ?? loads[0];
  return load?.occupancy ?? null;
}
