import type { WalkableStop } from '../planner/itinerary.ts';
import type { Bag } from '../planner/label-bag.ts';
import type { RouteView } from '../planner/route-view.ts';
import type { ReportedEvent } from '../predictions/recent-delays.ts';
import type { FindTransferChance } from '../predictions/transfer-chances.ts';
import type { BoardableRoute, RideNetwork } from './boardings.ts';
import { type Chance, type Priors, toChance } from './chances.ts';
import type { MinuteQueue } from './minute-queue.ts';
import type { ReadyLabel, RideRank } from './ride-ranks.ts';
import { type Criteria, toDecisionStep, type Undominated, weighAtLeast } from './undominated.ts';

/** A ride on a dated trip, from where it is boarded to wherever it is left. */
export interface OptionRide extends RideRank {
  readonly kind: 'ride';
  readonly route: number;
  /** That all transfers so far are made. */
  readonly chance: Chance;
  /** When the option had to be chosen; `UNDECIDED` while the traveller has not left the vehicle of the start. */
  readonly decideBy: number;
  readonly entry: RideEntry;
  /** Lower bound of the arrival at the destination. */
  readonly earliestEnd: number;
}

/** How a ride is entered: at the start, by a way from the start, by a transfer, or by staying on board. */
type RideEntry =
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

// The steps of the search. `earliestEnd` is a lower bound of the arrival at the destination, as if all further transfers
// were made.

/** Leaving a vehicle for others. */
export interface Exit {
  readonly kind: 'exit';
  readonly after: Alighting;
  readonly decideBy: number;
  readonly earliestEnd: number;
}

/** One of the transfers from there. */
export interface OptionTransfer {
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
  readonly earliestEnd: number;
}

/** Boarding a vehicle of a route after it, or a later one. */
export interface Boarding {
  readonly kind: 'boarding';
  readonly transfer: OptionTransfer;
  readonly at: BoardableRoute;
  readonly index: number;
  readonly earliestEnd: number;
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

// ---- Rides -------------------------------------------------------------------------------------

type RideStart = Pick<OptionRide, 'index' | 'from' | 'earliestEnd'>;
type RideLabel = Pick<OptionRide, 'chance' | 'decideBy' | 'rideCount'>;

export function toRide(
  { network }: OptionSearch,
  view: RouteView,
  at: RideStart,
  label: RideLabel,
  entry: RideEntry,
): OptionRide {
  return {
    kind: 'ride',
    route: view.route,
    ...at,
    ...label,
    entry,
    grade: label.chance.grade,
    isKnown: label.chance.isKnown,
    decisionStep: toDecisionStep(label.decideBy),
    mayContinue: mayContinue(network, view),
  };
}

/** Adds a ride on the vehicle in `boardView`. */
export function addRide(search: OptionSearch, at: RideStart, label: RideLabel, entry: RideEntry): void {
  if (search.found.isBeaten(at.earliestEnd, label.chance, label.decideBy)) return;
  enqueue(search, toRide(search, search.boardView, at, label, entry));
}

/** Puts a ride on the queue, unless another one dominates it. */
export function enqueue(search: OptionSearch, ride: OptionRide): void {
  if (search.rides.add(ride.route, ride)) enqueueStep(search, ride, ride.grade);
}

/** @param grade of the chance so far */
export function enqueueStep({ queue, start }: OptionSearch, step: Step, grade: number): void {
  queue.push(toMinute(start, step.earliestEnd, grade), step);
}

/** Minutes from now to the least weight that an option may have. */
export function toMinute({ now }: Start, earliestEnd: number, grade: number): number {
  return Math.floor((weighAtLeast(earliestEnd, grade) - now) / 60);
}

/** Whether trips of a route continue as others. A pattern of realtime may have been one whose trips do. */
export function mayContinue({ timetable, task }: RideNetwork, { isExtraPattern, pattern }: RouteView): boolean {
  if (timetable.tables.continuations.fromTrip.length === 0) return false;
  return isExtraPattern || task.direction.hasContinuation[pattern] === 1;
}
