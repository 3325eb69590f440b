import { naiveExtraTimes, naivePlannedTimes } from './naive-live-board.ts';
import type { NaivePlanFeed, NaivePlanTrip } from './naive-plan-feed.ts';
import { type DatedTrip, listStays } from './naive-plan-stays.ts';
import type { NaiveExtraReport, NaiveReports, NaiveTripReport } from './naive-reports.ts';
import type { NaiveEnds, NaiveTimes } from './naive-times.ts';
import { startOfDay } from './naive-timetable.ts';

/** One dated trip: as scheduled and, if reported, with realtime. */
export interface NaiveRun {
  /** Position in the runs of the network. */
  readonly index: number;
  /** As `NaiveCall.trip`; the name of an added trip. */
  readonly name: string;
  /** null for an added trip. */
  readonly trip: NaivePlanTrip | null;
  readonly day: number;
  /** Used by transfer rules; null for an added trip, which rules that name a route do not match. */
  readonly routeId: string | null;
  readonly product: string;
  readonly calls: readonly NaiveRunCall[];
  /** Trips that continue this one with passengers on board; filled in once all runs exist. */
  readonly stays: NaiveRun[];
}

export interface NaiveRunCall {
  /** Position in the feed's stops; -1 for a stop that is not in the feed. */
  readonly stop: number;
  /** Seconds since 1970; never decreasing along the run. */
  readonly arrival: number;
  readonly departure: number;
  readonly mayBoard: boolean;
  readonly mayAlight: boolean;
  readonly isCancelled: boolean;
}

/** All runs of a period, and their departures. */
export interface NaiveNetwork {
  readonly feed: NaivePlanFeed;
  readonly runs: readonly NaiveRun[];
  /** By stop, in order of time. */
  readonly departures: readonly (readonly NaiveDeparture[])[];
}

export interface NaiveDeparture {
  readonly time: number;
  readonly run: NaiveRun;
  readonly place: number;
}

/** The reports, and the time of the query, which decides whether they are fresh. */
interface NaiveLive {
  readonly reports: NaiveReports;
  readonly instant: number;
}

const DAY = 86_400;
/** Upper limit for all feeds used here, delays included. */
const LONGEST_TRIP_DAYS = 2;

/** @param from,to runs under way at any time in this period are included */
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
  const reported = new Map(
    (live?.reports.trips ?? []).map((report) => [nameDated(report.trip.id, report.day), report]),
  );
  const replaced = new Set(
    (live?.reports.extras ?? []).flatMap(({ replaces }) => (replaces ? nameDated(replaces.trip.id, replaces.day) : [])),
  );
  const inherit = openInheritedDelays(feed, live, (dated) => {
    const name = nameDated(dated.trip.naive.id, dated.day);
    const report = reported.get(name) ?? null;
    return replaced.has(name) || (report !== null && report.kind !== 'scheduled') ? 'gone' : report;
  });
  for (let day = Math.floor(from / DAY) - LONGEST_TRIP_DAYS; day <= Math.floor(to / DAY) + 1; day++) {
    for (const trip of feed.trips) {
      if (!trip.naive.days.has(day) || replaced.has(nameDated(trip.naive.id, day))) continue;
      const report = reported.get(nameDated(trip.naive.id, day)) ?? null;
      if (report !== null && report.kind !== 'scheduled') continue;
      for (const planned of listPlannedRuns(feed, { trip, day }, report, live, inherit)) add(planned);
    }
  }
  for (const extra of live?.reports.extras ?? []) add(readExtra(feed, extra, live!));
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
  report: NaiveTripReport | null,
  live: NaiveLive | null,
  inherit: (dated: DatedTrip) => number,
): Omit<NaiveRun, 'index'>[] {
  const { trip, day } = dated;
  const { routeId } = trip;
  const ends = findEnds(feed, dated, report, inherit);
  const lay = (name: string, shift: number) => {
    const times = layTimes(dated, shift, report, live, ends);
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
  report: NaiveTripReport | null,
  live: NaiveLive | null,
  ends?: NaiveEnds,
): NaiveTimes[] {
  const start = startOfDay(day, trip.naive.zone);
  const plan = trip.calls.map(({ arrival, departure }) => ({
    arrival: start + shift + arrival,
    departure: start + shift + departure,
  }));
  return naivePlannedTimes(plan, report, live?.reports.at ?? 0, live?.instant ?? 0, ends);
}

/**
 * Whether the vehicle continues as another trip, or came from one. The result is needed only if a call is skipped,
 * since only that can move the begin or end of a trip, and computing it takes long.
 */
function findEnds(
  feed: NaivePlanFeed,
  dated: DatedTrip,
  report: NaiveTripReport | null,
  inherit: (dated: DatedTrip) => number,
): NaiveEnds {
  const inheritedSeconds = inherit(dated);
  if (!report) return { continues: false, isContinuation: false, inheritedSeconds };
  return {
    continues: listStays(feed, dated).length > 0,
    isContinuation: listPrevious(feed, dated).length > 0,
    inheritedSeconds,
  };
}

/** The delay of a vehicle that has arrived is propagated to its next trip for this long. */
const CARRIED_SECONDS = 1800;
const SHORTEST_LAYOVER_SECONDS = 60;

/**
 * Delay that a vehicle brings from its previous trip: it leaves one minute after its arrival, or after the scheduled
 * layover if that is shorter.
 * @param wordsOf the reports of a trip
 */
function openInheritedDelays(
  feed: NaivePlanFeed,
  live: NaiveLive | null,
  reportOf: (dated: DatedTrip) => NaiveTripReport | null | 'gone',
): (dated: DatedTrip) => number {
  const known = new Map<string, number>();
  const lateAfter = (before: DatedTrip, next: DatedTrip): number => {
    const report = reportOf(before);
    if (report === 'gone') return 0;
    const { arrival } = layTimes(before, 0, report, live, findEnds(feed, before, report, inherit)).at(-1)!;
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

/** The dated trips of a day by the ids of their continuations. */
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

function readExtra(
  feed: NaivePlanFeed,
  extra: NaiveExtraReport,
  { reports, instant }: NaiveLive,
): Omit<NaiveRun, 'index'> {
  const times = naiveExtraTimes(extra.calls, reports.at, instant);
  const calls = extra.calls.map(({ stopId }, place) => {
    const stop = stopId === null ? -1 : feed.stopAt.get(stopId)!;
    const [mayBoard, mayAlight] = [stop >= 0 && place < extra.calls.length - 1, stop >= 0 && place > 0];
    return readRunCall({ stop, mayBoard, mayAlight }, times[place]!);
  });
  const day = extra.replaces?.day ?? 0;
  return { name: extra.name, trip: null, day, routeId: null, product: extra.product, calls, stays: [] };
}

// ---- Between trips -----------------------------------------------------------------------------

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
