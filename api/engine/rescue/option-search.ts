import type { WalkableStop } from '../planner/itinerary.ts';
import type { Bag } from '../planner/label-bag.ts';
import type { RouteView } from '../planner/route-view.ts';
import type { ReportedEvent } from '../predictions/recent-delays.ts';
import type { FindTransferChance } from '../predictions/transfer-chances.ts';
import type { BoardableRoute, RideNetwork } from './boardings.ts';
import { type Chance, type Priors, toChance } from './chances.ts';
import type { MinuteQueue } from './minute-queue.ts';
import type { ReadyLabel, RideRank } from './ride-ranks.ts';
import type { Criteria, Undominated } from './undominated.ts';

/** A ride on a dated trip, from where it is boarded to wherever it is left. */
export interface OptionRide extends RideRank, StepEnds {
  readonly kind: 'ride';
  readonly route: number;
  /** That all transfers so far are made. */
  readonly chance: Chance;
  /** When the option had to be chosen; `UNDECIDED` while the traveller has not left the vehicle of the start. */
  readonly decideBy: number;
  readonly entry: RideEntry;
}

/** How a ride is entered: at the start, by a way from the start, by a transfer, or by staying on board. */
export type RideEntry =
  | { readonly kind: 'start' }
  | { readonly kind: 'gate'; readonly gate: StartGate }
  | { readonly kind: 'transfer'; readonly transfer: number; readonly after: Alighting }
  | { readonly kind: 'staying'; readonly after: Alighting };

/** Where a ride is left. */
export interface Alighting {
  readonly ride: OptionRide;
  readonly position: number;
  readonly place: number;
  readonly time: number;
}

/** A transfer place that the traveller reaches on foot from where he is. */
export interface StartGate {
  readonly place: number;
  /** From then on a vehicle can be boarded there. */
  readonly ready: number;
  /** How long before a departure the traveller has to set out, and how far he walks. */
  readonly walkSeconds: number;
  readonly meters: number;
  /** The on-demand ride to it; absent if on foot. */
  readonly ride?: WalkableStop;
}

/** Where the traveller is. Times from the base of the routes. */
export interface Start {
  readonly now: number;
  /** The vehicle that the traveller is on: `position` is the last call it has left. */
  readonly aboard: { readonly route: number; readonly index: number; readonly position: number } | null;
  /** Otherwise: where a vehicle can be boarded, and how long the direct walk takes; null where it is too far. */
  readonly gates: readonly StartGate[];
  readonly walkSeconds: number | null;
}

/** A way to the destination. */
export interface FoundOption extends Criteria {
  /** Where the last ride is left; null for a walk all the way. */
  readonly last: Alighting | null;
}

export const UNDECIDED = Number.POSITIVE_INFINITY;

// ---- Steps -------------------------------------------------------------------------------------

/** Arrivals at the destination that a step may lead to, as if all further transfers were made. */
interface StepEnds {
  /** Lower bound; it rises as the search back from the destination goes on. */
  earliestEnd: number;
  /** As if no further vehicle had to be waited for: of equal steps, the one that is closer to the destination is next. */
  readonly leastEnd: number;
}

/** Leaving a vehicle for others. */
export interface Exit extends StepEnds {
  readonly kind: 'exit';
  readonly after: Alighting;
  readonly decideBy: number;
}

/** One of the transfers from there. */
export interface OptionTransfer extends StepEnds {
  readonly kind: 'transfer';
  readonly exit: Exit;
  readonly row: number;
  readonly place: number;
  /** From then on a vehicle can be boarded there. */
  readonly ready: number;
  /** Of the vehicle that is left. */
  readonly arrival: ReportedEvent;
  /** By which the chance is estimated. */
  readonly neededSeconds: number;
}

/** Boarding a vehicle of a route after it, or a later one. */
export interface Boarding extends StepEnds {
  readonly kind: 'boarding';
  readonly transfer: OptionTransfer;
  readonly at: BoardableRoute;
  readonly index: number;
  readonly departure: number;
}

export type Step = OptionRide | Exit | OptionTransfer | Boarding;

/** Expected times of vehicles, and chances of transfers between them. */
export interface Estimates {
  readonly findChance: FindTransferChance;
  /** Chances of transfers that have no estimate. */
  readonly priors: Priors;
  /** An arrival or departure of a dated trip, as estimates take it. */
  readonly getExpectedEvent: FindReportedEvent;
}

export interface OptionSearch extends Estimates {
  readonly network: RideNetwork;
  readonly start: Start;
  readonly found: Undominated<FoundOption>;
  /** By route: rides that no other ride in it dominates. */
  readonly rides: Bag<number, OptionRide, RideRank>;
  /** By transfer place: since when a vehicle can be boarded there, as far as no other way there dominates. */
  readonly ready: Bag<number, ReadyLabel>;
  /** By the least weight that an option with them may have, in minutes from now. */
  readonly queue: MinuteQueue<Step>;
  /** Steps whose arrivals the search back has not come to yet. */
  readonly later: Step[];
  readonly isSpent: () => boolean;
  /** For the vehicles that are boarded; each is opened, read and left before the next. */
  readonly boardView: RouteView;
  scansUntilCheck: number;
}

export type FindReportedEvent = (
  view: RouteView,
  index: number,
  position: number,
  event: 'arrival' | 'departure',
) => ReportedEvent;

/** The chance to catch the vehicle in `boardView`. */
export function judgeTransfer(
  search: OptionSearch,
  arrival: ReportedEvent,
  departure: ReportedEvent,
  seconds: number,
): Chance {
  const { findChance, priors, boardView, network } = search;
  const product = getProduct(network, boardView);
  const spare = departure.expected - arrival.expected - seconds;
  const found = findChance(arrival, departure, seconds);
  if (found?.estimate) priors.note(product, spare, found.estimate.probability);
  return toChance(found, () => priors.expect(product, spare));
}

/** @returns -1 for a trip that realtime has added */
function getProduct({ timetable: { tables } }: RideNetwork, { pattern, isExtraPattern }: RouteView): number {
  return isExtraPattern ? -1 : tables.routes.product[tables.patterns.route[pattern]!]!;
}
