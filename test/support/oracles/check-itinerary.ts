import { expect } from 'vitest';
import type { Itinerary, Ride, Walk } from '../../../api/engine/planner/itinerary.ts';
import {
  beginFrom,
  beginUntil,
  findDirectSeconds,
  listReaches,
  listStretches,
  mayAlight,
  mayBoard,
  mayRide,
  type NaiveOnDemand,
  type NaivePlanQuery,
  type NaiveReach,
  secondsTo,
  secondsWithStay,
  stayAt,
} from './naive-plan-places.ts';
import type { NaiveNetwork, NaiveRun } from './naive-plan-runs.ts';
import { endOf } from './naive-plan-search.ts';
import { findTransfer, walkingSeconds } from './naive-plan-transfers.ts';
import { isWalk, nameRide, type PlanWorld } from './query-planner.ts';

/** The input that an itinerary is checked against: the feed, read independently of the planner. */
export interface Checking {
  readonly world: PlanWorld;
  readonly network: NaiveNetwork;
  readonly question: NaivePlanQuery;
}

/** Position of the traveller, and the number of passed `via`. */
interface Progress {
  /** Place of the query: 0 `from`, 1 the first `via` …; -1 at a stop, on board or between two rides. */
  readonly place: number;
  /** The place was reached by alighting at one of its stops: continuing from another one would be a transfer. */
  readonly isAlighted: boolean;
  readonly ridden: RiddenRun | null;
  readonly passed: number;
  readonly time: number;
}

interface RiddenRun {
  readonly run: NaiveRun;
  readonly place: number;
}

const HORIZON_SECONDS = 48 * 3600;

/** Fails if the itinerary is not possible by the feed, or if its details are wrong. */
export function checkItinerary(checking: Checking, itinerary: Itinerary): void {
  const { network, question } = checking;
  const { departure, arrival, transfers, parts } = itinerary;
  const places = listReaches(network.feed, question);
  let progress: Progress = { place: 0, isAlighted: false, ridden: null, passed: 0, time: departure };
  parts.forEach((part, i) => {
    expect(part.departure, 'parts follow one another').toBeGreaterThanOrEqual(progress.time);
    expect(part.arrival).toBeGreaterThanOrEqual(part.departure);
    progress =
      part.kind === 'ride'
        ? ride(checking, places, progress, part, parts[i - 1])
        : walk(checking, places, progress, part, parts[i + 1]);
  });
  expect([progress.place, progress.passed], 'it ends at the destination').toEqual([
    places.length - 1,
    question.via.length,
  ]);
  expect([parts[0]!.departure, parts.at(-1)!.arrival]).toEqual([departure, arrival]);
  expect(arrival - departure).toBeLessThanOrEqual(HORIZON_SECONDS);
  const direct = findDirectSeconds(network.feed, question) ?? Number.POSITIVE_INFINITY;
  if (isWalk(itinerary) && !isOnWheels(itinerary)) expect([transfers, arrival - departure]).toEqual([0, direct]);
  const boarded = parts.filter((part) => part.kind === 'ride' && !part.isStaying);
  expect(transfers).toBe(Math.max(0, boarded.length - 1));
  expect(transfers).toBeLessThanOrEqual(question.maxTransfers);
}

// ---- Rides -------------------------------------------------------------------------------------

function ride(
  checking: Checking,
  places: readonly NaiveReach[],
  progress: Progress,
  part: Ride,
  before: Ride | Walk | undefined,
): Progress {
  const { question, network } = checking;
  const run = findRun(checking, part);
  const [board, alight] = [part.boardPosition, part.alightPosition].map((at) => findPlace(checking, run, part, at)) as [
    number,
    number,
  ];
  expect(board).toBeLessThan(alight);
  expect(mayRide(run, question), `${run.name} is ridden`).toBe(true);
  expect([part.departure, part.arrival]).toEqual([run.calls[board]!.departure, run.calls[alight]!.arrival]);
  if (part.isStaying) stay(progress, run, board);
  else {
    expect(before?.kind, 'a walk precedes the first ride').toBe('walk');
    expect(mayBoard(network.feed, run.calls[board]!, question), `${run.name} is boarded`).toBe(true);
    if (progress.ridden) change(checking, places, progress, { run, place: board }, before as Walk);
    expect(stopOf(checking, (before as Walk).toStop)).toBe(run.calls[board]!.stop);
    expect((before as Walk).arrival).toBeLessThanOrEqual(part.departure);
  }
  const isVisited = before?.kind === 'walk' && before.role === 'transfer' && before.stay !== undefined;
  let passed = progress.passed + (isVisited ? 1 : 0);
  for (const { stop, isCancelled } of run.calls.slice(board, alight + 1)) {
    const mayPass = () => passed < question.via.length && stayAt(question, passed + 1) === 0;
    while (!isCancelled && mayPass() && places[passed + 1]!.members.has(stop)) passed += 1;
  }
  return { place: -1, isAlighted: false, ridden: { run, place: alight }, passed, time: part.arrival };
}

