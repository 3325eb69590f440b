import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PlanQuery } from '../planner/itinerary.ts';
import type { ProfileScope } from '../planner/profile-scope.ts';
import { toGate } from '../planner/trace.ts';
import { usualWalker } from '../planner/transfer-seconds.ts';
import type { FindTransferChance } from '../predictions/transfer-chances.ts';
import { getCallStop, openTrip } from '../read/dated-trip.ts';
import type { Published } from '../read/realtime.ts';
import { type ChosenWay, chooseWay } from '../trips/choose-way.ts';
import { joinRides } from '../trips/present-legs.ts';
import { type DatedRide, getAlighting, openRun } from '../trips/run.ts';
import { computeTimeline, type Plan, type PlannedWalk, type Timeline } from '../trips/timeline.ts';
import { both, type Chance, certain, type Priors, toChance } from './chances.ts';
import type { JudgedLeg } from './judge-trip.ts';
import { isSameRides } from './name-kind.ts';
import { FROM, listRides, TO, toPlan } from './option-plan.ts';
import type { FoundOption } from './option-search.ts';
import { weigh } from './undominated.ts';

/** A way to the destination that may be offered. */
export interface Candidate {
  /** Its times, which take long to compute: only those of a candidate that is offered are needed. */
  openTimeline(): Timeline;
  /** Its rides, the present vehicle included. */
  readonly rides: readonly DatedRide[];
  readonly chance: Chance;
  readonly arrival: Instant;
  /** The last instant at which it can be chosen. */
  readonly decideBy: Instant;
}

/** What all candidates of an answer are made with. */
export interface CandidateContext {
  readonly published: Published;
  /** Decides which realtime is fresh. */
  readonly instant: Instant;
  readonly findChance: FindTransferChance;
  readonly priors: Priors;
}

/** @param departure of a walk all the way */
export function toCandidate(
  { published, instant, findChance }: CandidateContext,
  scope: ProfileScope,
  option: FoundOption,
  departure: Instant,
): Candidate {
  const openTimeline = () => computeTimeline(published, toPlan(scope, option, departure), instant, findChance);
  const { base } = scope.task.raptorRoutes;
  const [arrival, decideBy] = [option.arrival + base, option.decideBy + base] as [Instant, Instant];
  return { openTimeline, rides: listRides(scope, option), chance: option.chance, arrival, decideBy };
}

/** The way to the first vehicle, and how likely that one is caught. */
export interface Access {
  readonly way: ChosenWay;
  readonly chance: Chance;
}

/**
 * Some rides in travel order, from where the traveller is to the destination.
 * @param access null where the traveller is on the first vehicle
 * @returns null where no way leads from the last stop to the destination
 */
export function joinCandidate(
  context: CandidateContext,
  query: Pick<PlanQuery, 'to'>,
  rides: readonly DatedRide[],
  access: Access | null,
  decideBy: (timeline: Timeline) => Instant,
): Candidate | null {
  const { published, instant, findChance } = context;
  const joined = joinRides(published, rides, usualWalker);
  const [first, last] = [rides[0]!, rides.at(-1)!];
  const stop = getCallStop(openTrip(published, last), last.alightPosition);
  const time = getAlighting(openRun(published, last, instant)).arrival.expected;
  const way = chooseWay(query.to, stop, { isArriving: true, time, walkSpeedKmh: usualWalker.walkSpeedKmh });
  if (way === null) return null;
  const parts: Plan['parts'][number][] = [
    ...joined.parts,
    toGate(usualWalker, { stop, place: TO, ...way, isArriving: true }),
  ];
  if (access) parts.unshift(leadTo(getCallStop(openTrip(published, first), first.boardPosition), access.way));
  const timeline = computeTimeline(published, { ...joined, parts }, instant, findChance);
  const chance = both(access?.chance ?? certain, judgeTimeline(timeline, context.priors));
  return { openTimeline: () => timeline, rides, chance, arrival: timeline.end.expected, decideBy: decideBy(timeline) };
}

function leadTo(stop: number, way: ChosenWay): PlannedWalk {
  return toGate(usualWalker, { stop, place: FROM, ...way, isArriving: false });
}

/** That all transfers are made. */
function judgeTimeline({ parts }: Timeline, priors: Priors): Chance {
  let chance = certain;
  parts.forEach((part, i) => {
    if (part.kind !== 'walk' || !part.transfer || part.walk.isGuaranteed) return;
    const { chance: probability, estimate, spareSeconds } = part.transfer;
    const found = probability === null ? null : { probability, estimate };
    const next = parts.slice(i).find((other) => other.kind === 'ride');
    const product = next?.run.view.product ?? -1;
    const made = toChance(found, () => priors.expect(product, spareSeconds));
    chance = both(chance, made);
  });
  return chance;
}

/** The rides of a trip that are still to come, the present vehicle from the last call that it has left. */
export function listRidesLeft(legs: readonly JudgedLeg[], leg: number, position: number | null): DatedRide[] {
  const rides = legs.slice(leg).map(({ ride }) => ride.run.ride);
  return position === null ? rides : [{ ...rides[0]!, boardPosition: position }, ...rides.slice(1)];
}

// ---- Order -------------------------------------------------------------------------------------

/** By how much another way has to arrive earlier to come before the plan. */
const EARLIER_SECONDS = 300;

/** The latest arrival and the least probability of options that come before the plan. */
export function boundBetter({ arrival, chance }: Candidate): { arrival: Instant; probability: number } {
  // An unknown probability is assumed once all known ones are.
  const probability = chance.isKnown ? chance.probability : 0;
  return { arrival: (arrival - EARLIER_SECONDS) as Instant, probability };
}

/**
 * The options in the order in which they are offered: the plan first, unless another arrives clearly earlier and is at
 * least as probable. The plan and its fallback are among them as far as the limit allows, the plan before the fallback.
 * @param planned null where the plan cannot be carried out any more
 * @param fallback the option if the next transfer of the plan fails; null if none is needed or exists
 */
export function chooseOptions(
  found: readonly Candidate[],
  planned: Candidate | null,
  fallback: Candidate | null,
  limit: number,
): Candidate[] {
  const required = [planned, fallback].filter((one) => one !== null);
  const isRequired = ({ rides }: Candidate) => required.some((one) => isSameRides(one.rides, rides));
  const others = [...found.filter((one) => !isRequired(one)), ...(fallback ? [fallback] : [])].sort(
    (a, b) => weigh(a) - weigh(b) || b.decideBy - a.decideBy,
  );
  const isBetter = (one: Candidate) =>
    planned !== null &&
    one.arrival <= planned.arrival - EARLIER_SECONDS &&
    one.chance.probability >= planned.chance.probability;
  const better = others.filter(isBetter);
  const ordered = [...better, ...(planned ? [planned] : []), ...others.filter((one) => !isBetter(one))];
  const chosen = new Set(required.slice(0, limit));
  for (const one of ordered) if (chosen.size < limit) chosen.add(one);
  return ordered.filter((one) => chosen.has(one));
}
