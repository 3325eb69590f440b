import type { CallEvent } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Ride, Walk } from '../planner/itinerary.ts';
import { getStayBefore } from '../planner/trace.ts';
import { findDelayForecast } from '../predictions/predictions.ts';
import type { ReportedEvent } from '../predictions/recent-delays.ts';
import { type FindTransferChance, openTransferChances, type TransferChance } from '../predictions/transfer-chances.ts';
import { findNeededSeconds } from '../predictions/transfer-estimates.ts';
import { asScheduled, type EventTime, shift } from '../read/event-times.ts';
import { findLastBegin, findNextBegin } from '../read/open-times.ts';
import type { Published } from '../read/realtime.ts';
import {
  getAlighting,
  getBoarding,
  isAlightingCancelled,
  isBoardingCancelled,
  isCancelledRun,
  openRun,
  type Run,
} from './run.ts';

/** An itinerary without times, which follow from the actual times of its vehicles. */
export interface Plan {
  /** Departure of an itinerary on foot all the way; null where there is a ride. */
  readonly departure: Instant | null;
  readonly transfers: number;
  readonly parts: readonly (PlannedRide | PlannedWalk)[];
}
export type PlannedRide = Omit<Ride, 'departure' | 'arrival'>;
export type PlannedWalk = Omit<Walk, 'departure' | 'arrival'>;

interface Span {
  readonly begin: EventTime;
  readonly end: EventTime;
}
export interface TimedRide extends Span {
  readonly kind: 'ride';
  readonly run: Run;
  readonly isStaying: boolean;
  /** Its vehicle arrives from its previous trip later than this one is expected to leave: reports contradict each other. */
  readonly isHeldUp: boolean;
}
export interface TimedWalk extends Span {
  readonly kind: 'walk';
  readonly walk: PlannedWalk;
  /** Assessment of the transfer between two rides, at its first part; null for all other walks. */
  readonly transfer: Transfer | null;
}
/** Assessment of the transfer from one ride to the next. Seconds. */
export interface Transfer {
  /** Expected between arrival and departure; negative where the next vehicle leaves first. */
  readonly transferSeconds: number;
  /** Minimum by the timetable and the request. */
  readonly minTransferSeconds: number;
  /** Of the walk between the two places. */
  readonly walkSeconds: number;
  /**
   * Beyond the walk; negative where it does not fit. Where the publisher allows less than the estimated walk, the
   * publisher counts.
   */
  readonly spareSeconds: number;
  /** Beyond the minimum; negative for a transfer that the planner does not offer. */
  readonly slackSeconds: number;
  /** Beyond the minimum of the publisher or of the request; negative where it does not fit. */
  readonly requiredSlackSeconds: number;
  /** Probability that the next departure is caught; null where nothing is known of the two rides. */
  readonly chance: number | null;
  /** What is shown of it; null if nothing is. */
  readonly estimate: TransferChance['estimate'];
}
export type TimedPart = TimedRide | TimedWalk;

/** An itinerary with realtime. */
export interface Timeline extends Span {
  readonly parts: readonly TimedPart[];
  readonly transfers: number;
}

/**
 * Computes the current times of an itinerary, independent of those with which it was found.
 * @param instant decides which forecasts are fresh
 * @param findChance shared by the itineraries of one answer: they have lines in common
 */
export function computeTimeline(
  published: Published,
  plan: Plan,
  instant: Instant,
  findChance: FindTransferChance = openTransferChances(published, instant),
): Timeline {
  const { parts, transfers } = plan;
  const opened = openRuns(published, plan, instant);
  const spans = placeParts(plan, opened);
  const assessed = { published, parts, opened, instant, findChance };
  const timed = parts.map((part, i): TimedPart => {
    const span = spans[i]!;
    if (part.kind === 'ride') return { kind: 'ride', ...opened[i]!, isStaying: part.isStaying, ...span };
    return { kind: 'walk', walk: part, transfer: assessTransfer(assessed, i), ...span };
  });
  return { parts: timed, transfers, begin: spans[0]!.begin, end: spans.at(-1)!.end };
}

type OpenedRide = Pick<TimedRide, 'run' | 'isHeldUp'>;

/** By part; null for a walk. */
function openRuns(published: Published, { parts }: Plan, instant: Instant): (OpenedRide | null)[] {
  let before: Run | null = null;
  return parts.map((part) => {
    if (part.kind === 'walk') return null;
    const opened: OpenedRide = openRide(published, part, instant, before);
    before = opened.run;
    return opened;
  });
}

/** A vehicle that continues as another trip cannot depart before it has arrived, whatever is reported for that trip. */
function openRide(published: Published, ride: PlannedRide, instant: Instant, before: Run | null): OpenedRide {
  const run = openRun(published, ride, instant);
  const free = before && ride.isStaying ? getAlighting(before).arrival.expected : 0;
  if (getBoarding(run).departure.expected >= free) return { run, isHeldUp: false };
  return { run: openRun(published, ride, instant, free), isHeldUp: true };
}