/**
 * Index of a call in a run, by its position in the snapshot: there, replacements also have the calls of the replaced
 * trip that they skip.
 */
function findPlace(checking: Checking, run: NaiveRun, { trip, addedTrip }: Ride, position: number): number {
  if (trip >= 0) return position;
  const { addedTrips, addedCalls } = checking.world.realtime!.tables;
  const first = addedTrips.firstCall[addedTrip]!;
  if (addedTrips.callCount[addedTrip] === run.calls.length) return position;
  let place = 0;
  for (let at = 0; at < position; at++) {
    const stop = addedCalls.stop[first + at]!;
    if (run.calls[place]?.stop === (stop < 0 ? -1 : stopOf(checking, stop))) place += 1;
  }
  return place;
}

function findRun({ world, network }: Checking, part: Ride): NaiveRun {
  const name = nameRide(world, part);
  const run = listNamed(network, name).find(({ trip, day }) => trip === null || day === part.day);
  if (!run) throw new Error(`${name} does not run on day ${part.day}`);
  return run;
}

const named = new WeakMap<NaiveNetwork, Map<string, NaiveRun[]>>();

function listNamed(network: NaiveNetwork, name: string): readonly NaiveRun[] {
  const known = named.get(network) ?? new Map<string, NaiveRun[]>();
  if (!named.has(network)) {
    for (const run of network.runs) known.set(run.name, [...(known.get(run.name) ?? []), run]);
    named.set(network, known);
  }
  return known.get(name) ?? [];
}

function stay({ ridden }: Progress, run: NaiveRun, board: number): void {
  expect(ridden, 'a ride precedes a continuation').not.toBeNull();
  expect([ridden!.place, board]).toEqual([ridden!.run.calls.length - 1, 0]);
  expect(ridden!.run.stays.includes(run), `${ridden!.run.name} continues as ${run.name}`).toBe(true);
}

function change(
  { network, question }: Checking,
  places: readonly NaiveReach[],
  { ridden, passed }: Progress,
  next: RiddenRun,
  part: Walk,
): void {
  const before = ridden!;
  const [off, on] = [before.run.calls[before.place]!, next.run.calls[next.place]!];
  const rule = findTransfer(network.feed, endOf(before.run, off.stop), endOf(next.run, on.stop), question);
  expect(rule, `there is a transfer from ${before.run.name} to ${next.run.name}`).not.toBeNull();
  const { kind, seconds, meters } = rule!;
  const isTimed = kind === 'timed' && !part.stay;
  expect([part.role, part.transferSeconds, part.isGuaranteed, part.meters]).toEqual([
    'transfer',
    seconds,
    isTimed,
    meters,
  ]);
  const ends = [off.stop, on.stop] as const;
  const longer = part.stay
    ? secondsWithStay(seconds, stayAt(question, passed + 1), places[passed + 1]!, ends)
    : seconds;
  expect(seconds + (part.stay?.seconds ?? 0)).toBe(longer);
  expect(on.departure - off.arrival, 'there is time for the transfer').toBeGreaterThanOrEqual(longer!);
}

// ---- Walks -------------------------------------------------------------------------------------

