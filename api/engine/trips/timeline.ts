import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Ride, Walk } from '../planner/itinerary.ts';
import { type DelayForecast, findDelayForecast } from '../predictions/predictions.ts';
import type { CallEvent } from '../read/live-calls.ts';
import type { Published } from '../read/realtime.ts';
import { asScheduled, type Happening, shift } from './happening.ts';
import { getAlighting, getBoarding, isCancelledRun, isSkipped, openRun, type Run } from './run.ts';

/** An arrival or a departure, as far as it is foreseen. */
export interface Foreseen {
  /** When it takes place by the timetable, and by what is told of it otherwise. */
  readonly scheduled: number;
  readonly expected: number;
  /** null: it takes place when it is expected. */
  readonly delay: DelayForecast | null;
}

/** Departures that are looked at, each as likely as the others. */
const SAMPLED_DEPARTURES = 100;

/**
 * How likely it is that somebody who arrives with one vehicle and needs some seconds catches another, which leaves no
 * earlier than planned. What is forecast of the two is taken to be independent, for nobody knows better.
 * @returns 0 to 1; null where nothing is forecast of either
 */
export function findTransferChance(arrival: Foreseen, departure: Foreseen, changeSeconds: number): number | null {
  if (!arrival.delay && !departure.delay) return null;
  const arrives = arrival.delay ? arrival.scheduled : arrival.expected;
  const leaves = departure.delay ? departure.scheduled : departure.expected;
  const spare = leaves - arrives - changeSeconds;
  const chanceWithin = (seconds: number) => (arrival.delay ? findShare(arrival.delay, seconds) : Number(seconds >= 0));
  if (!departure.delay) return chanceWithin(spare);
  let sum = 0;
  for (let i = 0; i < SAMPLED_DEPARTURES; i++) {
    const late = findQuantile(departure.delay, (i + 0.5) / SAMPLED_DEPARTURES);
    sum += chanceWithin(spare + Math.max(0, late));
  }
  return sum / SAMPLED_DEPARTURES;
}

// ---- Distributions -----------------------------------------------------------------------------

/** Between two of these shares, delays are equally likely. */
const shares = [0, 0.1, 0.5, 0.9, 1] as const;

/** The delays at those shares. Nobody forecasts the ends: each tail is as long as the half that it follows. */
function listDelays({ low, median, high }: DelayForecast): readonly number[] {
  return [2 * low - median, low, median, high, 2 * high - median];
}

/** Share of the delays that are not greater. */
export function findShare(forecast: DelayForecast, seconds: number): number {
  const delays = listDelays(forecast);
  // Where delays coincide, all of their share counts.
  const from = delays.findLastIndex((delay) => delay <= seconds);
  if (from < 0) return 0;
  return interpolate(delays, shares, from, seconds);
}

/** The delay that a share of them do not exceed. @param share 0 to 1 */
export function findQuantile(forecast: DelayForecast, share: number): number {
  const from = shares.findLastIndex((known) => known <= share);
  return interpolate(shares, listDelays(forecast), from, share);
}

function interpolate(xs: readonly number[], ys: readonly number[], from: number, x: number): number {
  if (from === xs.length - 1) return ys[from]!;
  const way = (x - xs[from]!) / (xs[from + 1]! - xs[from]!);
  return ys[from]! + way * (ys[from + 1]! - ys[from]!);
}

/** An itinerary without its times: they follow from how its vehicles run. */
export interface Plan {
  /** Of one that is on foot all the way; null where something is ridden. */
  readonly departure: Instant | null;
  readonly transfers: number;
  readonly parts: readonly (PlannedRide | PlannedWalk)[];
}
export type PlannedRide = Omit<Ride, 'departure' | 'arrival'>;
export type PlannedWalk = Omit<Walk, 'departure' | 'arrival'>;

interface Span {
  readonly begin: Happening;
  readonly end: Happening;
}
export interface TimedRide extends Span {
  readonly kind: 'ride';
  readonly run: Run;
  readonly isStaying: boolean;
  /** Its vehicle is late from what it ran as before, and nobody says so of this trip yet. */
  readonly isHeldUp: boolean;
}
export interface TimedWalk extends Span {
  readonly kind: 'walk';
  readonly walk: PlannedWalk;
  /** How the way from ride to ride works out; null where it is none, or not the first stretch of it. */
  readonly transfer: Transfer | null;
}
interface Transfer {
  /** What is left until the next departure when the way from ride to ride has taken its least time. */
  readonly slackSeconds: number;
  /** How likely that departure is caught, as far as our own model forecasts anything of the two rides; else null. */
  readonly chance: number | null;
}
export type TimedPart = TimedRide | TimedWalk;

/** An itinerary as it runs. */
export interface Timeline extends Span {
  readonly parts: readonly TimedPart[];
  readonly transfers: number;
}

/**
 * Reads the times of an itinerary, whatever they were when it was found.
 * @param moment by which forecasts are fresh or not
 */
