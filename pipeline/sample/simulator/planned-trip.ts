import type { Instant, ServiceDate } from '../../model/service-time.ts';
import type { TimedCall } from '../feed/running-times.ts';
import type { SimulatedLine } from './network.ts';

/** A dated trip with its random disruptions. Seconds of the service day. */
export interface PlannedTrip {
  /** Unique among the dated trips of all days. */
  readonly key: string;
  readonly tripId: string;
  readonly date: ServiceDate;
  /** Start of the service date. */
  readonly dayStart: Instant;
  readonly line: SimulatedLine;
  readonly shortName: string | null;
  readonly startSeconds: number;
  /** One per call, relative to `startSeconds`. */
  readonly times: readonly TimedCall[];
  readonly isAdded: boolean;
  /** When the cancellation becomes known; null for a trip that runs. */
  readonly cancelledAt: number | null;
  /** The data of the whole trip are lost. */
  readonly isDataLost: boolean;
  /** Null for a vehicle without positions. */
  readonly vehicleId: string | null;
}

export function plannedEnd(datedTrip: PlannedTrip): number {
  return datedTrip.startSeconds + datedTrip.times.at(-1)!.arrivalSeconds;
}
