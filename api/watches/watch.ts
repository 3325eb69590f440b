import type { Instant, ServiceDate } from '../../pipeline/model/service-time.ts';
import type { LineWatchRequest, RescueWatchRequest, WatchEvent, WatchState } from '../contract/definitions.ts';
import type { PushTarget } from './outbox.ts';

/** Events of a watch that are kept; older ones are dropped. */
export const MAX_KEPT_EVENTS = 50;

export type WatchKind = 'trip' | 'rescue' | 'line';
export type WatchStatus = WatchState['status'];
/** Language of the texts of events. */
export type WatchLanguage = 'de' | 'en';

/** A leg by values that outlive the snapshots; a leg of `readLegs` as JSON. */
export interface WatchedLeg {
  readonly journeyRef: string;
  /** `JourneyName.tripKey`, decimal. */
  readonly tripKey: string;
  readonly day: number;
  readonly originId: string;
  readonly destinationId: string;
}

interface WatchedTrip {
  /** As requested; null: the end follows from the last arrival. */
  readonly until: Instant | null;
  readonly legs: readonly WatchedLeg[];
  readonly minDelayMinutes: number;
}

/** What is watched, as the store keeps it; without a language: German. */
export type WatchSpec = { readonly language?: WatchLanguage } & WatchedSubject;

type WatchedSubject =
  | ({ readonly kind: 'trip' } & WatchedTrip)
  | ({
      readonly kind: 'rescue';
      readonly to: RescueWatchRequest['to'] | null;
      readonly minSuccessProbability: number;
    } & WatchedTrip)
  | {
      readonly kind: 'line';
      readonly lines: LineWatchRequest['lines'];
      readonly stopIds: readonly string[];
      /** Departures of these lines at these stops in a window on some weekdays; absent to watch disruptions only. */
      readonly repeat?: WatchRepeat;
      readonly minDelayMinutes?: number;
    };

export type WatchRepeat = NonNullable<LineWatchRequest['repeat']>;
export const DEFAULT_MIN_DELAY_MINUTES = 5;

export type TripSpec = Extract<WatchSpec, { legs: unknown }>;
export type LineSpec = Extract<WatchSpec, { kind: 'line' }>;

/** The last emitted value of one subject, and when: prevents repeated and flickering events. */
export interface LastEmitted<Value> {
  readonly value: Value;
  readonly at: Instant;
}

/** Why a leg cannot be ridden as planned; see `SeenCancellation`. */
type CancellationKind =
  | 'trip'
  | 'replaced'
  | 'endsEarly'
  | 'beginsLate'
  | 'skipsOrigin'
  | 'skipsDestination'
  | 'noBoarding'
  | 'noAlighting'
  | 'endsBetween';

export type TransferState = 'safe' | 'atRisk' | 'missed';

/** The last emitted values of one leg; an absent member was never emitted. */
export interface LegMemory {
  /** Minutes; 0: recovered; negative: early. */
  readonly delay?: LastEmitted<number>;
  /** Platform of departure. */
  readonly platform?: LastEmitted<string>;
  /** The kind of cancellation; false: not cancelled; true: cancelled, stored by a version without kinds. */
  readonly cancelled?: LastEmitted<CancellationKind | boolean>;
  /** Stops between its ends where the vehicle does not call, in one text; empty: it calls at all of them. */
  readonly skipped?: LastEmitted<string>;
  /** The change before the leg. */
  readonly change?: LastEmitted<TransferState>;
  /** Poll since which a change that was at risk or missed is all but certain. */
  readonly sureSince?: Instant;
  /** The vehicle has left early: whether it left without the traveller. */
  readonly leftBehind?: boolean;
}

/** A disruption that was emitted and has not ended. */
export interface DisruptionMemory {
  readonly title: string;
  readonly journeyRef?: string;
  /** Since when it has not been published; null while it is. */
  readonly missingSince: Instant | null;
}

/** What a repeated watch has emitted on one date. */
interface OccurrenceMemory {
  readonly date: ServiceDate;
  /** By trip and service date; departures without events are left out. */
  readonly departures: Readonly<Record<string, LegMemory>>;
}

/** Everything that a watch has emitted so far: the next events follow from it and from the current state. */
export interface WatchMemory {
  readonly status: WatchStatus;
  readonly legs: readonly LegMemory[];
  readonly disruptions: Readonly<Record<string, DisruptionMemory>>;
  /** Options are to be looked for, not before this instant; null: nothing to look for. Of rescue watches. */
  readonly optionsDue: Instant | null;
  /** Of a repeated watch while one of its dates is being judged. */
  readonly occurrence?: OccurrenceMemory;
}

/** An event before it has its number, id and time. */
export type NewEvent = Omit<WatchEvent, 'id' | 'at'>;

export interface StoredWatch {
  readonly id: string;
  /** Hash of the installation token; empty without one. */
  readonly owner: string;
  readonly spec: WatchSpec;
  /** Null: events are polled. */
  readonly target: PushTarget | null;
  readonly memory: WatchMemory;
  /** Events so far, those dropped included. */
  readonly eventCount: number;
  readonly expiresAt: Instant;
  /** Number of its last change in the store: no two changes share one, and a later change has a higher one. */
  readonly change: number;
  /** Ended by the app, by its time or by its push service. */
  readonly isRemoved: boolean;
}

export const NOTHING_EMITTED: WatchMemory = { status: 'unknown', legs: [], disruptions: {}, optionsDue: null };