function walk(
  checking: Checking,
  places: readonly NaiveReach[],
  progress: Progress,
  part: Walk,
  next: Ride | Walk | undefined,
): Progress {
  const { question, network } = checking;
  const wheels = part.onDemand ?? part.vehicle;
  const seconds = wheels ? wheels.seconds : walkingSeconds(part.meters, question.walkSpeedKmh);
  // A published transfer time may be shorter than the measured walk.
  const inHand = part.role === 'transfer' ? next!.departure - part.departure : seconds;
  expect(part.seconds).toBe(Math.min(seconds, inHand));
  expect(part.arrival).toBe(part.departure + part.seconds);
  const { fromPlace, toPlace } = part;
  const [fromStop, toStop] = [stopOf(checking, part.fromStop), stopOf(checking, part.toStop)];
  const stayed = part.stay?.isBefore ? part.stay.seconds : 0;
  expect(part.departure - progress.time, 'there is time for the stay').toBeGreaterThanOrEqual(stayed);
  if (part.role !== 'transfer') expect(part.stay?.seconds ?? 0).toBe(fromStop < 0 ? stayAt(question, fromPlace) : 0);
  if (fromStop >= 0) {
    const { run, place } = progress.ridden!;
    const { stop, arrival } = run.calls[place]!;
    expect([fromStop, part.departure]).toEqual([
      stop,
      part.onDemand ? beginFrom(readOnDemand(part), arrival + stayed) : arrival + stayed,
    ]);
    expect(mayAlight(network.feed, run.calls[place]!, question), `one alights from ${run.name}`).toBe(true);
  } else expect(progress.place).toBe(fromPlace);
  if (toStop >= 0) {
    expect(next?.kind, 'a walk to a stop ends in a ride').toBe('ride');
    if (fromStop >= 0) return { ...progress, place: -1, time: part.arrival };
    const isOwnStop = places[fromPlace]!.members.has(toStop);
    expect(isOwnStop && progress.isAlighted, 'moving between stops of one place is a transfer').toBe(false);
    checkGate(checking, part, 'access', places[fromPlace]!, toStop);
    if (part.onDemand) expect(part.departure).toBe(beginUntil(readOnDemand(part), next!.departure - seconds));
    else expect(part.arrival).toBe(next!.departure);
    return { ...progress, place: -1, ridden: null, time: part.arrival };
  }
  expect(toPlace, 'no place is skipped').toBeLessThanOrEqual(progress.passed + 1);
  if (fromStop < 0 && part.vehicle) checkDirectWay(checking, part);
  else if (fromStop < 0) {
    expect([toPlace, part.meters]).toEqual([fromPlace + 1, listStretches(network.feed, question)[fromPlace]]);
  } else checkGate(checking, part, 'egress', places[toPlace]!, fromStop);
  const isAlighted = fromStop >= 0 && places[toPlace]!.members.has(fromStop);
  const passed = Math.max(progress.passed, Math.min(toPlace, question.via.length));
  return { place: toPlace, isAlighted, ridden: null, passed, time: part.arrival };
}

function checkGate({ question }: Checking, part: Walk, role: Walk['role'], reach: NaiveReach, stop: number): void {
  if (part.onDemand) {
    expect(part.role).toBe(role);
    expect(reach.onDemand.get(stop)).toContainEqual(expect.objectContaining(readOnDemand(part)));
    return;
  }
  const isRidden = reach.ridden.has(stop);
  expect([part.role, part.vehicle !== undefined]).toEqual([role, isRidden]);
  expect(part.seconds).toBe(secondsTo(reach, stop, question.walkSpeedKmh));
  if (!isRidden) expect(part.meters).toBe(reach.meters.get(stop));
}

function readOnDemand({ onDemand }: Walk): NaiveOnDemand {
  return { seconds: onDemand!.seconds, open: onDemand!.open.map(({ from, until }) => [from, until] as const) };
}

function checkDirectWay({ question }: Checking, { fromPlace, toPlace, vehicle }: Walk): void {
  const way = question.modes?.direct?.ways.find(({ mode }) => mode === vehicle?.vehicle.mode);
  expect([toPlace, vehicle?.seconds]).toEqual([fromPlace + 1, way?.seconds[fromPlace]]);
}

function isOnWheels({ parts }: Itinerary): boolean {
  return parts.some((part) => part.kind === 'walk' && part.vehicle !== undefined);
}

/** Position in the feed's stops; -1 if unknown. */
function stopOf({ world, network }: Checking, row: number): number {
  if (row < 0) return -1;
  return network.feed.stopAt.get(world.planner.timetable.tables.stops.stopId.get(row))!;
}
