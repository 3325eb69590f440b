import type { Occupancy } from './occupancy.ts';
import type { EpochDay, Instant, ServiceDate, ServiceTime } from './service-time.ts';

export const callEvents = ['arrival', 'departure'] as const;
/** The two events of a call. */
export type CallEvent = (typeof callEvents)[number];

/**
 * Evidence for a time, weakest first: none, a forecast, or the publisher's report that it happened.
 * @see decisions, section 5: a forecast does not become an observation because time passed
 */
export const evidences = ['unknown', 'forecast', 'observed_actual'] as const;

type Evidence = (typeof evidences)[number];

/** Positions in `evidences`: how the realtime memory, its snapshot and the journal of the lake store them. */
export const UNKNOWN = evidences.indexOf('unknown');
export const FORECAST = evidences.indexOf('forecast');
export const OBSERVED = evidences.indexOf('observed_actual');

/**
 * Where a shown time comes from: the evidence of a source for this very event, the delay of an earlier event that is
 * carried to it, or our own prediction. Carried and predicted times are forecasts that no source reported.
 */
export const prognoses = [...evidences, 'carried', 'predicted'] as const;

export type Prognosis = (typeof prognoses)[number];

/** Positions in `prognoses`, beside those of `evidences`. */
export const CARRIED = prognoses.indexOf('carried');
export const PREDICTED = prognoses.indexOf('predicted');

/**
 * The lake keeps an observation open this long after its time: by then the trip is over and no longer reported, and its
 * emitted values are dropped.
 */
export const OBSERVATION_OPEN_SECONDS = 12 * 3600;

/**
 * One event of one call as a source explicitly reported it; a time propagated from another call's delay is not an
 * observation. Its key within a source is dated trip, position, event and channel.
 */
export interface CallObservation {
  /** `trips.key` of the timetable, or of the added trip. */
  readonly tripKey: bigint;
  readonly day: EpochDay;
  readonly tripId: string;
  readonly routeId: string | null;
  readonly lineLabel: string | null;
  /** Position in the trip, from 0. */
  readonly position: number;
  readonly stopId: string;
  readonly event: CallEvent;
  /** `positions`: a vehicle was seen standing there, or passed it between two of its positions. */
  readonly channel: 'stop_events' | 'positions';
  readonly scheduledTime: Instant | null;
  /**
   * Forecast or observed; null with evidence `unknown` and for cancelled events, except for a time that is derived from
   * positions and too uncertain to count.
   */
  readonly time: Instant | null;
  readonly evidence: Evidence;
  /** By explicit report, of the trip or of the call. */
  readonly isCancelled: boolean;
  /** Announced platform; null when none is announced. */
  readonly platform: string | null;
  /** Largest error of a time that is derived from positions; null for a time that the source reported. */
  readonly uncertaintySeconds: number | null;
  /** How full the vehicle departs; only on departures, `null` if not reported. */
  readonly occupancy: Occupancy | null;
  /** Time of the publisher's knowledge. */
  readonly recordedAt: Instant | null;
}

/**
 * The dated trip behind a trip id that the timetable lacks, learnt from a report that also identified the trip
 * otherwise; valid for all reports of the source.
 */
export interface ResolvedTrip {
  /** As reported. */
  readonly tripId: string;
  readonly startDate: ServiceDate | null;
  readonly startTime: ServiceTime | null;
  /** The dated trip of the timetable. */
  readonly key: bigint;
  readonly day: EpochDay;
  /** No report of it is expected after this instant. */
  readonly until: Instant;
}

/**
 * Changes made by one answer of a source: whatever it does not name stays as last observed. An answer without changes
 * still confirms what earlier answers of its part reported.
 */
export interface ObservationBatch {
  /** The request of the source that was answered: `SourceRequest.part`. */
  readonly part: string;
  /** Id of the raw answer; with source and day it identifies the stored bytes. */
  readonly rawId: string;
  readonly seenAt: Instant;
  /** New, or different from the previous observation with the same key. */
  readonly observations: readonly CallObservation[];
  /** Dated trips that are missing from this answer: the source no longer reports them. */
  readonly ended: readonly { readonly tripKey: bigint; readonly day: EpochDay }[];
  /** Trip ids that this answer resolved for the first time or differently. */
  readonly resolved: readonly ResolvedTrip[];
}
