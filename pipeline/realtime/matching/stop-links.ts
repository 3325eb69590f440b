import { isCoordinate } from '../../model/geo.ts';
import type { MetroStation } from '../../model/metro-stations.ts';
import type { RecordProblem } from '../../model/problem.ts';
import type { IdSpace, StopName } from '../../model/realtime.ts';
import { listIdForms } from '../../model/stop-id-forms.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import { isSameName, isSimilarName, type PlaceNames } from './place-names.ts';
import { overrideKey, type StopLinkOverride, toProblem } from './stop-link-overrides.ts';
import { findStop, metersFrom, type TimetableIndex } from './timetable-index.ts';

/** Published stations, and stops without one, on a grid whose cells are wider than any distance searched. */
type StopGrid = ReadonlyMap<number, readonly number[]>;

/** Degrees: 440 m from south to north, and as much from west to east up to 56° north. */
const CELL_LAT = 0.004;
const CELL_LON = 0.0072;
const COLUMNS = 100_000;

/** Only stops with calls and coordinates. */
function buildStopGrid({ stops }: TimetableTables): StopGrid {
  const grid = new Map<number, number[]>();
  for (let stop = 0; stop < stops.station.length; stop++) {
    if (stops.publishedStation[stop] !== stop || stops.memberCount[stop] === 0) continue;
    if (!isCoordinate(stops.lat[stop]!, stops.lon[stop]!)) continue;
    const cell = cellOf(rowOf(stops.lat[stop]!), columnOf(stops.lon[stop]!));
    const list = grid.get(cell);
    if (list) list.push(stop);
    else grid.set(cell, [stop]);
  }
  return grid;
}

/** All stops within 440 m, and some further away. */
function stopsAround(grid: StopGrid, lat: number, lon: number): number[] {
  const found: number[] = [];
  for (let row = rowOf(lat) - 1; row <= rowOf(lat) + 1; row++) {
    for (let column = columnOf(lon) - 1; column <= columnOf(lon) + 1; column++) {
      found.push(...(grid.get(cellOf(row, column)) ?? []));
    }
  }
  return found;
}

const rowOf = (lat: number) => Math.floor(lat / CELL_LAT);
const columnOf = (lon: number) => Math.floor(lon / CELL_LON);
const cellOf = (row: number, column: number) => row * COLUMNS + column;

/**
 * How a publisher's stop was linked, most certain first: reviewed by hand, its id, the id of its station, the same name
 * nearby, a similar name at the same place. Never by distance alone.
 */
type LinkedBy = 'override' | 'id' | 'station_id' | 'same_name_near' | 'similar_name_near';

export interface StopLink {
  /** Rows of stops, nearest first: one, or the poles of a stop that the timetable does not group into a station. */
  readonly stops: readonly number[];
  readonly how: LinkedBy;
}

export interface StopLinks {
  /** @param source row of the timetable's sources to search */
  find(stop: StopName, source: number): StopLink | null;
  /** Overrides that name stops which the timetable does not have. */
  readonly problems: readonly RecordProblem[];
}

export interface StopLookups {
  readonly stopLinks: readonly StopLinkOverride[];
  readonly metroStations: readonly MetroStation[];
}

const SAME_NAME_METERS = 300;
const SIMILAR_NAME_METERS = 100;
/** Equal numbers of two registers are of one stop only where the places are not further apart. */
const SAME_ID_METERS = 1000;
/** More than publishers have stops; beyond it a link is computed each time. */
const MAX_REMEMBERED_LINKS = 200_000;

interface StopLinkIndexes {
  readonly index: TimetableIndex;
  readonly names: PlaceNames;
  readonly grid: StopGrid;
  /** By `overrideKey`. */
  readonly overrides: ReadonlyMap<string, StopLinkOverride>;
  readonly stationOfStopPoint: ReadonlyMap<string, MetroStation>;
  readonly stationOfDiva: ReadonlyMap<string, MetroStation>;
}

export function openStopLinks(
  index: TimetableIndex,
  names: PlaceNames,
  { stopLinks, metroStations }: StopLookups,
): StopLinks {
  const indexes: StopLinkIndexes = {
    index,
    names,
    grid: buildStopGrid(index.tables),
    overrides: new Map(stopLinks.map((link) => [overrideKey(link), link])),
    stationOfStopPoint: new Map(
      metroStations.flatMap((station) => station.stopPoints.map((point) => [String(point), station] as const)),
    ),
    stationOfDiva: new Map(metroStations.map((station) => [String(station.diva), station])),
  };
  const memory = rememberLinks(index.sourceIds.length);
  return {
    find(stop, source) {
      const known = memory(source, stop.idSpace);
      const key = rememberedName(stop);
      let link = known.get(key);
      if (link === undefined) {
        link = findLink(indexes, stop, source);
        if (known.size < MAX_REMEMBERED_LINKS) known.set(key, link);
      }
      return link;
    },
    problems: listBrokenOverrides(index, stopLinks),
  };
}

