import { findReach, mayAlight, type NaivePlace, type NaivePlanQuery, plainQuestion } from './naive-plan-places.ts';
import type { NaiveNetwork, NaiveRun } from './naive-plan-runs.ts';
import { endOf } from './naive-plan-search.ts';
import { findTransfer, listNear, walkingSeconds } from './naive-plan-transfers.ts';
import { startOfDay } from './naive-timetable.ts';

// Tries every departure, one after the other. Shares only the types of its results with the rescue.

export interface NaiveRescue {
  readonly now: number;
  /** On a run that has left one of its calls, or else at a place. */
  readonly at: { readonly run: NaiveRun; readonly place: number } | NaivePlace;
  readonly to: NaivePlace;
  readonly maxRides: number;
  /** null if nothing is known. */
  readonly estimate: (arrival: number, departure: number, walkSeconds: number) => NaiveChance | null;
  /** Replaces unknown probabilities. */
  readonly priorSteps: number;
  /** Of a guaranteed transfer; default: certain. */
  readonly guaranteedSteps?: number;
}

export interface NaiveChance {
  /** Of five percent. */
  readonly steps: number;
  /** Whether it may be shown. */
  readonly isKnown: boolean;
}

/** Minutes since 1970, steps of five percent, steps of five minutes since 1970. */
export interface NaiveOption {
  readonly arrival: number;
  readonly steps: number;
  /** Whether the probability of every transfer may be shown. */
  readonly isKnown: boolean;
  readonly decideBy: number;
}

const WORSE_MINUTES = 60;
const LEAST_STEPS = 4;
/** A certain failure costs an hour. */
const MINUTES_A_STEP = 3;
const WALKING = { ...plainQuestion } satisfies Omit<NaivePlanQuery, 'from' | 'to'>;

interface Standing {
  /** Product over all transfers. */
  readonly chance: number;
  /** Whether all of them may be shown. */
  readonly isKnown: boolean;
  /** null while the traveller is still on the first vehicle. */
  readonly decideBy: number | null;
  readonly rides: number;
}

/**
 * The options that no other one equals or beats in every criterion, sorted.
 * @param latest later departures are not tried
 */
export function listNaiveOptions(network: NaiveNetwork, rescue: NaiveRescue, latest: number): NaiveOption[] {
  const { feed } = network;
  const question = { ...WALKING, from: rescue.to, to: rescue.to };
  const egress = findReach(feed, rescue.to, WALKING.maxWalkMeters).meters;
  const found = new Map<string, NaiveOption>();
  const arrive = (time: number, { chance, isKnown }: Standing, decideBy: number) => {
    const option = {
      arrival: Math.ceil(time / 60),
      steps: Math.round(chance * 20),
      isKnown,
      decideBy: Math.floor(decideBy / 300),
    };
    found.set(Object.values(option).join(' '), option);
  };
  const ride = (run: NaiveRun, from: number, standing: Standing) => {
    for (let place = from + 1; place < run.calls.length; place++) {
      const call = run.calls[place]!;
      if (!mayAlight(feed, call, question) || call.arrival > latest) continue;
      const isStart = standing.decideBy === null;
      const time = isStart && call.arrival < rescue.now && call.departure >= rescue.now ? rescue.now : call.arrival;
      if (time < rescue.now) continue;
      const decideBy = standing.decideBy ?? time;
      const meters = egress.get(call.stop);
      if (meters !== undefined) arrive(time + walkingSeconds(meters, WALKING.walkSpeedKmh), standing, decideBy);
      if (standing.rides < rescue.maxRides) changeFrom(run, call.stop, time, { ...standing, decideBy });
    }
    for (const next of run.stays) ride(next, 0, standing);
  };
  const changeFrom = (run: NaiveRun, stop: number, time: number, standing: Standing) => {
    for (const other of listNear(feed, stop)) {
      for (const departure of network.departures[other]!) {
        if (departure.time < time || departure.time > latest || departure.run === run) continue;
        const change = findTransfer(feed, endOf(run, stop), endOf(departure.run, other), WALKING);
        if (!change || time + change.seconds > departure.time) continue;
        const walk = Math.min(walkingSeconds(change.meters, WALKING.walkSpeedKmh), change.seconds);
        const guaranteed = { steps: rescue.guaranteedSteps ?? 20, isKnown: true };
        const made = change.kind === 'timed' ? guaranteed : rescue.estimate(time, departure.time, walk);
        ride(departure.run, departure.place, { ...withChange(standing, made), rides: standing.rides + 1 });
      }
    }
  };
  const withChange = (standing: Standing, made: NaiveChance | null): Standing => ({
    ...standing,
    chance: standing.chance * ((made?.steps ?? rescue.priorSteps) / 20),
    isKnown: standing.isKnown && (made?.isKnown ?? false),
  });
  const setOut = (place: NaivePlace) => {
    for (const [stop, meters] of findReach(feed, place, WALKING.maxWalkMeters).meters) {
      const walk = walkingSeconds(meters, WALKING.walkSpeedKmh);
      const ready = rescue.now + walk;
      for (const { time, run, place: at } of network.departures[stop]!) {
        if (time < ready || time > latest) continue;
        // The transfer is certain without a walk, or if the traveller is there at the scheduled departure.
        const isCertain = walk === 0 || ready <= plannedDeparture(run, at);
        const begin = { chance: 1, isKnown: true, decideBy: Math.max(rescue.now, time - walk), rides: 1 };
        ride(run, at, withChange(begin, isCertain ? { steps: 20, isKnown: true } : rescue.estimate(ready, time, 0)));
      }
    }
  };
  if ('run' in rescue.at) ride(rescue.at.run, rescue.at.place, { chance: 1, isKnown: true, decideBy: null, rides: 0 });
  else setOut(rescue.at);
  return keepBest([...found.values()]);
}

function plannedDeparture({ trip, day, calls, name }: NaiveRun, place: number): number {
  if (trip === null) return calls[place]!.departure;
  const { shift } = trip.naive.runs.find((run) => run.name === name)!;
  return startOfDay(day, trip.naive.zone) + shift + trip.calls[place]!.departure;
}

function keepBest(options: readonly NaiveOption[]): NaiveOption[] {
  const isAsGood = (one: NaiveOption, other: NaiveOption) =>
    one.arrival <= other.arrival &&
    one.steps >= other.steps &&
    (one.isKnown || !other.isKnown) &&
    one.decideBy >= other.decideBy;
  const best = options
    .filter((option) => !options.some((other) => other !== option && isAsGood(other, option)))
    .filter(({ steps, isKnown }) => !isKnown || steps >= LEAST_STEPS);
  const weigh = ({ arrival, steps }: NaiveOption) => arrival + (20 - Math.max(steps, LEAST_STEPS)) * MINUTES_A_STEP;
  const least = Math.min(...best.map(weigh));
  return best.filter((option) => weigh(option) <= least + WORSE_MINUTES).sort(compareOptions);
}

/** A total order. */
export function compareOptions(a: NaiveOption, b: NaiveOption): number {
  return a.arrival - b.arrival || b.steps - a.steps || b.decideBy - a.decideBy || Number(b.isKnown) - Number(a.isKnown);
}
