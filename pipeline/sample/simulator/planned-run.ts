import type { Instant, ServiceDate } from '../../model/service-time.ts';
import type { TimedCall } from '../feed/running-times.ts';
import type { NetworkLine } from './network.ts';

/** A trip on one service date, with what fate has in store for it. Seconds are of the service day. */
export interface PlannedRun {
  /** Names it among all runs of all days. */
  readonly key: string;
  readonly tripId: string;
  readonly date: ServiceDate;
  /** Begin of the service date. */
  readonly dayStart: Instant;
  readonly line: NetworkLine;
  readonly shortName: string | null;
  readonly startSeconds: number;
  /** One per call, counted from `startSeconds`. */
  readonly times: readonly TimedCall[];
  readonly isAdded: boolean;
  /** When it becomes known that it does not run; null for a run that runs. */
  readonly cancelledAt: number | null;
  /** Its data is lost all the way. */
  readonly isSilent: boolean;
  /** Null where the vehicle does not say where it is. */
  readonly vehicleId: string | null;
}

export function plannedEnd(run: PlannedRun): number {
  return run.startSeconds + run.times.at(-1)!.arrivalSeconds;
}
