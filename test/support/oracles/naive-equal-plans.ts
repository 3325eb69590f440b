import { isEqualPlan, type NaiveEqualPlan, type NaivePlan, type NaiveRequestedTime } from './naive-plan-beating.ts';
import {
  listReaches,
  listStretches,
  mayAlight,
  mayBoard,
  mayRide,
  type NaivePlanQuery,
  type NaiveReach,
  secondsTo,
  secondsWithStay,
  stayAt,
} from './naive-plan-places.ts';
import type { NaiveNetwork, NaiveRun } from './naive-plan-runs.ts';
import { endOf } from './naive-plan-search.ts';
import { findTransfer, listNear, walkingSeconds } from './naive-plan-transfers.ts';

/** Lower limit of the probability of a transfer between two runs with this many seconds in between. */
type NaiveChance = (from: NaiveRun, to: NaiveRun, seconds: number) => number;

/** All attempts to make the trips of a plan, one after the other. */
interface Attempt {
  readonly network: NaiveNetwork;
  readonly question: NaivePlanQuery;
  readonly chanceOf: NaiveChance;
  readonly plan: NaivePlan;
  readonly requested: NaiveRequestedTime;
  readonly places: readonly NaiveReach[];
  readonly stretches: readonly (number | null)[];
  readonly found: NaiveEqualPlan[];
}

/** State of one attempt. */
interface Progress {
  readonly departure: number;
  readonly meters: number;
  readonly chance: number;
  /** Number of passed `via`. */
  readonly passed: number;
  readonly transfersLeft: number;
}

/** A traveller at a place of the query: see `walkOn` of naive-plan-search.ts. */
interface AtPlace {
  readonly at: number;
  /** On foot, and staying at places of the query. */
  readonly seconds: number;
  readonly staySeconds: number;
  readonly meters: number;
  readonly alightedAt: number | null;
  readonly hasWalkedFrom: NaiveReach | null;
  readonly hasRidden: boolean;
}

/** A walk from a place of the query to a stop; without a stop, to the destination. */
interface Onward {
  readonly stop: number | null;
  readonly seconds: number;
  readonly staySeconds: number;
  readonly meters: number;
  readonly passed: number;
}

/** Every way to make a plan: all with its whole minutes and number of transfers. */
export function listWays(
  network: NaiveNetwork,
  question: NaivePlanQuery,
  requested: NaiveRequestedTime,
  plan: NaivePlan,
  chanceOf: NaiveChance,
): NaiveEqualPlan[] {
  const places = listReaches(network.feed, question);
  const stretches = listStretches(network.feed, question);
  const attempt: Attempt = { network, question, chanceOf, plan, requested, places, stretches, found: [] };
  const minute = Math.floor(plan.departure / 60) * 60;
  const start = {
    at: 0,
    seconds: 0,
    staySeconds: 0,
    meters: 0,
    alightedAt: null,
    hasWalkedFrom: null,
    hasRidden: false,
  };
  for (const { stop, seconds, staySeconds, meters, passed } of listOnward(attempt, start)) {
    if (stop === null) continue;
    for (const { time, run, place } of network.departures[stop]!) {
      const departure = time - seconds - staySeconds;
      if (departure < minute || departure >= minute + 60) continue;
      board(attempt, run, place, { departure, meters, chance: 1, passed, transfersLeft: plan.transfers });
    }
  }
  return attempt.found;
}

function walking({ question }: Attempt, meters: number): number {
  return walkingSeconds(meters, question.walkSpeedKmh);
}

function listOnward(
  attempt: Attempt,
  { at, seconds, staySeconds: before, meters, alightedAt, hasWalkedFrom, hasRidden }: AtPlace,
): Onward[] {
  const place = attempt.places[at]!;
  const stay = stayAt(attempt.question, at);
  const staySeconds = before + stay;
  const onward: Onward[] = [];
  for (const [stop, walk] of place.meters) {
    const isShared = stay === 0 && hasWalkedFrom?.members.has(stop);
    if (place.members.has(stop) && (alightedAt !== null || isShared)) continue;
    const to = secondsTo(place, stop, attempt.question.walkSpeedKmh);
    onward.push({ stop, seconds: seconds + to, staySeconds, meters: meters + walk, passed: at });
  }
  const stretch = attempt.stretches[at] ?? null;
  if (stretch === null) return onward;
  const there = { seconds: seconds + walking(attempt, stretch), staySeconds, meters: meters + stretch };
  const next = at + 1;
  if (next === attempt.places.length - 1) return [...onward, { stop: null, ...there, passed: at }];
  if (stay === 0 && alightedAt !== null && attempt.places[next]!.members.has(alightedAt)) return onward;
  const further = { at: next, ...there, alightedAt: null, hasWalkedFrom: hasRidden ? place : null, hasRidden };
  return [...onward, ...listOnward(attempt, further)];
}

