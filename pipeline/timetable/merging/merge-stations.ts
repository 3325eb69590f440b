import { distanceMeters, isCoordinate, METERS_PER_DEGREE } from '../../model/geo.ts';
import { listGlobalStopIds } from '../../model/global-stop-id.ts';
import { type Product, products } from '../../model/product.ts';
import { nameWords } from '../../model/stop-name.ts';

/** Stops of all feeds, by row. */
export interface MergeableStops {
  readonly source: Uint16Array;
  readonly stopId: readonly string[];
  /** Empty if absent. */
  readonly stopCode: readonly string[];
  readonly name: readonly string[];
  /** Degrees; NaN where unknown. */
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  /** As published: the station, or the stop itself. */
  readonly station: Int32Array;
  readonly locationType: Uint8Array;
  /** Sum of `1 << product` over the lines that call at the stop itself. */
  readonly productClasses: Uint16Array;
  /** Number of calls at the stop itself. */
  readonly callCount: Int32Array;
}

/** Reasons for which stations are merged. */
export const stationRules = ['table', 'global_id', 'name'] as const;
type StationRule = (typeof stationRules)[number];

interface StationMerge {
  /** The station that was merged, as published. */
  readonly stop: number;
  readonly rule: StationRule;
}

export interface MergedStations {
  /** By stop: the merged station, or the stop itself. */
  readonly station: Int32Array<ArrayBuffer>;
  /** By `stop`. */
  readonly merges: readonly StationMerge[];
}

export interface StationMergeRules {
  readonly byId: boolean;
  readonly byName: boolean;
  /** Pairs of rows of stops. */
  readonly merged: readonly (readonly [number, number])[];
  readonly separate: readonly (readonly [number, number])[];
}

/** Maximum distance of stations with equal numbers. */
const SAME_ID_METERS = 1000;
const RAIL_METERS = 400;
const OTHER_METERS = 150;
/** A chain of stations with one name may be this many times wider than a single step. */
const MAX_STEPS = 2;

const RAIL = maskOf('train', 'regionalTrain', 'sBahn');
/** Landing stages and cableway stations stay separate from a stop of the same name. */
const SPECIAL = [maskOf('ship'), maskOf('cableway')];

function maskOf(...of: readonly Product[]): number {
  return of.reduce((mask, product) => mask | (1 << products.indexOf(product)), 0);
}

/**
 * Merges stations that are published more than once: by the operator's table, by the number of a register (IFOPT, UIC,
 * EVA, DIVA) in ids or codes, else by name and distance. Stations with different numbers of one register are never
 * merged by name. The station with the most calls represents the others.
 */
export function mergeStations(stops: MergeableStops, rules: StationMergeRules): MergedStations {
  const groups = openGroups(stops, rules.separate);
  for (const [one, other] of rules.merged) groups.join(stops.station[one]!, stops.station[other]!, 'table');
  if (rules.byId) joinById(groups);
  if (rules.byName) joinByName(groups);
  const representative = chooseRepresentatives(groups);
  const station = Int32Array.from(stops.station, (published) => representative[groups.find(published)]!);
  const isMerged = (stop: number) => stops.station[stop] === stop && station[stop] !== stop;
  return {
    station,
    merges: [...station.keys()].filter(isMerged).map((stop) => ({ stop, rule: groups.ruleOf(stop, station[stop]!) })),
  };
}

/** Facts of a published station: its own and those of its platforms. */
interface StationFacts {
  readonly ids: ReadonlyMap<string, ReadonlySet<string>>;
  readonly productClasses: number;
  readonly callCount: number;
}

/** Groups of merged stations; one station represents the group. */
interface StationGroups {
  readonly stops: MergeableStops;
  /** Published stations that can be merged. */
  readonly stations: readonly number[];
  readonly facts: ReadonlyMap<number, StationFacts>;
  find(station: number): number;
  join(one: number, other: number, rule: StationRule): void;
  members(group: number): readonly number[];
  /** The rule that merged a station into the group of its representative. */
  ruleOf(station: number, representative: number): StationRule;
}

/** Entrances, nodes and boarding areas are not stations, even without a parent. */
const STATION_TYPES: ReadonlySet<number> = new Set([0, 1]);

