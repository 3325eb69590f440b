import { SECONDS_PER_DAY } from '../../model/service-time.ts';
import type { Runs } from '../feed/patterns.ts';
import { runsOn, type TimetableTables } from './contract.ts';
import type { FeedColumns } from './read-feeds.ts';
import { openServiceBook, type ServiceBook, type ServiceTables } from './service-tables.ts';

type ContinuationTables = Pick<TimetableTables, 'continuations' | 'continuationsBack'> & ServiceTables;

interface Continuation {
  readonly fromTrip: number;
  readonly toTrip: number;
  readonly dayOffset: number;
  /** Row of the services. */
  readonly service: number;
}

/** Facts about the trips that continuations depend on, by row of the snapshot. */
interface TripEnds {
  readonly service: Int32Array;
  readonly block: Int32Array;
  /** 1 for a trip of a frequency, which has no continuation. */
  readonly isRepeated: Uint8Array;
  readonly firstStation: Int32Array;
  readonly lastStation: Int32Array;
  readonly firstDeparture: Int32Array;
  readonly lastArrival: Int32Array;
  /** Number of the trip in its feed's order, which is that of trip ids. */
  readonly trip: Int32Array;
}

const TO_STAY_SEATED = 4;
const TO_GET_OFF = 5;

export function findTripEnds(
  { stops }: FeedColumns,
  runs: Runs,
  runOrder: Int32Array,
  { patterns, patternCalls, times, trips }: Pick<TimetableTables, 'patterns' | 'patternCalls' | 'times' | 'trips'>,
): TripEnds {
  const firstCall = (trip: number) => patterns.firstCall[trips.pattern[trip]!]!;
  const lastOffset = (trip: number) => patterns.callCount[trips.pattern[trip]!]! - 1;
  const firstTime = (trip: number) => {
    const pattern = trips.pattern[trip]!;
    return patterns.firstTime[pattern]! + (trip - patterns.firstTrip[pattern]!) * patterns.callCount[pattern]!;
  };
  const rows = Int32Array.from(runOrder.keys());
  return {
    service: trips.service,
    block: trips.block,
    isRepeated: Uint8Array.from(trips.frequencyStart, (start) => Number(start >= 0)),
    firstStation: rows.map((trip) => stops.station[patternCalls.stop[firstCall(trip)]!]!),
    lastStation: rows.map((trip) => stops.station[patternCalls.stop[firstCall(trip) + lastOffset(trip)]!]!),
    firstDeparture: rows.map((trip) => times.departure[firstTime(trip)]!),
    lastArrival: rows.map((trip) => times.arrival[firstTime(trip) + lastOffset(trip)]!),
    trip: runOrder.map((run) => runs.trip[run]!),
  };
}

/** Trips that continue as other trips, and the services extended by those for days that no feed's service has. */
export function buildContinuationTables(
  transfers: FeedColumns['transfers'],
  ends: TripEnds,
  feedServices: ServiceTables,
): ContinuationTables {
  const book = openServiceBook(feedServices);
  const rules = readTripRules(transfers, ends);
  const found = [...listLinked(rules, ends, feedServices, book), ...listBlocks(rules, ends, feedServices, book)];
  found.sort((a, b) => a.fromTrip - b.fromTrip || a.toTrip - b.toTrip);
  const toTrip = Int32Array.from(found, (each) => each.toTrip);
  return {
    ...book.listServices(),
    continuations: {
      fromTrip: Int32Array.from(found, (each) => each.fromTrip),
      toTrip,
      dayOffset: Int8Array.from(found, (each) => each.dayOffset),
      service: Int32Array.from(found, (each) => each.service),
    },
    continuationsBack: {
      continuation: Int32Array.from(toTrip.keys()).sort((a, b) => toTrip[a]! - toTrip[b]! || a - b),
    },
  };
}

/** Transfer rules of types 4 and 5. */
interface TripRules {
  /** Rows of trips, both of them without frequencies. */
  readonly linked: readonly (readonly [from: number, to: number])[];
  readonly isParted: (from: number, to: number) => boolean;
  /** Whether a type 4 rule names the first's continuation or the second's predecessor; blocks are ignored then. */
  readonly isLinked: (from: number, to: number) => boolean;
}

function readTripRules(transfers: FeedColumns['transfers'], ends: TripEnds): TripRules {
  const rowByTrip = new Map<number, number>();
  for (let row = 0; row < ends.trip.length; row++) if (!ends.isRepeated[row]) rowByTrip.set(ends.trip[row]!, row);
  const nameOf = (from: number, to: number) => from * ends.trip.length + to;
  const parted = new Set<number>();
  const linked = new Map<number, readonly [number, number]>();
  const [linkedFrom, linkedTo] = [new Set<number>(), new Set<number>()];
  for (let rule = 0; rule < transfers.type.length; rule++) {
    const type = transfers.type[rule]!;
    if (type !== TO_STAY_SEATED && type !== TO_GET_OFF) continue;
    const from = rowByTrip.get(transfers.fromTrip[rule]!);
    const to = rowByTrip.get(transfers.toTrip[rule]!);
    if (type === TO_STAY_SEATED && from !== undefined) linkedFrom.add(from);
    if (type === TO_STAY_SEATED && to !== undefined) linkedTo.add(to);
    if (from === undefined || to === undefined) continue;
    if (type === TO_GET_OFF) parted.add(nameOf(from, to));
    else linked.set(nameOf(from, to), [from, to]);
  }
  return {
    linked: [...linked.values()],
    isParted: (from, to) => parted.has(nameOf(from, to)),
    isLinked: (from, to) => linkedFrom.has(from) || linkedTo.has(to),
  };
}

