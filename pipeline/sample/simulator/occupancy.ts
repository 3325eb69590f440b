import { type Occupancy, occupancies } from '../../model/occupancy.ts';
import { variation } from '../feed/variation.ts';
import type { SimulatedTrip } from './simulated-state.ts';

/** Hours of a service day with the most passengers, and for how many hours around them there are more. */
const RUSH_HOURS = [7.5, 17] as const;
const RUSH_WIDTH_HOURS = 1.5;
/** Share of the capacity at the fullest stop in quiet hours, and how much more in the rush hour. */
const QUIET_SHARE = 0.35;
const RUSH_SHARE = 0.45;
/** Largest share by which trips of one hour differ. */
const SPREAD_SHARE = 0.25;

/** From empty to full; the others are exceptions that the made-up vehicles do not report. */
const steps: readonly Occupancy[] = occupancies.slice(0, occupancies.indexOf('FULL') + 1);

/**
 * How full the vehicle of a trip departs from a call: emptier near the ends of the line, fuller in the rush hours. It
 * depends on the trip alone, so all answers agree.
 */
export function simulateOccupancy({ tripId, startDate, startTime, calls }: SimulatedTrip, position: number): Occupancy {
  const hour = (startTime / 3600) % 24;
  const rush = Math.max(0, ...RUSH_HOURS.map((at) => 1 - Math.abs(hour - at) / RUSH_WIDTH_HOURS));
  const along = Math.sin((Math.PI * (position + 1)) / calls.length);
  const spread = SPREAD_SHARE * (2 * variation(0, `occupancy ${tripId} ${startDate} ${startTime}`) - 1);
  const share = along * (QUIET_SHARE + RUSH_SHARE * rush + spread);
  return steps[Math.max(0, Math.min(steps.length - 1, Math.floor(share * steps.length)))]!;
}
