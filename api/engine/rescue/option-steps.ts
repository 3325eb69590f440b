import { getEnterTime, openRoute, type RouteView } from '../planner/route-view.ts';
import type { RideNetwork } from './boardings.ts';
import { certain, STEPS, toStep } from './chances.ts';
import { MAX_RANK } from './minute-queue.ts';
import {
  type Boarding,
  type Exit,
  type OptionRide,
  type OptionSearch,
  type OptionTransfer,
  type RideEntry,
  type Start,
  type Step,
  UNDECIDED,
} from './option-search.ts';
import { toDecisionStep, weighAtLeast } from './undominated.ts';

// The steps of a search for options, in the order in which they are taken.

/** Puts a step on the queue, or aside until the search back has come to its arrival. */
export function enqueueStep(search: OptionSearch, step: Step): void {
  const { queue, start, later, network } = search;
  if (step.earliestEnd > network.latest.searchedUntil()) {
    later.push(step);
    return;
  }
  const label = getLabel(step);
  queue.push(toMinute(start, step.earliestEnd, label.chance.grade), rankStep(search, step, label), step);
}

/** Takes the next step; undefined if there is none that an option of use may have. */
export function takeStep(search: OptionSearch): Step | undefined {
  const { queue, start, later, found, network } = search;
  const { latest } = network;
  while (later.length > 0) {
    const next = latest.searchedUntil() + 1;
    if (queue.nextMinute() < toMinute(start, next, certain.grade)) break;
    if (found.isBeaten(next, certain, UNDECIDED)) later.length = 0;
    else searchFurther(search);
  }
  return queue.pop();
}

function searchFurther(search: OptionSearch): void {
  const { later, found, network } = search;
  network.latest.extend();
  for (const step of later.splice(0)) {
    const { chance, decideBy } = getLabel(step);
    step.earliestEnd = Math.max(step.earliestEnd, boundEnd(search, step));
    if (step.earliestEnd > network.limit || found.isBeaten(step.earliestEnd, chance, decideBy)) continue;
    enqueueStep(search, step);
  }
}

/** The lower bound of the arrival by what the search back has found since. */
function boundEnd({ network, boardView }: OptionSearch, step: Step): number {
  const { latest, maxRides, timetable, task } = network;
  if (step.kind === 'exit') {
    const { ride, place, time } = step.after;
    // Where no vehicle was boarded yet, the search back has not been.
    return ride.rideCount === 0 ? 0 : latest.boundAlighting(place, time, maxRides - ride.rideCount);
  }
  if (step.kind === 'transfer') {
    return latest.boundBoarding(step.place, step.ready, maxRides - step.exit.after.ride.rideCount);
  }
  if (step.kind === 'boarding') return latest.boundBoarding(step.at.place, step.departure, step.at.maxRides);
  if (step.entry.kind !== 'gate') return 0;
  openRoute(boardView, timetable.tables, task, step.route);
  return latest.boundBoarding(step.entry.gate.place, getEnterTime(boardView, step.index, step.from), maxRides);
}

// ---- Order -------------------------------------------------------------------------------------

/** Minutes from now to the least weight that an option may have. */
export function toMinute({ now }: Start, earliestEnd: number, grade: number): number {
  return Math.floor((weighAtLeast(earliestEnd, grade) - now) / 60);
}

type StepLabel = Pick<OptionRide, 'chance' | 'decideBy'>;

function getLabel(step: Step): StepLabel {
  if (step.kind === 'ride') return step;
  const { after, decideBy } = step.kind === 'exit' ? step : getExit(step);
  return { chance: after.ride.chance, decideBy };
}

function getExit(step: OptionTransfer | Boarding): Exit {
  return step.kind === 'transfer' ? step.exit : step.transfer.exit;
}

const [DECISIONS, PERCENTS, SECONDS] = [512, 128, 2 ** 17];

/**
 * The order of steps with one least weight: by what options are compared by, so that the first of them dominate the
 * others; then by what is exactly better; then the closest to the destination.
 */
function rankStep({ start }: OptionSearch, { leastEnd }: Step, { chance, decideBy }: StepLabel): number {
  const decision = clamp(toDecisionStep(decideBy) - toDecisionStep(start.now), DECISIONS);
  const likelihood = 2 * (STEPS - toStep(chance.grade)) + (chance.isKnown ? 0 : 1);
  const comparable = likelihood * DECISIONS + (DECISIONS - 1 - decision);
  const exact = comparable * PERCENTS + Math.round(100 * (1 - chance.probability));
  return Math.min(MAX_RANK, exact * SECONDS + clamp(leastEnd - start.now, SECONDS));
}

function clamp(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value));
}

// ---- Rides -------------------------------------------------------------------------------------

type RideStart = Pick<OptionRide, 'index' | 'from' | 'earliestEnd' | 'leastEnd'>;
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
  if (search.rides.add(ride.route, ride)) enqueueStep(search, ride);
}

/** Whether trips of a route continue as others. A pattern of realtime may have been one whose trips do. */
export function mayContinue({ timetable, task }: RideNetwork, { isExtraPattern, pattern }: RouteView): boolean {
  if (timetable.tables.continuations.fromTrip.length === 0) return false;
  return isExtraPattern || task.direction.hasContinuation[pattern] === 1;
}