/** Continuations of type 4: on the same day, or on the next where the second begins before the first has arrived. */
function listLinked(rules: TripRules, ends: TripEnds, services: ServiceTables, book: ServiceBook): Continuation[] {
  const known = new Map<string, number | null>();
  const found: Continuation[] = [];
  for (const [fromTrip, toTrip] of rules.linked) {
    if (rules.isParted(fromTrip, toTrip)) continue;
    const wait = ends.firstDeparture[toTrip]! - ends.lastArrival[fromTrip]!;
    const dayOffset = wait < 0 ? 1 : 0;
    if (wait + dayOffset * SECONDS_PER_DAY < 0) continue;
    const [first, second] = [ends.service[fromTrip]!, ends.service[toTrip]!];
    const name = `${first} ${second} ${dayOffset}`;
    if (!known.has(name)) {
      const days = listDays(services, [first]).filter((day) => runsOn(services, second, day + dayOffset));
      known.set(name, days.length > 0 ? book.getService(days) : null);
    }
    const service = known.get(name);
    if (service !== undefined && service !== null) found.push({ fromTrip, toTrip, dayOffset, service });
  }
  return found;
}

/** Continuations of blocks: of a block's trips on a day, each continues as the next where that begins at its end. */
function listBlocks(rules: TripRules, ends: TripEnds, services: ServiceTables, book: ServiceBook): Continuation[] {
  const known = new Map<string, readonly DayKind[]>();
  const found: Continuation[] = [];
  for (const trips of groupByBlock(ends)) {
    if (trips.length < 2) continue;
    const inBlock = [...new Set(trips.map((trip) => ends.service[trip]!))].sort((a, b) => a - b);
    const name = inBlock.join(' ');
    const kinds = known.get(name) ?? sortDays(services, inBlock);
    known.set(name, kinds);
    const daysOfPair = new Map<number, { fromTrip: number; toTrip: number; days: number[] }>();
    for (const { running, days } of kinds) {
      const chain = trips.filter((trip) => running.has(ends.service[trip]!));
      for (let i = 1; i < chain.length; i++) {
        const [fromTrip, toTrip] = [chain[i - 1]!, chain[i]!];
        if (!goesOn(rules, ends, fromTrip, toTrip)) continue;
        const pair = daysOfPair.get(fromTrip * ends.trip.length + toTrip) ?? { fromTrip, toTrip, days: [] };
        for (const day of days) pair.days.push(day);
        daysOfPair.set(fromTrip * ends.trip.length + toTrip, pair);
      }
    }
    for (const { fromTrip, toTrip, days } of daysOfPair.values()) {
      const service = book.getService(days.sort((a, b) => a - b));
      found.push({ fromTrip, toTrip, dayOffset: 0, service });
    }
  }
  return found;
}

function goesOn(rules: TripRules, ends: TripEnds, from: number, to: number): boolean {
  if (ends.lastStation[from] !== ends.firstStation[to]) return false;
  if (ends.firstDeparture[to]! < ends.lastArrival[from]!) return false;
  return !rules.isLinked(from, to) && !rules.isParted(from, to);
}

/** @returns for each block its trips in the order of first departures */
function groupByBlock(ends: TripEnds): number[][] {
  const blocks = new Map<number, number[]>();
  for (let trip = 0; trip < ends.block.length; trip++) {
    const block = ends.block[trip]!;
    if (block < 0 || ends.isRepeated[trip]) continue;
    const sameBlock = blocks.get(block);
    if (sameBlock) sameBlock.push(trip);
    else blocks.set(block, [trip]);
  }
  const { firstDeparture, trip } = ends;
  const compare = (a: number, b: number) => firstDeparture[a]! - firstDeparture[b]! || trip[a]! - trip[b]!;
  return Array.from(blocks.values(), (trips) => trips.sort(compare));
}

/** Days on which the same subset of some services runs. */
interface DayKind {
  readonly running: ReadonlySet<number>;
  readonly days: readonly number[];
}

function sortDays(services: ServiceTables, among: readonly number[]): DayKind[] {
  const kinds = new Map<string, { running: Set<number>; days: number[] }>();
  for (const day of listDays(services, among)) {
    const running = among.filter((service) => runsOn(services, service, day));
    const name = running.join(' ');
    const kind = kinds.get(name);
    if (kind) kind.days.push(day);
    else kinds.set(name, { running: new Set(running), days: [day] });
  }
  return [...kinds.values()];
}

/** Days on which any of some services runs, ascending. */
function listDays(services: ServiceTables, among: readonly number[]): number[] {
  const { firstDay, lastDay } = services.services;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const service of among) {
    // An idle service ends before it begins.
    if (lastDay[service]! < firstDay[service]!) continue;
    first = Math.min(first, firstDay[service]!);
    last = Math.max(last, lastDay[service]!);
  }
  const days: number[] = [];
  for (let day = first; day <= last; day++) if (among.some((service) => runsOn(services, service, day))) days.push(day);
  return days;
}
