import { naiveExtraTimes, naivePlannedTimes, type Said, type SaidExtra, type SaidTrip } from './naive-live-board.ts';
import type { NaivePlanFeed, NaivePlanTrip } from './naive-plan-feed.ts';
import { type DatedTrip, listStays } from './naive-plan-stays.ts';
import type { NaiveEnds, NaiveTimes } from './naive-times.ts';
import { startOfDay } from './naive-timetable.ts';

/** One trip on one day as it runs: by schedule and, if reported, by realtime. */
export interface NaiveRun {
  /** Position among the runs of the network. */
  readonly index: number;
  /** As `NaiveCall.trip`; of an added trip its name. */
  readonly name: string;
  /** null for an added trip. */
  readonly trip: NaivePlanTrip | null;
  readonly day: number;
  /** By which rules for changing bear on it; null for an added trip: those that name a route bear on none. */
  readonly routeId: string | null;
  readonly product: string;
  readonly calls: readonly NaiveRunCall[];
  /** As which it goes on, with its passengers on board; filled in when all runs are there. */
  readonly stays: NaiveRun[];
}

export interface NaiveRunCall {
  /** Position in the feed's stops; -1 for a stop that the feed lacks. */
  readonly stop: number;
  /** Seconds since 1970; they never fall along the run. */
  readonly arrival: number;
  readonly departure: number;
  readonly mayBoard: boolean;
  readonly mayAlight: boolean;
  readonly isCancelled: boolean;
}

/** All runs of a time, and who leaves where. */
export interface NaiveNetwork {
  readonly feed: NaivePlanFeed;
  readonly runs: readonly NaiveRun[];
  /** By stop, in the order of time. */
  readonly departures: readonly (readonly NaiveDeparture[])[];
}

export interface NaiveDeparture {
  readonly time: number;
  readonly run: NaiveRun;
  readonly place: number;
}

/** The reports, and the time of the query, by which they are fresh or expired. */
interface NaiveLive {
  readonly said: Said;
  readonly instant: number;
}

const DAY = 86_400;
/** No trip of any feed here runs for longer, nor later than planned. */
const LONGEST_TRIP_DAYS = 2;

/** @param from,to the runs of a network are those that are on their way somewhere in between */
export function openNaiveNetwork(
  feed: NaivePlanFeed,
  from: number,
  to: number,
  live: NaiveLive | null = null,
): NaiveNetwork {
  const runs: NaiveRun[] = [];
  const add = (run: Omit<NaiveRun, 'index'>) => {
    const isWithin = run.calls[0]!.departure < to && run.calls.at(-1)!.arrival >= from;
    if (isWithin) runs.push({ ...run, index: runs.length });
  };
  const reported = new Map((live?.said.trips ?? []).map((words) => [nameDated(words.trip.id, words.day), words]));
  const replaced = new Set(
    (live?.said.extras ?? []).flatMap(({ replaces }) => (replaces ? nameDated(replaces.trip.id, replaces.day) : [])),
  );
  const inherit = openInheritedDelays(feed, live, (dated) => {
    const name = nameDated(dated.trip.naive.id, dated.day);
    const words = reported.get(name) ?? null;
    return replaced.has(name) || (words !== null && words.kind !== 'scheduled') ? 'gone' : words;
  });
  for (let day = Math.floor(from / DAY) - LONGEST_TRIP_DAYS; day <= Math.floor(to / DAY) + 1; day++) {
    for (const trip of feed.trips) {
      if (!trip.naive.days.has(day) || replaced.has(nameDated(trip.naive.id, day))) continue;
      const words = reported.get(nameDated(trip.naive.id, day)) ?? null;
      if (words !== null && words.kind !== 'scheduled') continue;
      for (const planned of listPlannedRuns(feed, { trip, day }, words, live, inherit)) add(planned);
    }
  }
  for (const extra of live?.said.extras ?? []) add(readExtra(feed, extra, live!));
  linkStays(feed, runs);
  return { feed, runs, departures: listDepartures(feed, runs) };
}

function nameDated(tripId: string, day: number): string {
  return `${tripId} ${day}`;
}

// ---- Runs --------------------------------------------------------------------------------------

function listPlannedRuns(
  feed: NaivePlanFeed,
  dated: DatedTrip,
  words: SaidTrip | null,
  live: NaiveLive | null,
  inherit: (dated: DatedTrip) => number,
): Omit<NaiveRun, 'index'>[] {
  const { trip, day } = dated;
  const { routeId } = trip;
  const ends = findEnds(feed, dated, words, inherit);
  const lay = (name: string, shift: number) => {
    const times = layTimes(dated, shift, words, live, ends);
    const calls = trip.calls.map(({ stop, mayBoard, mayAlight }, place) =>
      readRunCall({ stop, mayBoard, mayAlight }, times[place]!),
    );
    return { name, trip, day, routeId, product: feed.productOf(routeId), calls, stays: [] };
  };
  return trip.naive.runs.map(({ name, shift }) => lay(name, shift));
}

function layTimes(
  { trip, day }: DatedTrip,
  shift: number,
  words: SaidTrip | null,
  live: NaiveLive | null,
  ends?: NaiveEnds,
): NaiveTimes[] {
  const start = startOfDay(day, trip.naive.zone);
  const plan = trip.calls.map(({ arrival, departure }) => ({
    arrival: start + shift + arrival,
    departure: start + shift + departure,
  }));
  return naivePlannedTimes(plan, words, live?.said.at ?? 0, live?.instant ?? 0, ends);
}

/**
 * Whether the vehicle goes on as another trip of the day or the next, or comes from one. Only a call that is left out can
 * move where a trip begins or ends, and finding out takes long.
 */