function openGroups(stops: MergeableStops, separate: StationMergeRules['separate']): StationGroups {
  const facts = collectFacts(stops);
  const group = new Map<number, number>();
  const members = new Map<number, readonly number[]>();
  const links = new Map<number, { readonly other: number; readonly rule: StationRule }[]>();
  const forbidden = listForbidden(stops, separate);
  const find = (station: number) => group.get(station) ?? station;
  const listMembers = (of: number) => members.get(of) ?? [of];
  const mayJoin = (a: readonly number[], b: readonly number[], rule: StationRule) =>
    !a.some((one) => b.some((other) => forbidden.get(one)?.has(other))) &&
    (rule !== 'name' || a.every((one) => b.every((other) => !haveOtherIds(facts.get(one)!, facts.get(other)!))));
  return {
    stops,
    stations: [...facts.keys()],
    facts,
    find,
    members: listMembers,
    join(one, other, rule) {
      const [a, b] = [find(one), find(other)];
      if (a === b || !mayJoin(listMembers(a), listMembers(b), rule)) return;
      for (const station of listMembers(b)) group.set(station, a);
      members.set(a, [...listMembers(a), ...listMembers(b)]);
      for (const [from, to] of [
        [one, other],
        [other, one],
      ] as const) {
        links.set(from, [...(links.get(from) ?? []), { other: to, rule }]);
      }
    },
    ruleOf: (station, representative) => findRule(links, station, representative),
  };
}

/** The weakest rule on the path from a station to its representative; the links of a group form a tree. */
function findRule(
  links: ReadonlyMap<number, readonly { readonly other: number; readonly rule: StationRule }[]>,
  station: number,
  representative: number,
): StationRule {
  const reached = new Map<number, StationRule>([[representative, 'table']]);
  const weaker = (a: StationRule, b: StationRule) =>
    stationRules[Math.max(stationRules.indexOf(a), stationRules.indexOf(b))]!;
  for (const [at, rule] of reached) {
    for (const link of links.get(at) ?? []) {
      if (!reached.has(link.other)) reached.set(link.other, weaker(rule, link.rule));
    }
  }
  return reached.get(station)!;
}

function listForbidden(stops: MergeableStops, separate: StationMergeRules['separate']) {
  const forbidden = new Map<number, Set<number>>();
  for (const [one, other] of separate) {
    const [a, b] = [stops.station[one]!, stops.station[other]!];
    forbidden.set(a, (forbidden.get(a) ?? new Set()).add(b));
    forbidden.set(b, (forbidden.get(b) ?? new Set()).add(a));
  }
  return forbidden;
}

function collectFacts(stops: MergeableStops): Map<number, StationFacts> {
  const facts = new Map<number, { ids: Map<string, Set<string>>; productClasses: number; callCount: number }>();
  for (let stop = 0; stop < stops.station.length; stop++) {
    if (stops.station[stop] !== stop || !STATION_TYPES.has(stops.locationType[stop]!)) continue;
    facts.set(stop, { ids: new Map(), productClasses: 0, callCount: 0 });
  }
  for (let stop = 0; stop < stops.station.length; stop++) {
    const station = facts.get(stops.station[stop]!);
    if (station === undefined) continue;
    station.productClasses |= stops.productClasses[stop]!;
    station.callCount += stops.callCount[stop]!;
    for (const text of [stops.stopId[stop]!, stops.stopCode[stop]!]) {
      for (const { register, station: id } of listGlobalStopIds(text)) {
        station.ids.set(register, (station.ids.get(register) ?? new Set()).add(id));
      }
    }
  }
  return facts;
}

/** Whether a register has different numbers for the two. */
function haveOtherIds(one: StationFacts, other: StationFacts): boolean {
  const areRailway = isRail(one.productClasses) && isRail(other.productClasses);
  for (const [register, ids] of one.ids) {
    // Any number of seven digits looks like that of a railway.
    if (register === 'uic' && !areRailway) continue;
    const others = other.ids.get(register);
    if (others && ![...ids].some((id) => others.has(id))) return true;
  }
  return false;
}

// ---- Rules -------------------------------------------------------------------------------------

function joinById(groups: StationGroups): void {
  const byId = new Map<string, number[]>();
  for (const station of groups.stations) {
    for (const [register, ids] of groups.facts.get(station)!.ids) {
      for (const id of ids) append(byId, `${register} ${id}`, station);
    }
  }
  for (const stations of byId.values()) {
    for (const [i, other] of stations.entries()) {
      // Nearest first: a number reused elsewhere must not join distant places.
      for (const one of stations.slice(0, i)) {
        if (!(metersApart(groups.stops, one, other) > SAME_ID_METERS)) groups.join(one, other, 'global_id');
      }
    }
  }
}

function append<Key>(lists: Map<Key, number[]>, key: Key, value: number): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** NaN if a location is unknown. */
function metersApart({ lat, lon }: MergeableStops, a: number, b: number): number {
  return distanceMeters(lat[a]!, lon[a]!, lat[b]!, lon[b]!);
}

