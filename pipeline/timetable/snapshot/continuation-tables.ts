import { SECONDS_PER_DAY } from '../../model/service-time.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import { deriveContinuations } from './derive-continuations.ts';
import type { FeedColumns } from './read-feeds.ts';
import type { ServiceBook } from './service-tables.ts';
import type { Continuation, TripEnds, TripRules } from './trip-ends.ts';

type ContinuationTables = Pick<TimetableTables, 'continuations' | 'continuationsBack'>;

const TO_STAY_SEATED = 4;
const TO_GET_OFF = 5;

/**
 * Trips that continue as other trips.
 * @param services gets those for days that no feed's service has
 * @param isDeriving whether trips continue as the next one of their number or line without a block or rule
 */
export function buildContinuationTables(
  transfers: FeedColumns['transfers'],
  ends: TripEnds,
  services: ServiceBook,
  isDeriving: boolean,
): ContinuationTables {
  const rules = readTripRules(transfers, ends);
  const found = [...listLinked(rules, ends, services), ...listBlocks(rules, ends, services)];
  if (isDeriving) found.push(...deriveContinuations(ends, rules, services));
  found.sort((a, b) => a.fromTrip - b.fromTrip || a.toTrip - b.toTrip);
  const toTrip = Int32Array.from(found, (each) => each.toTrip);
  return {
    continuations: {
      fromTrip: Int32Array.from(found, (each) => each.fromTrip),
      toTrip,
      dayOffset: Int8Array.from(found, (each) => each.dayOffset),
      service: Int32Array.from(found, (each) => each.service),
      isDerived: Uint8Array.from(found, (each) => Number(each.isDerived)),
    },
    continuationsBack: {
      continuation: Int32Array.from(toTrip.keys()).sort((a, b) => toTrip[a]! - toTrip[b]! || a - b),
    },
  };
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

/** Continuations of type 4: on the same day, or on the next if the second trip begins before the first has arrived. */
function listLinked(rules: TripRules, ends: TripEnds, services: ServiceBook): Continuation[] {
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
      const days = services.listDays(first).filter((day) => services.runsOn(second, day + dayOffset));
      known.set(name, days.length > 0 ? services.getService(days) : null);
    }
    const service = known.get(name);
    if (service !== undefined && service !== null)
      found.push({ fromTrip, toTrip, dayOffset, service, isDerived: false });
  }
  return found;
}

/**
 * Continuations within blocks: each trip continues as the next of its block that day if that begins at its last stop.
 */
function listBlocks(rules: TripRules, ends: TripEnds, services: ServiceBook): Continuation[] {
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
      const service = services.getService(days.sort((a, b) => a - b));
      found.push({ fromTrip, toTrip, dayOffset: 0, service, isDerived: false });
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

function sortDays(services: ServiceBook, among: readonly number[]): DayKind[] {
  const kinds = new Map<string, { running: Set<number>; days: number[] }>();
  const all = new Set(among.flatMap((service) => services.listDays(service)));
  for (const day of [...all].sort((a, b) => a - b)) {
    const running = among.filter((service) => services.runsOn(service, day));
    const name = running.join(' ');
    const kind = kinds.get(name);
    if (kind) kind.days.push(day);
    else kinds.set(name, { running: new Set(running), days: [day] });
  }
  return [...kinds.values()];
}
