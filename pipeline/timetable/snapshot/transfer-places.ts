import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { CallGroup } from './transfer-rules.ts';
import { ANY_CALL, type TransferRules } from './transfer-rules.ts';

/** Transfer places where the calls of patterns board and alight. */
export interface TransferPlaces {
  /** By row of `patternCalls`; -1 if boarding is not allowed. */
  readonly boardAt: Int32Array;
  readonly alightAt: Int32Array;
  /** Transfer places besides the stops, by stop: place `stop count + i` is row i. */
  readonly groups: readonly PlacedGroup[];
}

export interface PlacedGroup extends CallGroup {
  readonly side: Side;
}

type Side = 'alighting' | 'boarding';

/** Calls of patterns without their transfer places. */
export type PlainCalls = Omit<TimetableTables['patternCalls'], 'boardAt' | 'alightAt'>;
type PatternRows = TimetableTables['patterns'];

const NOWHERE = -1;
/** GTFS pickup_type and drop_off_type. */
const NOT_AVAILABLE = 1;

/**
 * Separates the calls of each stop by the transfer rules that apply to them; calls that no rule names by route or trip
 * are at the stop itself.
 * @param tripOfPattern selector of the trip if rules name it and the pattern is its own; else `ANY_CALL`
 * @param station by stop
 */
export function placeCalls(
  patterns: PatternRows,
  calls: PlainCalls,
  rules: TransferRules,
  tripOfPattern: Int32Array,
  station: Int32Array,
): TransferPlaces {
  const allowed = findAllowed(patterns, calls);
  const alighting = groupCalls(
    'alighting',
    patterns,
    allowed.alightAt,
    tripOfPattern,
    nameCalls(rules.fromStop, rules.fromSelector, station),
  );
  const boarding = groupCalls(
    'boarding',
    patterns,
    allowed.boardAt,
    tripOfPattern,
    nameCalls(rules.toStop, rules.toSelector, station),
  );
  const groups = [...alighting.groups, ...boarding.groups].sort(compareGroups);
  const placeOf = new Map(groups.map((group, i) => [group, station.length + i]));
  const place = ({ groups: found, groupOfCall }: GroupedCalls, stops: Int32Array) =>
    stops.map((stop, call) => (groupOfCall[call] === NO_GROUP ? stop : placeOf.get(found[groupOfCall[call]!]!)!));
  return { alightAt: place(alighting, allowed.alightAt), boardAt: place(boarding, allowed.boardAt), groups };
}

/** The stops of the calls, except at ends of trips and where pickup or drop-off is not available. */
function findAllowed(
  patterns: PatternRows,
  { stop, pickupType, dropOffType }: PlainCalls,
): Pick<TransferPlaces, 'boardAt' | 'alightAt'> {
  const boardAt = stop.map((at, call) => (pickupType[call] === NOT_AVAILABLE ? NOWHERE : at));
  const alightAt = stop.map((at, call) => (dropOffType[call] === NOT_AVAILABLE ? NOWHERE : at));
  for (let pattern = 0; pattern < patterns.firstCall.length; pattern++) {
    const first = patterns.firstCall[pattern]!;
    alightAt[first] = NOWHERE;
    boardAt[first + patterns.callCount[pattern]! - 1] = NOWHERE;
  }
  return { boardAt, alightAt };
}

type IsNamed = (selector: number, stop: number) => boolean;

/** Routes and trips that rules name at each stop, directly or through its station. */
function nameCalls(places: Int32Array, selectors: Int32Array, station: Int32Array): IsNamed {
  const named = new Set<number>();
  for (let rule = 0; rule < places.length; rule++) {
    if (selectors[rule] !== ANY_CALL) named.add(selectors[rule]! * station.length + places[rule]!);
  }
  const isNamedAt = (selector: number, place: number) => named.has(selector * station.length + place);
  return (selector, stop) =>
    named.size > 0 && selector !== ANY_CALL && (isNamedAt(selector, stop) || isNamedAt(selector, station[stop]!));
}

interface GroupedCalls {
  readonly groups: readonly PlacedGroup[];
  /** Row of `groups`, or `NO_GROUP`. */
  readonly groupOfCall: Int32Array;
}

const NO_GROUP = -1;

/** @param stops by call, or none */
function groupCalls(
  side: Side,
  patterns: PatternRows,
  stops: Int32Array,
  tripOfPattern: Int32Array,
  isNamed: IsNamed,
): GroupedCalls {
  const groups: PlacedGroup[] = [];
  const groupOfCall = new Int32Array(stops.length).fill(NO_GROUP);
  const known = new Map<string, number>();
  for (let pattern = 0; pattern < patterns.firstCall.length; pattern++) {
    const end = patterns.firstCall[pattern]! + patterns.callCount[pattern]!;
    for (let call = patterns.firstCall[pattern]!; call < end; call++) {
      const stop = stops[call]!;
      if (stop === NOWHERE) continue;
      const route = isNamed(patterns.route[pattern]!, stop) ? patterns.route[pattern]! : ANY_CALL;
      const trip = isNamed(tripOfPattern[pattern]!, stop) ? tripOfPattern[pattern]! : ANY_CALL;
      if (route === ANY_CALL && trip === ANY_CALL) continue;
      const name = `${stop} ${route} ${trip}`;
      if (!known.has(name)) known.set(name, groups.push({ side, stop, route, trip }) - 1);
      groupOfCall[call] = known.get(name)!;
    }
  }
  return { groups, groupOfCall };
}

function compareGroups(a: PlacedGroup, b: PlacedGroup): number {
  const bySide = Number(a.side === 'boarding') - Number(b.side === 'boarding');
  return a.stop - b.stop || bySide || a.route - b.route || a.trip - b.trip;
}
