import {
  type ExtraCall,
  isShown,
  type Said,
  type SaidCall,
  type SaidExtra,
  type SaidTrip,
} from './naive-live-board.ts';
import type { NaivePlanFeed, NaivePlanTrip } from './naive-plan-feed.ts';
import { listStays } from './naive-plan-stays.ts';
import { startOfDay } from './naive-timetable.ts';

/** One trip on one day as it runs: by plan and, where it is told, by realtime. */
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
  /** Position in the feed's stops; -1 for a stop that the feed does not know. */
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

/** What was told, and the moment of asking, by which it is fresh or not. */
export interface NaiveLive {
  readonly said: Said;
  readonly moment: number;
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
  const told = new Map((live?.said.trips ?? []).map((words) => [nameDated(words.trip.id, words.day), words]));
  const replaced = new Set(
    (live?.said.extras ?? []).flatMap(({ replaces }) => (replaces ? nameDated(replaces.trip.id, replaces.day) : [])),
  );
  for (let day = Math.floor(from / DAY) - LONGEST_TRIP_DAYS; day <= Math.floor(to / DAY) + 1; day++) {
    for (const trip of feed.trips) {
      if (!trip.naive.days.has(day) || replaced.has(nameDated(trip.naive.id, day))) continue;
      const words = told.get(nameDated(trip.naive.id, day)) ?? null;
      if (words !== null && words.kind !== 'scheduled') continue;
      for (const planned of listPlannedRuns(feed, trip, day, words, live)) add(planned);
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
  trip: NaivePlanTrip,
  day: number,
  words: SaidTrip | null,
  live: NaiveLive | null,
): Omit<NaiveRun, 'index'>[] {
  const start = startOfDay(day, trip.naive.zone);
  const { routeId } = trip;
  return trip.naive.runs.map(({ name, shift }) => {
    let clock = Number.NEGATIVE_INFINITY;
    const calls = trip.calls.map((call, place): NaiveRunCall => {
      const planned = { arrival: start + shift + call.arrival, departure: start + shift + call.departure };
      const word = words?.calls[place] ?? null;
      const times = word === null ? planned : layWord(planned, word, live!);
      const arrival = Math.max(times.arrival, clock);
      const departure = Math.max(times.departure, arrival);
      clock = departure;
      const { stop, mayBoard, mayAlight } = call;
      return { stop, arrival, departure, mayBoard, mayAlight, isCancelled: word?.isSkipped === true };
    });
    return { name, trip, day, routeId, product: feed.productOf(routeId), calls, stays: [] };
  });
}

interface Times {
  readonly arrival: number;
  readonly departure: number;
}

function layWord(planned: Times, word: SaidCall, { said, moment }: NaiveLive): Times {
  if (word.isSkipped) return planned;
  const arrival = word.arrivalDelay === null ? null : planned.arrival + word.arrivalDelay;
  const departure = word.departureDelay === null ? null : planned.departure + word.departureDelay;
  const told = [arrival, departure].filter((time) => time !== null);
  const settle = (time: number | null, plan: number) =>
    time !== null && isShown(time, told, word.isMeasured, said.at, moment) ? time : plan;
  return { arrival: settle(arrival, planned.arrival), departure: settle(departure, planned.departure) };
}

function readExtra(feed: NaivePlanFeed, extra: SaidExtra, live: NaiveLive): Omit<NaiveRun, 'index'> {
  let clock = Number.NEGATIVE_INFINITY;
  const calls = extra.calls.map((call, place): NaiveRunCall => {
    clock = Math.max(clock, extraTime(call, live));
    const stop = call.stopId === null ? -1 : feed.stopAt.get(call.stopId)!;
    const times = { arrival: clock, departure: clock, isCancelled: call.isSkipped };
    return { stop, ...times, mayBoard: stop >= 0 && place < extra.calls.length - 1, mayAlight: stop >= 0 && place > 0 };
  });
  const day = extra.replaces?.day ?? 0;
  return { name: extra.name, trip: null, day, routeId: null, product: extra.product, calls, stays: [] };
}

function extraTime({ scheduled, delay, isSkipped }: ExtraCall, { said, moment }: NaiveLive): number {
  if (delay === null || isSkipped) return scheduled;
  const time = scheduled + delay;
  return isShown(time, [time], false, said.at, moment) ? time : scheduled;
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