/** A walk to a vehicle begins as late as possible, a walk from one at once, or after a stay. */
function placeParts({ parts, departure }: Plan, opened: readonly (OpenedRide | null)[]): Span[] {
  const spans: Span[] = [];
  const firstRide = parts.findIndex(({ kind }) => kind === 'ride');
  parts.forEach((part, i) => {
    const run = opened[i]?.run;
    if (run) spans[i] = { begin: getBoarding(run).departure, end: getAlighting(run).arrival };
    if (part.kind === 'ride' || part.role === 'access' || i < firstRide) return;
    const stayed = shift(spans[i - 1]?.end ?? asScheduled(departure!), getStayBefore(part));
    const begin = waitUntilOpen(part, stayed);
    spans[i] = { begin, end: shift(begin, part.seconds) };
  });
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i]!;
    if (spans[i] || part.kind === 'ride') continue;
    const next = parts[i + 1]!;
    const latest = shift(spans[i + 1]!.begin, next.kind === 'walk' ? -getStayBefore(next) : 0);
    const end = beginWhileOpen(part, latest);
    spans[i] = { begin: shift(end, -part.seconds), end };
  }
  return spans;
}

/** An on-demand ride begins within its window; one that realtime has moved out of all windows begins at once. */
function waitUntilOpen({ onDemand }: PlannedWalk, begin: EventTime): EventTime {
  const next = onDemand ? findNextBegin(onDemand.open, begin.expected) : begin.expected;
  return Number.isFinite(next) ? shift(begin, next - begin.expected) : begin;
}

/** An on-demand ride may have to end early because its window does; a wait follows. */
function beginWhileOpen({ onDemand, seconds }: PlannedWalk, end: EventTime): EventTime {
  const last = onDemand ? findLastBegin(onDemand.open, end.expected - seconds) + seconds : end.expected;
  return Number.isFinite(last) ? shift(end, last - end.expected) : end;
}

/** At a stop of the requested place itself there is no walk. */
export function isNoStep({ role, meters }: PlannedWalk): boolean {
  return meters === 0 && (role === 'access' || role === 'egress');
}

interface AssessedPlan {
  readonly published: Published;
  readonly parts: Plan['parts'];
  /** By part; null for a walk. */
  readonly opened: readonly (OpenedRide | null)[];
  readonly instant: Instant;
  readonly findChance: FindTransferChance;
}

/**
 * Assesses the transfer that a walk belongs to.
 * @returns null for a walk that does not connect two rides, and, where the transfer passes a requested place, for all but
 * its first part
 */
function assessTransfer(
  { published, parts, opened, instant, findChance }: AssessedPlan,
  walk: number,
): Transfer | null {
  const before = parts.findLastIndex(({ kind }, i) => i < walk && kind === 'ride');
  const after = parts.findIndex(({ kind }, i) => i > walk && kind === 'ride');
  if (before < 0 || after < 0) return null;
  const way = parts.slice(before + 1, after) as PlannedWalk[];
  if (parts[walk] !== (way.find((part) => !isNoStep(part)) ?? way[0])) return null;
  const sum = (secondsOf: (part: PlannedWalk) => number) => way.reduce((total, part) => total + secondsOf(part), 0);
  const ruledSeconds = sum((part) => (part.role === 'transfer' ? part.transferSeconds : part.seconds));
  const staySeconds = sum(({ stay }) => stay?.seconds ?? 0);
  const minTransferSeconds = ruledSeconds + staySeconds;
  const requiredSeconds = staySeconds + sum((part) => (part.role === 'transfer' ? part.requiredSeconds : part.seconds));
  const walkSeconds = sum(({ seconds }) => seconds);
  const arrival = getExpectedEvent(published, opened[before]!.run, 'arrival', instant);
  const departure = getExpectedEvent(published, opened[after]!.run, 'departure', instant);
  const neededSeconds = findNeededSeconds(walkSeconds, ruledSeconds);
  const found = findChance(arrival, departure, neededSeconds);
  const transferSeconds = departure.expected - arrival.expected;
  return {
    transferSeconds,
    minTransferSeconds,
    walkSeconds,
    spareSeconds: transferSeconds - neededSeconds,
    slackSeconds: transferSeconds - minTransferSeconds,
    requiredSlackSeconds: transferSeconds - requiredSeconds,
    chance: found?.probability ?? null,
    estimate: found?.estimate ?? null,
  };
}

/** Arrival or departure of a ride, with its forecast. */
export function getExpectedEvent(published: Published, run: Run, event: CallEvent, instant: Instant): ReportedEvent {
  const { trip, day, boardPosition, alightPosition } = run.ride;
  const call = event === 'arrival' ? getAlighting(run) : getBoarding(run);
  const position = event === 'arrival' ? alightPosition : boardPosition;
  const at = { trip, day, position };
  return { ...call[event], delay: findDelayForecast(published, at, instant), at: trip < 0 ? null : at };
}

/**
 * Whether it cannot be travelled as planned: a vehicle does not run, stop or continue in time, or a transfer is missed.
 */
export function isBroken({ parts }: Timeline): boolean {
  return parts.some((part, i) =>
    part.kind === 'ride'
      ? part.isHeldUp || isCancelledRide(part, parts[i + 1])
      : part.transfer !== null && part.transfer.slackSeconds < 0,
  );
}

/**
 * Whether the vehicle does not run, or does not stop where it is boarded or left. Where it continues as another trip,
 * passengers stay on board, and neither leave the first trip nor board the second.
 */
export function isCancelledRide({ run, isStaying }: TimedRide, after: TimedPart | undefined): boolean {
  const goesOn = after?.kind === 'ride' && after.isStaying;
  if (isCancelledRun(run)) return true;
  return (!isStaying && isBoardingCancelled(run)) || (!goesOn && isAlightingCancelled(run));
}
