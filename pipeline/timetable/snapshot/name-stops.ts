import { distanceMeters, METERS_PER_DEGREE } from '../../model/geo.ts';
import { nameWords } from '../../model/stop-name.ts';

/** A town, from `data/lookups/places.csv`: stops inside the radius can be searched for by its name. */
export interface Town {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  readonly radiusMeters: number;
  /** In other languages: "Vienna". */
  readonly otherNames?: readonly string[];
}

/** Stops of all feeds, by row. */
export interface NamedStops {
  readonly name: readonly string[];
  /** Degrees; NaN where unknown. */
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  /** The station, or the stop itself. */
  readonly station: Int32Array;
}

export interface StopNames {
  /** Name shown to riders. */
  readonly name: readonly string[];
  /** The town put before the name; null if the name is as published. */
  readonly town: readonly (string | null)[];
}

/** Maximum distance of stops with one name that are one place, e.g. the two sides of a road. */
const SAME_PLACE_METERS = 500;
/** Radius within which the names of other stops vote for the town of a stop. */
const NEIGHBOUR_METERS = 2000;
/** Votes are weighted by proximity; at this distance half as much as at the stop itself. */
const VOTE_HALF_METERS = 200;
/** Minimum share of the votes for the town. */
const LEAST_VOTE_SHARE = 0.6;
/** Minimum number of names with the prefix of a town, e.g. "Graz Hbf" and "Graz Jakominiplatz". */
const LEAST_NAMES_OF_TOWN = 3;
/** Share of a place's search radius within which it is the town of a stop: further out is the next village. */
const SURE_PLACE_SHARE = 0.5;
const CELL_DEGREES = 0.05;

/**
 * Puts the town before names that several places of the timetable share ("Graz Hauptplatz"); all others stay as
 * published. The town is the common prefix of names nearby, else a place whose centre is near. If neither is found, or
 * if all places of the name are in one town, the published name stays: towns are never guessed.
 */
export function nameStops(stops: NamedStops, places: readonly Town[]): StopNames {
  const name = [...stops.name];
  const town: (string | null)[] = name.map(() => null);
  const ambiguous = findAmbiguous(stops);
  if (ambiguous.length === 0) return { name, town };
  const findTown = openTowns(stops, places);
  for (const sameName of ambiguous) {
    const towns = sameName.map((place) => findTown(place[0]!));
    // A single town for all of them does not distinguish them.
    if (new Set(towns).size < 2) continue;
    for (const [i, place] of sameName.entries()) {
      const found = towns[i];
      if (!found || hasWords(stops.name[place[0]!]!, found)) continue;
      for (const stop of place) {
        name[stop] = `${found} ${stops.name[stop]}`;
        town[stop] = found;
      }
    }
  }
  return { name, town };
}

/** Places of each ambiguous name, as lists of rows; stops without coordinates are in no place. */
function findAmbiguous(stops: NamedStops): number[][][] {
  const byName = new Map<string, number[]>();
  for (const [stop, name] of stops.name.entries()) {
    if (Number.isNaN(whereIs(stops, stop).lat)) continue;
    const rows = byName.get(name);
    if (rows) rows.push(stop);
    else byName.set(name, [stop]);
  }
  return [...byName.values()]
    .filter((rows) => rows.length > 1)
    .map((rows) => groupByPlace(stops, rows))
    .filter((groups) => groups.length > 1);
}

/** A stop has the position of its station: platforms of one station are one place, however long it is. */
function whereIs({ lat, lon, station }: NamedStops, stop: number): { lat: number; lon: number } {
  const at = Number.isNaN(lat[station[stop]!]!) ? stop : station[stop]!;
  return { lat: lat[at]!, lon: lon[at]! };
}

/** Clusters rows that are near to any other of the cluster, in the order of rows. */
function groupByPlace(stops: NamedStops, rows: readonly number[]): number[][] {
  let groups: number[][] = [];
  for (const row of rows) {
    const isNear = (group: readonly number[]) =>
      group.some((other) => metersApart(stops, row, other) <= SAME_PLACE_METERS);
    const near = groups.filter(isNear);
    groups = [...groups.filter((group) => !near.includes(group)), [...near.flat(), row]];
  }
  return groups;
}

function metersApart(stops: NamedStops, a: number, b: number): number {
  const [one, other] = [whereIs(stops, a), whereIs(stops, b)];
  // A degree of latitude is 111 km everywhere.
  if (Math.abs(one.lat - other.lat) * METERS_PER_DEGREE > NEIGHBOUR_METERS) return Number.POSITIVE_INFINITY;
  return distanceMeters(one.lat, one.lon, other.lat, other.lon);
}

/** Finds the town of a stop. */
type FindTown = (stop: number) => string | null;