/** Cached links by timetable and id space: the same stops come hundreds of thousands of times with every answer. */
function rememberLinks(sourceCount: number) {
  const bySource = Array.from({ length: sourceCount }, () => new Map<IdSpace, Map<string, StopLink | null>>());
  return (source: number, idSpace: IdSpace): Map<string, StopLink | null> => {
    const known = bySource[source]!.get(idSpace) ?? new Map();
    bySource[source]!.set(idSpace, known);
    return known;
  };
}

/** Includes name and place: a publisher may report them in one answer and leave them out in another. */
function rememberedName({ id, name, lat, lon, stationId = null }: StopName): string {
  if (id !== null && name === null && lat === null && stationId === null) return id;
  return `${id}\u001f${name}\u001f${lat}\u001f${lon}\u001f${stationId}`;
}

/** An override for a stop that is gone is a problem, but not one for a timetable that is not loaded. */
function listBrokenOverrides(index: TimetableIndex, overrides: readonly StopLinkOverride[]): RecordProblem[] {
  return overrides
    .filter(({ timetableSource, stopId }) => {
      const source = index.sourceIds.indexOf(timetableSource);
      return source >= 0 && stopId !== null && findStop(index, source, stopId) < 0;
    })
    .map(({ row, stopId }) => toProblem('unknown_stop', row, stopId ?? ''));
}

function findLink(indexes: StopLinkIndexes, reported: StopName, source: number): StopLink | null {
  const override = findOverride(indexes, reported, source);
  if (override !== undefined) return override;
  const stop = withMetroFacts(indexes, reported);
  return findById(indexes, stop, source) ?? findByName(indexes, stop, source);
}

/** @returns undefined without a review; null where the review found that there is no link */
function findOverride(
  { index, overrides }: StopLinkIndexes,
  stop: StopName,
  source: number,
): StopLink | null | undefined {
  if (stop.id === null) return undefined;
  const timetableSource = index.sourceIds[source]!;
  const override = overrides.get(overrideKey({ idSpace: stop.idSpace, id: stop.id, timetableSource }));
  if (!override) return undefined;
  if (override.stopId === null) return null;
  const row = findStop(index, source, override.stopId);
  // The stop is gone since the review: reported as a problem, and matched like any other.
  return row < 0 ? undefined : { stops: [row], how: 'override' };
}

/** Adds name and place of an underground station or platform that is known by its number. */
function withMetroFacts({ stationOfDiva, stationOfStopPoint }: StopLinkIndexes, stop: StopName): StopName {
  if (stop.id === null || (stop.idSpace !== 'diva' && stop.idSpace !== 'rbl')) return stop;
  const station = (stop.idSpace === 'diva' ? stationOfDiva : stationOfStopPoint).get(stop.id);
  if (!station) return stop;
  return {
    id: String(station.diva),
    idSpace: 'diva',
    name: stop.name ?? station.name,
    lat: stop.lat ?? station.lat,
    lon: stop.lon ?? station.lon,
  };
}

function findById(indexes: StopLinkIndexes, stop: StopName, source: number): StopLink | null {
  if (stop.id === null) return null;
  for (const { stopId, isStation, needsConfirmation } of listIdForms(stop.idSpace, stop.id)) {
    const row = findStop(indexes.index, source, stopId);
    if (row < 0 || (needsConfirmation && !isConfirmed(indexes, stop, row))) continue;
    return { stops: [row], how: isStation ? 'station_id' : 'id' };
  }
  const station = stop.stationId == null ? -1 : findStop(indexes.index, source, stop.stationId);
  return station < 0 ? null : { stops: [station], how: 'station_id' };
}

/** Whether the place or, without one, the name agrees. */
function isConfirmed({ index, names }: StopLinkIndexes, stop: StopName, row: number): boolean {
  const meters = metersFrom(index.tables, row, stop.lat ?? Number.NaN, stop.lon ?? Number.NaN);
  if (!Number.isNaN(meters)) return meters <= SAME_ID_METERS;
  return (
    stop.name !== null && isSimilarName(names.get(stop.name), names.get(index.tables.stops.publishedName.get(row)))
  );
}

function findByName({ index, names, grid }: StopLinkIndexes, stop: StopName, source: number): StopLink | null {
  const { name, lat, lon } = stop;
  if (name === null || lat === null || lon === null || !isCoordinate(lat, lon)) return null;
  const reported = names.get(name);
  const near = stopsAround(grid, lat, lon)
    .filter((row) => index.tables.stops.source[row] === source)
    .map((row) => ({
      row,
      meters: metersFrom(index.tables, row, lat, lon),
      name: names.get(index.tables.stops.publishedName.get(row)),
    }))
    .sort((a, b) => a.meters - b.meters || a.row - b.row);
  const same = near.filter((other) => other.meters < SAME_NAME_METERS && isSameName(reported, other.name));
  if (same.length > 0) return { stops: same.map(({ row }) => row), how: 'same_name_near' };
  const [first, ...others] = near.filter(
    (other) => other.meters < SIMILAR_NAME_METERS && isSimilarName(reported, other.name),
  );
  if (!first) return null;
  // Poles of one stop share its name; another similar name is another stop.
  const poles = [first, ...others.filter((other) => isSameName(first.name, other.name))];
  return { stops: poles.map(({ row }) => row), how: 'similar_name_near' };
}
