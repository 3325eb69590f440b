import { partitionPoint } from '../../model/binary-search.ts';
import { SECONDS_PER_DAY } from '../../model/service-time.ts';
import { compareTripNames, trainNumberOf } from '../merging/name-trips.ts';

import type { ServiceBook } from './service-tables.ts';
import type { Continuation, TripEnds, TripRules } from './trip-ends.ts';

/** Maximum wait between the end of the first trip and the start of the second. */
const MAX_WAIT_SECONDS = 15 * 60;
const DAY_OFFSETS = [0, 1];

/** The other trip of a possible continuation. */
interface Candidate {
  readonly trip: number;
  readonly dayOffset: number;
}

/**
 * Derives through trips without a block or transfer rule: same product class, same number or line, and the second
 * begins where and when the first ends. They apply on days on which the first has no other successor and the second no
 * other predecessor.
 */
export function deriveContinuations(ends: TripEnds, rules: TripRules, services: ServiceBook): Continuation[] {
  const next = listCandidates(ends, rules, services);
  const before = new Map<number, Candidate[]>();
  for (const [trip, candidates] of next) {
    for (const { trip: to, dayOffset } of candidates) {
      const list = before.get(to) ?? [];
      list.push({ trip, dayOffset });
      before.set(to, list);
    }
  }
  const findService = openDays(services);
  const found: Continuation[] = [];
  for (const [fromTrip, candidates] of next) {
    for (const { trip: toTrip, dayOffset } of candidates) {
      const others = candidates.filter(({ trip }) => trip !== toTrip);
      const otherwise = before.get(toTrip)!.filter(({ trip }) => trip !== fromTrip);
      const service = findService(ends.service[fromTrip]!, {
        to: ends.service[toTrip]!,
        dayOffset,
        unless: [
          ...others.map((other) => ({ service: ends.service[other.trip]!, offset: other.dayOffset })),
          ...otherwise.map((other) => ({ service: ends.service[other.trip]!, offset: dayOffset - other.dayOffset })),
        ],
      });
      if (service !== null) found.push({ fromTrip, toTrip, dayOffset, service, isDerived: true });
    }
  }
  return found;
}

// ---- Candidates --------------------------------------------------------------------------------

/** @returns by trip: those that begin where and when it ends, on a common day */
function listCandidates(ends: TripEnds, rules: TripRules, services: ServiceBook): Map<number, Candidate[]> {
  const placeOf = numberPlaces(ends);
  const starts = indexStarts(ends, placeOf);
  const meet = openMeetings(services);
  const found = new Map<number, Candidate[]>();
  for (let from = 0; from < ends.trip.length; from++) {
    if (ends.isRepeated[from] || ends.block[from]! >= 0) continue;
    const list = starts.get(placeOf(from, ends.lastStation[from]!));
    if (list === undefined) continue;
    for (const dayOffset of DAY_OFFSETS) {
      const earliest = ends.lastArrival[from]! - dayOffset * SECONDS_PER_DAY;
      const first = partitionPoint(0, list.length, (i) => ends.firstDeparture[list[i]!]! < earliest);
      for (let i = first; i < list.length; i++) {
        const to = list[i]!;
        if (ends.firstDeparture[to]! > earliest + MAX_WAIT_SECONDS) break;
        if (!isThrough(ends, from, to) || rules.isLinked(from, to) || rules.isParted(from, to)) continue;
        if (!meet(ends.service[from]!, ends.service[to]!, dayOffset)) continue;
        const candidates = found.get(from);
        if (candidates) candidates.push({ trip: to, dayOffset });
        else found.set(from, [{ trip: to, dayOffset }]);
      }
    }
  }
  return found;
}

/** Number of what a trip needs at a station for another one to continue it. */
type PlaceOf = (trip: number, station: number) => number;

