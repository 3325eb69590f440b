import { listReaches, mayAlight, mayBoard, mayRide, type NaivePlanQuery, secondsTo } from './naive-plan-places.ts';
import type { NaiveNetwork, NaiveRun } from './naive-plan-runs.ts';
import { endOf } from './naive-plan-search.ts';
import { findTransfer } from './naive-plan-transfers.ts';

/** A ride on a dated trip, with the positions of the calls where it is boarded and left. */
export interface NaiveLeg {
  readonly run: NaiveRun;
  readonly board: number;
  readonly alight: number;
}

const WANTED = 2;
const DAY = 86_400;

/**
 * The previous two and the next two departures that may replace a leg, found by trying every dated trip: `departure
 * arrival`, in order.
 * @returns `null` if a trip departs and arrives at the same times as the leg, so that it may be on either side
 */
export function naiveLegAlternatives(
  network: NaiveNetwork,
  question: NaivePlanQuery & { readonly instant: number },
  legs: readonly NaiveLeg[],
  at: number,
): { readonly before: readonly string[]; readonly after: readonly string[] } | null {
  const own = timesOf(legs[at]!);
  const fitting = network.runs
    .filter((run) => mayRide(run, question) && legs.every((leg) => leg.run !== run))
    .flatMap((run) => listLegs(network, question, run, legs[at]!))
    .filter((leg) => fits(network, question, legs, at, leg))
    .map(timesOf)
    .filter(({ departure }) => Math.abs(departure - own.departure) <= DAY)
    .sort(compare);
  if (fitting.some((one) => compare(one, own) === 0)) return null;
  const words = (list: typeof fitting) => list.map(({ departure, arrival }) => `${departure} ${arrival}`);
  const isBefore = (one: Times) => compare(one, own) < 0;
  return {
    before: words(fitting.filter(isBefore).slice(-WANTED)),
    after: words(fitting.filter((one) => !isBefore(one)).slice(0, WANTED)),
  };
}

interface Times {
  readonly departure: number;
  readonly arrival: number;
}

function timesOf({ run, board, alight }: NaiveLeg): Times {
  return { departure: run.calls[board]!.departure, arrival: run.calls[alight]!.arrival };
}

function compare(a: Times, b: Times): number {
  return a.departure - b.departure || a.arrival - b.arrival;
}

/** Rides of a dated trip between the stations of a leg, each boarded at the last opportunity. */
function listLegs(
  { feed }: NaiveNetwork,
  question: NaivePlanQuery,
  run: NaiveRun,
  { run: own, board, alight }: NaiveLeg,
): NaiveLeg[] {
  const stationOf = (stop: number) => feed.stops[stop]?.station ?? -1;
  const [origin, destination] = [stationOf(own.calls[board]!.stop), stationOf(own.calls[alight]!.stop)];
  const isOrigin = (place: number) =>
    mayBoard(feed, run.calls[place]!, question) && stationOf(run.calls[place]!.stop) === origin;
  const isDestination = (place: number) =>
    mayAlight(feed, run.calls[place]!, question) && stationOf(run.calls[place]!.stop) === destination;
  const found: NaiveLeg[] = [];
  for (let first = 0; first < run.calls.length; first++) {
    if (!isOrigin(first)) continue;
    for (let last = first + 1; last < run.calls.length; last++) {
      if (isDestination(last)) {
        found.push({ run, board: first, alight: last });
        break;
      }
      if (isOrigin(last)) break;
    }
  }
  return found;
}

function fits(
  network: NaiveNetwork,
  question: NaivePlanQuery & { readonly instant: number },
  legs: readonly NaiveLeg[],
  at: number,
  leg: NaiveLeg,
): boolean {
  const { departure, arrival } = timesOf(leg);
  const [before, after] = [legs[at - 1], legs[at + 1]];
  const reaches = listReaches(network.feed, question);
  const [from, to] = [reaches[0]!, reaches.at(-1)!];
  if (departure < question.instant) return false;
  if (before ? !connects(network, question, before, leg) : !from.meters.has(leg.run.calls[leg.board]!.stop))
    return false;
  if (after ? !connects(network, question, leg, after) : !to.meters.has(leg.run.calls[leg.alight]!.stop)) return false;
  if (before && departure < timesOf(before).arrival) return false;
  if (after && arrival > timesOf(after).departure) return false;
  const walk = before ? 0 : secondsTo(from, leg.run.calls[leg.board]!.stop, question.walkSpeedKmh);
  return departure - walk >= question.instant;
}

function connects({ feed }: NaiveNetwork, question: NaivePlanQuery, before: NaiveLeg, next: NaiveLeg): boolean {
  const isSeated = before.run.stays.includes(next.run) && before.alight === before.run.calls.length - 1;
  if (isSeated && next.board === 0) return true;
  // Passengers may stay on board where they can neither alight nor board.
  const isOpen =
    mayAlight(feed, before.run.calls[before.alight]!, question) &&
    mayBoard(feed, next.run.calls[next.board]!, question);
  if (!isOpen) return false;
  const [off, on] = [before.run.calls[before.alight]!.stop, next.run.calls[next.board]!.stop];
  const change = findTransfer(feed, endOf(before.run, off), endOf(next.run, on), question);
  return change !== null && timesOf(before).arrival + change.seconds <= timesOf(next).departure;
}
