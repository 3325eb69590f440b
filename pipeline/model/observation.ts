import type { EpochDay, Instant, ServiceDate, ServiceTime } from './service-time.ts';

/**
 * What stands behind a time, weakest first: nothing, a forecast, or the publisher's word that it happened.
 * @see decisions, section 5: a forecast never becomes an actual because time passed
 */
export const evidences = ['unknown', 'forecast', 'observed_actual'] as const;

export type Evidence = (typeof evidences)[number];

/** Positions in `evidences`: how the realtime's memory, its snapshot and the journal of the lake write them. */
export const UNKNOWN = evidences.indexOf('unknown');
export const FORECAST = evidences.indexOf('forecast');
export const OBSERVED = evidences.indexOf('observed_actual');

/**
 * The lake keeps a sighting open this long after its time; a trip that is over is spoken of no longer, and what was
 * emitted of it is forgotten then.
 */
export const SIGHTING_OPEN_SECONDS = 12 * 3600;

/**
 * What a source said of one event of one call, explicitly: times that follow from another call's delay are no
 * sightings. Its key within a source is dated trip, position, event and channel.
 */
export interface CallSighting {
  /** `trips.key` of the timetable, or of the added trip. */
  readonly tripKey: bigint;
  readonly day: EpochDay;
  readonly tripId: string;
  readonly routeId: string | null;
  readonly lineLabel: string | null;
  /** Position in the trip, from 0. */
  readonly position: number;
  readonly stopId: string;
  readonly event: 'arrival' | 'departure';
  /** `positions`: a vehicle was seen standing there. */
  readonly channel: 'stop_events' | 'positions';
  readonly scheduledTime: Instant | null;
  /** Forecast or observed; null with evidence `unknown` and for what is cancelled. */
  readonly time: Instant | null;
  readonly evidence: Evidence;
  /** By explicit report, of the trip or of the call. */
  readonly isCancelled: boolean;
  /** Platform as announced; null where nothing was said. */
  readonly platform: string | null;
  /** When the publisher knew. */
  readonly recordedAt: Instant | null;
}

/**
 * What a trip id that the timetable lacks stands for on a day, by a report that named the trip in other ways too: the
 * id holds for all that the source says.
 */
export interface ResolvedTrip {
  /** As reported. */
  readonly tripId: string;
  readonly startDate: ServiceDate | null;
  readonly startTime: ServiceTime | null;
  /** The dated trip of the timetable. */
  readonly key: bigint;
  readonly day: EpochDay;
  /** Nothing is said of it any more after this moment. */
  readonly until: Instant;
}

/**
 * All that one answer of a source changed: what is not named stays as it was last seen. An answer that changes nothing
 * still confirms what earlier answers of its part said.
 */
export interface ObservationBatch {
  /** Which request of the source was answered: `SourceRequest.part`. */
  readonly part: string;
  /** Name of the raw answer behind it: source, day and file lead to the bytes. */
  readonly rawId: string;
  readonly seenAt: Instant;
  /** New, or different from the sighting before of the same key. */
  readonly sightings: readonly CallSighting[];
  /** Dated trips of which the source no longer says anything: nothing of them was seen in this answer. */
  readonly ended: readonly { readonly tripKey: bigint; readonly day: EpochDay }[];
  /** Trip ids that stand for something else than before this answer. */
  readonly resolved: readonly ResolvedTrip[];
}