/** Trips by product class and first station; those of a list by first departure. */
function indexStarts(ends: TripEnds, placeOf: PlaceOf): Map<number, number[]> {
  const starts = new Map<number, number[]>();
  for (let trip = 0; trip < ends.trip.length; trip++) {
    if (ends.isRepeated[trip] || ends.block[trip]! >= 0) continue;
    const place = placeOf(trip, ends.firstStation[trip]!);
    const list = starts.get(place);
    if (list) list.push(trip);
    else starts.set(place, [trip]);
  }
  for (const list of starts.values()) list.sort((a, b) => ends.firstDeparture[a]! - ends.firstDeparture[b]! || a - b);
  return starts;
}

/** Trips with a number continue only as trips with that number, trips of a line only as trips of that line. */
function numberPlaces({ name, names, zone }: TripEnds): PlaceOf {
  const zones = numberTexts(zone);
  const labels = numberTexts(
    names.map((label) => {
      const number = trainNumberOf(label);
      return `${label.productClass} ${number === null ? `line ${label.line}` : `number ${number}`}`;
    }),
  );
  return (trip, station) =>
    (station * labels.count + labels.numbers[name[trip]!]!) * zones.count + zones.numbers[trip]!;
}

/** Equal texts have equal numbers. */
function numberTexts(texts: readonly string[]): { readonly numbers: Int32Array; readonly count: number } {
  const known = new Map<string, number>();
  const numbers = Int32Array.from(texts, (text) => {
    const number = known.get(text) ?? known.size;
    if (number === known.size) known.set(text, number);
    return number;
  });
  return { numbers, count: known.size };
}

/**
 * Whether passengers may stay seated. The number of a train is certain. For lines it must be ruled out that the vehicle
 * turns at its terminus (it would return by its last stop or in the other direction), and that two publishers use the
 * same label.
 */
function isThrough(ends: TripEnds, from: number, to: number): boolean {
  const [name, other] = [ends.names[ends.name[from]!]!, ends.names[ends.name[to]!]!];
  const common = from === to ? null : compareTripNames(name, other);
  if (common !== 'line') return common === 'number';
  const isTurning =
    ends.direction[from]! >= 0 && ends.direction[to]! >= 0 && ends.direction[from] !== ends.direction[to];
  return !isTurning && ends.source[from] === ends.source[to] && ends.secondStation[to] !== ends.lastButOneStation[from];
}

// ---- Days --------------------------------------------------------------------------------------

/** Whether two services share a day, the second shifted by some days; cached, as most pairs are compared many times. */
function openMeetings(services: ServiceBook): (one: number, other: number, dayOffset: number) => boolean {
  const known = new Map<string, boolean>();
  return (one, other, dayOffset) => {
    const name = `${one} ${other} ${dayOffset}`;
    const meeting = known.get(name) ?? services.listDays(one).some((day) => services.runsOn(other, day + dayOffset));
    known.set(name, meeting);
    return meeting;
  };
}

interface Pairing {
  readonly to: number;
  readonly dayOffset: number;
  /** Services of the other candidates; days count from those of the first trip. */
  readonly unless: readonly { readonly service: number; readonly offset: number }[];
}

/** Finds the service of a pair's days; null if absent. */
function openDays(services: ServiceBook): (from: number, pairing: Pairing) => number | null {
  const known = new Map<string, number | null>();
  return (from, { to, dayOffset, unless }) => {
    const others = [...new Set(unless.map(({ service, offset }) => `${service}+${offset}`))].sort();
    const name = `${from} ${to}+${dayOffset} ${others.join(' ')}`;
    let service = known.get(name);
    if (service === undefined) {
      const isAlone = (day: number) => !unless.some((other) => services.runsOn(other.service, day + other.offset));
      const days = services.listDays(from).filter((day) => services.runsOn(to, day + dayOffset) && isAlone(day));
      service = days.length > 0 ? services.getService(days) : null;
      known.set(name, service);
    }
    return service;
  };
}