function openTowns(stops: NamedStops, places: readonly Town[]): FindTown {
  const towns = listTowns(stops.name, places);
  const cells = new Map<string, TownStop[]>();
  for (const [stop, name] of stops.name.entries()) {
    const town = towns.find(name);
    const { lat, lon } = whereIs(stops, stop);
    if (town === null || Number.isNaN(lat)) continue;
    const key = nameCell(lat, lon);
    const cell = cells.get(key) ?? [];
    cell.push({ stop, town });
    cells.set(key, cell);
  }
  return (stop) => {
    const { lat, lon } = whereIs(stops, stop);
    const around = [-1, 0, 1].flatMap((y) =>
      [-1, 0, 1].flatMap((x) => {
        const cell = cells.get(nameCell(lat + y * CELL_DEGREES, lon + x * CELL_DEGREES));
        return cell === undefined ? [] : [cell];
      }),
    );
    return countVotes(stops, stop, around) ?? findSurePlace(places, lat, lon);
  };
}

function nameCell(lat: number, lon: number): string {
  return `${Math.floor(lat / CELL_DEGREES)} ${Math.floor(lon / CELL_DEGREES)}`;
}

/** A stop whose name begins with a town. */
interface TownStop {
  readonly stop: number;
  readonly town: string;
}

/**
 * The most frequent town among the names around; each name votes once, at its nearest stop.
 * @param around several lists, as one list of them would be copied for each stop
 */
function countVotes(stops: NamedStops, stop: number, around: readonly (readonly TownStop[])[]): string | null {
  const votes = new Map<string, { town: string; weight: number }>();
  for (const cell of around) {
    for (const { stop: other, town } of cell) {
      const meters = metersApart(stops, stop, other);
      if (meters > NEIGHBOUR_METERS) continue;
      const weight = 1 / (1 + meters / VOTE_HALF_METERS);
      const name = stops.name[other]!;
      if (weight > (votes.get(name)?.weight ?? 0)) votes.set(name, { town, weight });
    }
  }
  const sums = new Map<string, number>();
  for (const { town, weight } of votes.values()) sums.set(town, (sums.get(town) ?? 0) + weight);
  const [best] = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const all = [...sums.values()].reduce((sum, weight) => sum + weight, 0);
  return best && best[1] >= LEAST_VOTE_SHARE * all ? best[0] : null;
}

function findSurePlace(places: readonly Town[], lat: number, lon: number): string | null {
  const near = places
    .map((place) => ({ ...place, meters: distanceMeters(lat, lon, place.lat, place.lon) }))
    .filter(({ meters, radiusMeters }) => meters <= radiusMeters * SURE_PLACE_SHARE)
    .sort((a, b) => a.meters - b.meters);
  return near[0]?.name ?? null;
}

const SEPARATOR = /[\s,]+/;

interface Towns {
  /** The longest town that is a prefix of a name, as whole words and with something after it. */
  find(name: string): string | null;
}

/**
 * Towns are the known places, and the words before "Hbf" or "Bahnhof" when other names begin with them too: "Am
 * Bahnhof" does not make "Am" a town unless another name begins with "Am", and "Alte" never precedes a station.
 */
function listTowns(names: readonly string[], places: readonly Town[]): Towns {
  const beginnings = new Map<string, Set<string>>();
  for (const name of new Set(names)) {
    for (const beginning of listBeginnings(name)) {
      const followed = beginnings.get(beginning) ?? new Set();
      followed.add(name);
      beginnings.set(beginning, followed);
    }
  }
  const known = new Set(places.map(({ name }) => name));
  for (const name of new Set(names)) {
    const town = readStationTown(name);
    if (town !== null && (beginnings.get(town)?.size ?? 0) >= LEAST_NAMES_OF_TOWN) known.add(town);
  }
  const found = new Map<string, string | null>();
  const find = (name: string) => {
    let town = found.get(name);
    if (town === undefined) {
      town = listBeginnings(name).findLast((beginning) => known.has(beginning)) ?? null;
      found.set(name, town);
    }
    return town;
  };
  return { find };
}

/** "Bruck", "Bruck an", "Bruck an der", "Bruck an der Mur" of "Bruck an der Mur Hauptplatz". */
function listBeginnings(name: string): string[] {
  const words = name.split(SEPARATOR);
  return words.slice(1).map((_, i) => words.slice(0, i + 1).join(' '));
}

/** "Graz" of "Graz Hbf"; null for a name that does not end in a word for station, and for "Am Bahnhof". */
function readStationTown(name: string): string | null {
  const words = name.split(SEPARATOR);
  const last = words.at(-1)!;
  const isStation = nameWords(last).some(({ text }) => text === 'hauptbahnhof' || text === 'bahnhof');
  if (!isStation || words.length < 2) return null;
  const town = words.slice(0, -1).join(' ');
  // Prepositions and adjectives before "Bahnhof", which are not towns.
  return /^(am|an|beim|bei|zum|alter|neuer|dworzec|stazione)\b/i.test(town) ? null : town;
}

/** Whether a name contains all words of a town, in any position. */
function hasWords(name: string, town: string): boolean {
  const words = new Set(nameWords(name).map(({ text }) => text));
  return nameWords(town).every(({ text }) => words.has(text));
}
