import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { RescueResult } from '../../contract/definitions.ts';
import type { Substitute } from '../../engine/alerts/trip-notices.ts';
import type { TransferState } from '../watch.ts';

/** A disruption that concerns a watch at an instant. */
export interface SeenDisruption {
  readonly id: string;
  readonly title: string;
  /** The first leg that it is about; absent on watched lines. */
  readonly journeyRef?: string;
}

/** A planned time and what is expected now. */
export interface SeenTime {
  readonly scheduled: Instant;
  readonly expected: Instant;
  /** Whether anything is known of it. */
  readonly isLive: boolean;
}

/** A trip as riders name it: its line, and the text on the vehicle, empty when unknown. */
export interface NamedTrip {
  readonly label: string;
  readonly direction: string;
}

/** Why a traveller cannot ride as planned, with the stops that it is about. */
export type SeenCancellation =
  | { readonly kind: 'trip' }
  /** Another trip runs instead; null where it is not between the two stops. */
  | { readonly kind: 'replaced'; readonly substitute: Substitute | null }
  /** The vehicle ends its trip before the traveller has arrived, perhaps before the boarding stop. */
  | { readonly kind: 'endsEarly'; readonly unserved: string; readonly endsAt: string }
  | { readonly kind: 'beginsLate'; readonly beginsAt: string }
  /** The vehicle passes the stop. `next` and `last`: served stops after and before it, null without one. */
  | { readonly kind: 'skipsOrigin'; readonly next: string | null }
  | { readonly kind: 'skipsDestination'; readonly last: string | null; readonly next: string | null }
  /** The vehicle stops, but nobody may board or alight. */
  | { readonly kind: 'noBoarding' }
  | { readonly kind: 'noAlighting' }
  /** The vehicle does not continue as the trip for which passengers would stay on board. */
  | { readonly kind: 'endsBetween'; readonly endsAt: string; readonly continuation: NamedTrip };

/** What realtime says, at an instant, of one vehicle that is boarded once: a leg, or several with passengers on board. */
export interface SeenLeg {
  /** Its first leg among those of the watch, from 0. */
  readonly leg: number;
  /** Of the trip that is boarded, and of the one that is left. */
  readonly journeyRef: string;
  readonly lastJourneyRef: string;
  readonly trip: NamedTrip;
  readonly isRail: boolean;
  readonly from: string;
  readonly to: string;
  readonly departure: SeenTime;
  readonly arrival: SeenTime;
  readonly hasDeparted: boolean;
  /** Over for its passengers: no event of it follows. */
  readonly isOver: boolean;
  /** null: it can be ridden. */
  readonly cancellation: SeenCancellation | null;
  /** Stops between the two ends where it does not call, in travel order. */
  readonly skipped: readonly string[];
  /** Of departure. */
  readonly plannedPlatform: string | null;
  readonly platform: string | null;
  /** The transfer before it; null if it cannot be judged. */
  readonly change: TransferState | null;
  /** Probability that the change is made; null when unknown. */
  readonly chance: number | null;
}

/** What is seen of the trip of a watch at an instant. */
export interface SeenTrip {
  readonly state: RescueResult['state'];
  /** When the realtime snapshot was made: two of them are two polls. */
  readonly polledAt: Instant;
  readonly legs: readonly SeenLeg[];
  /** null without realtime: then nothing is known of disruptions. */
  readonly disruptions: readonly SeenDisruption[] | null;
}