interface NamedPair {
  readonly one: number;
  readonly other: number;
  readonly meters: number;
  readonly limit: number;
}

/** Nearest pairs first, so that the result does not depend on the order of the feeds. */
function joinByName(groups: StationGroups): void {
  const pairs = listNamedPairs(groups).sort((a, b) => a.meters - b.meters || a.one - b.one || a.other - b.other);
  for (const { one, other, limit } of pairs) {
    const [a, b] = [groups.members(groups.find(one)), groups.members(groups.find(other))];
    const isCompact = a.every((from) => b.every((to) => !(metersApart(groups.stops, from, to) > limit * MAX_STEPS)));
    if (isCompact) groups.join(one, other, 'name');
  }
}

function listNamedPairs({ stops, stations, facts }: StationGroups): NamedPair[] {
  const byName = new Map<string, number[]>();
  for (const station of stations) {
    if (!isCoordinate(stops.lat[station]!, stops.lon[station]!)) continue;
    const { productClasses } = facts.get(station)!;
    for (const name of listNameForms(stops.name[station]!, productClasses)) append(byName, name, station);
  }
  const pairs = new Map<string, NamedPair>();
  for (const sameName of byName.values()) {
    const byLatitude = sameName.sort((a, b) => stops.lat[a]! - stops.lat[b]! || a - b);
    for (const [i, one] of byLatitude.entries()) {
      for (const other of byLatitude.slice(i + 1)) {
        // A degree of latitude is 111 km everywhere.
        if ((stops.lat[other]! - stops.lat[one]!) * METERS_PER_DEGREE > RAIL_METERS) break;
        const limit = reachOf(facts.get(one)!.productClasses, facts.get(other)!.productClasses);
        const meters = metersApart(stops, one, other);
        const [least, most] = [Math.min(one, other), Math.max(one, other)];
        if (meters <= limit) pairs.set(`${least} ${most}`, { one: least, other: most, meters, limit });
      }
    }
  }
  return [...pairs.values()];
}

/** Maximum distance in metres of two stations with one name; -1 if their products do not fit. */
function reachOf(one: number, other: number): number {
  if (isRail(one) && isRail(other)) return RAIL_METERS;
  // A station without service fits all products.
  if (one !== 0 && other !== 0 && SPECIAL.some((mask) => isOnly(one, mask) !== isOnly(other, mask))) return -1;
  return OTHER_METERS;
}

function isRail(productClasses: number): boolean {
  return (productClasses & RAIL) !== 0;
}

function isOnly(productClasses: number, mask: number): boolean {
  return (productClasses & ~mask) === 0;
}

const STATION_WORD = 'bahnhof';
/** What railways append to the name of a town: `Linz/Donau Hbf`, `Weiden (Oberpf)`. */
const TOWN_QUALIFIER = /\/\p{L}+|\([^)]*\)/gu;

/**
 * The forms of a name by which stations are compared. Names of railway stations may lack "Bahnhof" and suffixes of
 * towns: `Wien Meidling` is `Wien Meidling Bahnhof`.
 */
function listNameForms(name: string, productClasses: number): readonly string[] {
  const forms = new Set([joinName(name)]);
  if (isRail(productClasses)) {
    for (const form of [name, name.replace(TOWN_QUALIFIER, '')]) {
      const words = nameWords(form).map(({ text }) => text);
      const others = words.filter((word) => word !== STATION_WORD);
      forms.add(words.join(' '));
      if (others.length > 0) forms.add(others.join(' '));
      if (!words.some((word) => word.endsWith(STATION_WORD))) forms.add([...words, STATION_WORD].join(' '));
    }
  }
  forms.delete('');
  return [...forms];
}

function joinName(name: string): string {
  return nameWords(name)
    .map(({ text }) => text)
    .join(' ');
}

// ---- Representatives ---------------------------------------------------------------------------

/** Prefers a station to a single stop, then more calls, then known coordinates, then the first. */
function chooseRepresentatives(groups: StationGroups): Int32Array {
  const { stops, facts } = groups;
  const representative = Int32Array.from(stops.station.keys());
  const isPlaced = (stop: number) => Number(isCoordinate(stops.lat[stop]!, stops.lon[stop]!));
  const isStation = (stop: number) => Number(stops.locationType[stop] === 1);
  const compare = (a: number, b: number) =>
    isStation(b) - isStation(a) ||
    facts.get(b)!.callCount - facts.get(a)!.callCount ||
    isPlaced(b) - isPlaced(a) ||
    a - b;
  for (const station of groups.stations) {
    if (groups.find(station) !== station) continue;
    representative[station] = [...groups.members(station)].sort(compare)[0]!;
  }
  return representative;
}
