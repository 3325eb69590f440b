import type { EpochDay } from './service-time.ts';

/** A dated trip of the timetable under way, with what a source has observed of it so far. Moments are UTC seconds. */
export interface ObservedRun {
  /** As `trips.key` of the timetable. */
  readonly tripKey: bigint;
  readonly day: EpochDay;
  readonly tripId: string;
  readonly routeId: string;
  /** When it is to leave: seconds from the midnight of its service day, as local clocks show it. */
  readonly departureOfDay: number;
  /** By position, as are all that follow. */
  readonly stopIds: readonly string[];
  readonly scheduledArrival: Float64Array;
  readonly scheduledDeparture: Float64Array;
  /** NaN where nothing was observed, or the call is cancelled. */
  readonly arrival: Float64Array;
  readonly departure: Float64Array;
  /** 1 where a vehicle was seen there; else it was told. */
  readonly isFromPosition: Uint8Array;
}