function board(attempt: Attempt, run: NaiveRun, place: number, progress: Progress): void {
  const { network, question } = attempt;
  if (mayRide(run, question) && mayBoard(network.feed, run.calls[place]!, question)) {
    stayOn(attempt, run, place, { ...progress, passed: passVias(attempt, run, place, progress.passed) });
  }
}

function passVias({ places, question }: Attempt, run: NaiveRun, place: number, passed: number): number {
  const { stop, isCancelled } = run.calls[place]!;
  let behind = passed;
  const isNext = () => behind + 2 < places.length && places[behind + 1]!.members.has(stop);
  while (!isCancelled && isNext() && stayAt(question, behind + 1) === 0) behind += 1;
  return behind;
}

function stayOn(attempt: Attempt, run: NaiveRun, from: number, progress: Progress): void {
  const { network, question, plan } = attempt;
  let { passed } = progress;
  for (let place = from + 1; place < run.calls.length; place++) {
    if (run.calls[place]!.arrival > Math.ceil(plan.arrival / 60) * 60) return;
    passed = passVias(attempt, run, place, passed);
    if (mayAlight(network.feed, run.calls[place]!, question)) alight(attempt, run, place, { ...progress, passed });
  }
  for (const next of run.stays) {
    if (!mayRide(next, question)) continue;
    stayOn(attempt, next, 0, { ...progress, passed: passVias(attempt, next, 0, passed) });
  }
}

function alight(attempt: Attempt, run: NaiveRun, place: number, progress: Progress): void {
  const { network, question, places, chanceOf } = attempt;
  const { stop, arrival } = run.calls[place]!;
  for (const { stop: to, seconds, staySeconds, meters, passed } of listWalks(attempt, stop, progress.passed)) {
    const after = { ...progress, passed, meters: progress.meters + meters };
    const since = arrival + seconds + staySeconds;
    if (to === null) {
      arrive(attempt, after, since);
      continue;
    }
    forEachDeparture(attempt, to, since, (next, at) => {
      changeTo(attempt, next, at, after, chanceOf(run, next, seconds));
    });
  }
  const meters = places.at(-1)!.meters.get(stop);
  if (progress.passed === places.length - 2 && meters !== undefined) {
    const seconds = secondsTo(places.at(-1)!, stop, question.walkSpeedKmh);
    arrive(attempt, { ...progress, meters: progress.meters + meters }, arrival + seconds);
  }
  for (const other of listNear(network.feed, stop)) {
    forEachDeparture(attempt, other, arrival, (next, at, time) => {
      const change = findTransfer(network.feed, endOf(run, stop), endOf(next, other), question);
      if (change === null || arrival + change.seconds > time) return;
      const estimated = chanceOf(run, next, Math.min(walking(attempt, change.meters), change.seconds));
      const after = { ...progress, meters: progress.meters + change.meters };
      changeTo(attempt, next, at, after, change.kind === 'timed' ? 1 : estimated);
      const passed = progress.passed + 1;
      const longer = secondsWithStay(change.seconds, stayAt(question, passed), places[passed]!, [stop, other]);
      if (longer !== null && arrival + longer <= time) changeTo(attempt, next, at, { ...after, passed }, estimated);
    });
  }
}

/** Walks past a via, from the stop of alighting. */
function listWalks(attempt: Attempt, stop: number, passed: number): Onward[] {
  const { places } = attempt;
  const onward: Onward[] = [];
  for (let behind = 1; behind <= passed; behind++) {
    if (!places[behind]!.members.has(stop)) continue;
    const at = {
      at: behind,
      seconds: 0,
      meters: 0,
      alightedAt: stop,
      hasWalkedFrom: null,
      hasRidden: true,
      staySeconds: 0,
    };
    onward.push(...listOnward(attempt, at));
  }
  const ahead = passed + 1;
  const meters = places[ahead]!.meters.get(stop);
  if (ahead === places.length - 1 || meters === undefined) return onward;
  const at = {
    at: ahead,
    seconds: walking(attempt, meters),
    staySeconds: 0,
    meters,
    alightedAt: places[ahead]!.members.has(stop) ? stop : null,
    hasWalkedFrom: null,
    hasRidden: true,
  };
  return [...onward, ...listOnward(attempt, at)];
}

function forEachDeparture(
  { network, plan }: Attempt,
  stop: number,
  from: number,
  take: (run: NaiveRun, place: number, time: number) => void,
): void {
  for (const { run, place, time } of network.departures[stop]!) {
    if (time >= from && time <= plan.arrival + 60) take(run, place, time);
  }
}

function changeTo(attempt: Attempt, run: NaiveRun, place: number, progress: Progress, chance: number): void {
  if (progress.transfersLeft === 0) return;
  const after = { ...progress, chance: progress.chance * chance, transfersLeft: progress.transfersLeft - 1 };
  board(attempt, run, place, after);
}

function arrive({ plan, requested, found }: Attempt, progress: Progress, arrival: number): void {
  const { departure, meters, chance } = progress;
  const way = { departure, arrival, transfers: plan.transfers - progress.transfersLeft, meters, chance };
  if (isEqualPlan(way, plan, requested)) found.push(way);
}