function findEnds(
  feed: NaivePlanFeed,
  dated: DatedTrip,
  words: SaidTrip | null,
  inherit: (dated: DatedTrip) => number,
): NaiveEnds {
  const inheritedSeconds = inherit(dated);
  if (!words) return { continues: false, isContinuation: false, inheritedSeconds };
  return {
    continues: listStays(feed, dated).length > 0,
    isContinuation: listPrevious(feed, dated).length > 0,
    inheritedSeconds,
  };
}

/** The delay of a vehicle that has arrived is carried for so long. */
const CARRIED_SECONDS = 1800;
const SHORTEST_LAYOVER_SECONDS = 60;

/**
 * How late a vehicle comes from the trip before: it leaves a minute after its arrival, or after the planned layover where
 * that is shorter.
 * @param wordsOf the reports of a trip
 */
function openInheritedDelays(
  feed: NaivePlanFeed,
  live: NaiveLive | null,
  wordsOf: (dated: DatedTrip) => SaidTrip | null | 'gone',
): (dated: DatedTrip) => number {
  const known = new Map<string, number>();
  const lateAfter = (before: DatedTrip, next: DatedTrip): number => {
    const words = wordsOf(before);
    if (words === 'gone') return 0;
    const { arrival } = layTimes(before, 0, words, live, findEnds(feed, before, words, inherit)).at(-1)!;
    if (!arrival.isLive || arrival.isCancelled || live!.instant > arrival.expected + CARRIED_SECONDS) return 0;
    const begin = startOfDay(next.day, next.trip.naive.zone) + next.trip.calls[0]!.departure;
    return arrival.expected + Math.min(SHORTEST_LAYOVER_SECONDS, begin - arrival.scheduled) - begin;
  };
  const inherit = (dated: DatedTrip): number => {
    if (live === null) return 0;
    const name = nameDated(dated.trip.naive.id, dated.day);
    const seconds =
      known.get(name) ?? Math.max(0, ...listPrevious(feed, dated).map((before) => lateAfter(before, dated)));
    known.set(name, seconds);
    return seconds;
  };
  return inherit;
}

/** The dated trips that continue as this one. */
function listPrevious(feed: NaivePlanFeed, { trip, day }: DatedTrip): readonly DatedTrip[] {
  return [day - 1, day].flatMap((date) => indexPrevious(feed, date).get(nameDated(trip.naive.id, day)) ?? []);
}

const previousOfDays = new WeakMap<NaivePlanFeed, Map<number, ReadonlyMap<string, readonly DatedTrip[]>>>();

/** The trips of a day by the names of those as which they go on. */
function indexPrevious(feed: NaivePlanFeed, day: number): ReadonlyMap<string, readonly DatedTrip[]> {
  const days = previousOfDays.get(feed) ?? new Map<number, ReadonlyMap<string, readonly DatedTrip[]>>();
  previousOfDays.set(feed, days);
  const known = days.get(day);
  if (known) return known;
  const previous = new Map<string, DatedTrip[]>();
  for (const trip of feed.trips) {
    for (const next of listStays(feed, { trip, day })) {
      const name = nameDated(next.trip.naive.id, next.day);
      previous.set(name, [...(previous.get(name) ?? []), { trip, day }]);
    }
  }
  days.set(day, previous);
  return previous;
}

function readRunCall(
  { stop, mayBoard, mayAlight }: Pick<NaiveRunCall, 'stop' | 'mayBoard' | 'mayAlight'>,
  { arrival, departure }: NaiveTimes,
): NaiveRunCall {
  return {
    stop,
    arrival: arrival.expected,
    departure: departure.expected,
    mayBoard: mayBoard && !departure.isCancelled,
    mayAlight: mayAlight && !arrival.isCancelled,
    isCancelled: arrival.isCancelled && departure.isCancelled,
  };
}

function readExtra(feed: NaivePlanFeed, extra: SaidExtra, { said, instant }: NaiveLive): Omit<NaiveRun, 'index'> {
  const times = naiveExtraTimes(extra.calls, said.at, instant);
  const calls = extra.calls.map(({ stopId }, place) => {
    const stop = stopId === null ? -1 : feed.stopAt.get(stopId)!;
    const [mayBoard, mayAlight] = [stop >= 0 && place < extra.calls.length - 1, stop >= 0 && place > 0];
    return readRunCall({ stop, mayBoard, mayAlight }, times[place]!);
  });
  const day = extra.replaces?.day ?? 0;
  return { name: extra.name, trip: null, day, routeId: null, product: extra.product, calls, stays: [] };
}

// ---- Between runs ------------------------------------------------------------------------------

function linkStays(feed: NaivePlanFeed, runs: readonly NaiveRun[]): void {
  const byName = new Map(runs.filter(({ trip }) => trip !== null).map((run) => [nameDated(run.name, run.day), run]));
  for (const run of runs) {
    if (run.trip === null) continue;
    for (const next of listStays(feed, { trip: run.trip, day: run.day })) {
      const other = byName.get(nameDated(next.trip.naive.id, next.day));
      if (other && other.calls[0]!.departure >= run.calls.at(-1)!.arrival) run.stays.push(other);
    }
  }
}

function listDepartures(feed: NaivePlanFeed, runs: readonly NaiveRun[]): NaiveDeparture[][] {
  const departures: NaiveDeparture[][] = feed.stops.map(() => []);
  for (const run of runs) {
    run.calls.forEach((call, place) => {
      if (call.mayBoard && !call.isCancelled) departures[call.stop]!.push({ time: call.departure, run, place });
    });
  }
  for (const atStop of departures) atStop.sort((a, b) => a.time - b.time);
  return departures;
}
