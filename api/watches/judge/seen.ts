import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { RescueResult } from '../../contract/definitions.ts';
import type { ChangeState } from '../watch.ts';

/** A disruption that concerns a watch at a moment. */
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

/** What realtime says of one leg at a moment. */
export interface SeenLeg {
  readonly journeyRef: string;
  /** "S1 nach Gänserndorf". */
  readonly name: string;
  readonly isRail: boolean;
  readonly from: string;
  readonly to: string;
  readonly departure: SeenTime;
  readonly arrival: SeenTime;
  readonly hasDeparted: boolean;
  /** Over for its passengers: nothing of it is told any more. */
  readonly isOver: boolean;
  readonly isCancelled: boolean;
  /** The additional trip that runs instead: "ICE nach Eiche um 12:05"; null without one. */
  readonly substitute: string | null;
  /** Of departure. */
  readonly plannedPlatform: string | null;
  readonly platform: string | null;
  /** The change before it; null where nothing can be said. */
  readonly change: ChangeState | null;
}

/** What is seen of the trip of a watch at a moment. */
export interface SeenTrip {
  readonly state: RescueResult['state'];
  readonly legs: readonly SeenLeg[];
  /** null without realtime: then nothing is known of disruptions. */
  readonly disruptions: readonly SeenDisruption[] | null;
}
