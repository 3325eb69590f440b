import type { Instant } from '../../pipeline/model/service-time.ts';

/** @see specification, Limits: entries of vehicles are at most eight minutes old */
export const VEHICLE_MAX_AGE_SECONDS = 8 * 60;

/** Whether a position is young enough to be shown. */
export function isRecent(observedAt: number, moment: Instant): boolean {
  return moment - observedAt <= VEHICLE_MAX_AGE_SECONDS;
}
