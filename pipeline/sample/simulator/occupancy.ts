import { type Occupancy, occupancies } from '../../model/occupancy.ts';
import { variation } from '../feed/variation.ts';
import type { SimulatedTrip } from './simulated-state.ts';

/** Rush hours of a service date, and how many hours before and after are busier than usual. */
const RUSH_HOURS = [7.5, 17] as const;
const RUSH_WIDTH_HOURS = 1.5;
/** Load at the busiest stop in quiet hours as a share of the capacity, and how much the rush hour adds. */
const QUIET_SHARE = 0.35;
const RUSH_SHARE = 0.45;
/** Maximum random deviation between trips of the same hour. */
const SPREAD_SHARE = 0.25;

/** From empty to full; the simulated vehicles do not report the other values. */
const steps: readonly Occupancy[] = occupancies.slice(0, occupancies.indexOf('FULL') + 1);

/**
 * The occupancy of a trip's vehicle at the departure from a call: emptier near the ends of the line, fuller in the rush
 * hours. It depends only on the trip and the call, so all answers agree.
 */
export function simulateOccupancy({ tripId, startDate, startTime, calls }: SimulatedTrip, position: number): Occupancy {
  const hour = (startTime / 3600) % 24;
  const rush = Math.max(0, ...RUSH_HOURS.map((at) => 1 - Math.abs(hour - at) / RUSH_WIDTH_HOURS));
  const along = Math.sin((Math.PI * (position + 1)) / calls.length);
  const spread = SPREAD_SHARE * (2 * variation(0, `occupancy ${tripId} ${startDate} ${startTime}`) - 1);
  const share = along * (QUIET_SHARE + RUSH_SHARE * rush + spread);
  return steps[Math.max(0, Math.min(steps.length - 1, Math.floor(share * steps.length)))]!;
}