export function layTimeline(published: Published, plan: Plan, moment: Instant): Timeline {
  const { parts, transfers } = plan;
  const opened = openRuns(published, plan, moment);
  const spans = placeParts(plan, opened);
  const timed = parts.map((part, i): TimedPart => {
    const span = spans[i]!;
    if (part.kind === 'ride') return { kind: 'ride', ...opened[i]!, isStaying: part.isStaying, ...span };
    return { kind: 'walk', walk: part, transfer: assessWay(published, plan, opened, i, moment), ...span };
  });
  return { parts: timed, transfers, begin: spans[0]!.begin, end: spans.at(-1)!.end };
}

type OpenedRide = Pick<TimedRide, 'run' | 'isHeldUp'>;

/** By part; null where one walks. */
function openRuns(published: Published, { parts }: Plan, moment: Instant): (OpenedRide | null)[] {
  let before: Run | null = null;
  return parts.map((part) => {
    if (part.kind === 'walk') return null;
    const opened: OpenedRide = openRide(published, part, moment, before);
    before = opened.run;
    return opened;
  });
}

/** A vehicle that goes on as another trip cannot do so before it has arrived, whatever is said of that one. */
function openRide(published: Published, ride: PlannedRide, moment: Instant, before: Run | null): OpenedRide {
  const run = openRun(published, ride, moment);
  const free = before && ride.isStaying ? getAlighting(before).arrival.expected : 0;
  if (getBoarding(run).departure.expected >= free) return { run, isHeldUp: false };
  return { run: openRun(published, ride, moment, free), isHeldUp: true };
}

/** Whoever walks to a vehicle leaves as late as he can; whoever comes from one walks at once. */
function placeParts({ parts, departure }: Plan, opened: readonly (OpenedRide | null)[]): Span[] {
  const spans: Span[] = [];
  const firstRide = parts.findIndex(({ kind }) => kind === 'ride');
  parts.forEach((part, i) => {
    const run = opened[i]?.run;
    if (run) spans[i] = { begin: getBoarding(run).departure, end: getAlighting(run).arrival };
    if (part.kind === 'ride' || part.role === 'access' || i < firstRide) return;
    const begin = spans[i - 1]?.end ?? asScheduled(departure!);
    spans[i] = { begin, end: shift(begin, part.seconds) };
  });
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i]!;
    if (spans[i] || part.kind === 'ride') continue;
    const end = spans[i + 1]!.begin;
    spans[i] = { begin: shift(end, -part.seconds), end };
  }
  return spans;
}

/** At a stop of the very place that was asked for nobody walks. */
export function isNoStep({ role, meters }: PlannedWalk): boolean {
  return meters === 0 && (role === 'access' || role === 'egress');
}

/**
 * @returns null for a walk that does not lead from one ride to the other, and, where it leads by a place that was asked
 * for, for all but its first stretch
 */
function assessWay(
  published: Published,
  { parts }: Plan,
  opened: readonly (OpenedRide | null)[],
  walk: number,
  moment: Instant,
): Transfer | null {
  const before = parts.findLastIndex(({ kind }, i) => i < walk && kind === 'ride');
  const after = parts.findIndex(({ kind }, i) => i > walk && kind === 'ride');
  if (before < 0 || after < 0) return null;
  const way = parts.slice(before + 1, after) as PlannedWalk[];
  if (parts[walk] !== (way.find((part) => !isNoStep(part)) ?? way[0])) return null;
  const seconds = way
    .map(({ role, ...part }) => (role === 'change' ? part.changeSeconds : part.seconds))
    .reduce((a, b) => a + b);
  const arrival = foresee(published, opened[before]!.run, 'arrival', moment);
  const departure = foresee(published, opened[after]!.run, 'departure', moment);
  return {
    slackSeconds: departure.expected - arrival.expected - seconds,
    chance: findTransferChance(arrival, departure, seconds),
  };
}

/** The arrival or the departure of somebody who rides, with what is forecast of it. */
function foresee(published: Published, run: Run, event: CallEvent, moment: Instant): Foreseen {
  const { trip, day, boardPosition, alightPosition } = run.ride;
  const call = event === 'arrival' ? getAlighting(run) : getBoarding(run);
  const position = event === 'arrival' ? alightPosition : boardPosition;
  return { ...call[event], delay: findDelayForecast(published, { trip, day, position }, moment) };
}

/** Whether it cannot be travelled as planned: a vehicle does not come, stop or go on in time, or a change is lost. */
export function isBroken({ parts }: Timeline): boolean {
  return parts.some((part, i) =>
    part.kind === 'ride' ? isBrokenRide(part, parts[i + 1]) : part.transfer !== null && part.transfer.slackSeconds < 0,
  );
}

/** Who stays seated neither boards nor alights where one run goes on as the other. */
function isBrokenRide({ run, isStaying, isHeldUp }: TimedRide, after: TimedPart | undefined): boolean {
  const goesOn = after?.kind === 'ride' && after.isStaying;
  if (isHeldUp || isCancelledRun(run)) return true;
  return (!isStaying && isSkipped(getBoarding(run))) || (!goesOn && isSkipped(getAlighting(run)));
}
