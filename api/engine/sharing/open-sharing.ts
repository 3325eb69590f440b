import type { Instant } from '../../../pipeline/model/service-time.ts';
import {
  ANY_DOCKS,
  NO_TYPE,
  type PublishedSharingSystem,
  sharedBikeFlags,
} from '../../../pipeline/snapshots/sharing-contract.ts';
import type { Point } from '../../../pipeline/streets/street-path.ts';
import type { SharingStationStock } from '../../contract/site-sharing.ts';
import { buildNearbyIndex, findNearby, type NearbyIndex } from '../read/nearby.ts';
import type { Realtime } from '../read/realtime.ts';
import { isInSection, type Section } from '../read/section.ts';
import { findZoneRule } from './zone-rules.ts';

/** A place where a shared bicycle is rented or returned. */
export interface SharingPlace {
  /** Row of the system. */
  readonly system: number;
  readonly point: Point;
  /** `null` outside of stations. */
  readonly station: { readonly id: string; readonly name: string } | null;
  /** Number of bicycles that can be rented, or returned, there at present; `null` if unlimited. */
  readonly available: number | null;
  /** Address for renting; `null` if there is none. */
  readonly url: string | null;
  /** Type of a bicycle that stands outside of stations and may be returned there; `null` if unknown. */
  readonly freeType?: string | null;
}

/** The sharing systems of a snapshot. */
export interface Sharing {
  readonly systems: readonly PublishedSharingSystem[];
  /** Stations and bicycles within a distance where one can be rented, nearest first. */
  findBikes(point: Point, radiusMeters: number, limit: number, instant: Instant): readonly SharingPlace[];
  /** Stations within a distance with a free dock, nearest first. */
  findDocks(point: Point, radiusMeters: number, limit: number, instant: Instant): readonly SharingPlace[];
  /** Stations in a part of the map, with their stock. */
  listStations(section: Section, instant: Instant): readonly SharingStationStock[];
  /** Whether a bicycle of a type may be returned at a place outside of stations. */
  mayLeave(system: number, typeId: string | null, point: Point, instant: Instant): boolean;
}

const opened = new WeakMap<Realtime['tables'], Sharing | null>();

/** @returns `null` if no sharing system is configured, or none has responded yet */
export function openSharing(realtime: Realtime | null): Sharing | null {
  if (realtime === null) return null;
  const known = opened.get(realtime.tables);
  if (known !== undefined) return known;
  const sharing = realtime.tables.sharingSystems.json.length === 0 ? null : createSharing(realtime);
  opened.set(realtime.tables, sharing);
  return sharing;
}

/** All systems, including those whose stock is too old. */
function listSystems({ tables }: Realtime): PublishedSharingSystem[] {
  const { json } = tables.sharingSystems;
  return Array.from({ length: json.length }, (_, row) => JSON.parse(json.get(row)) as PublishedSharingSystem);
}

function createSharing(realtime: Realtime): Sharing {
  const { sharingStations: stations, sharedBikes: bikes } = realtime.tables;
  const systems = listSystems(realtime);
  const withBikes = indexWhere(stations, (row) => stations.bikes[row]! > 0);
  const withDocks = indexWhere(stations, (row) => stations.docks[row]! > 0);
  const free = indexWhere(bikes, () => true);
  // Places of which nothing can be rented or returned now do not count towards a limit.
  const near = (index: NearbyIndex, { lat, lon }: Point, radiusMeters: number) =>
    findNearby(index, lat, lon, radiusMeters, Number.POSITIVE_INFINITY);
  const isFresh = (system: number, instant: Instant) => systems[system]!.stationsExpireAt > instant;
  const findStations = (index: NearbyIndex, point: Point, radius: number, limit: number, instant: Instant) =>
    near(index, point, radius)
      .filter(({ entry }) => isFresh(stations.system[entry]!, instant))
      .slice(0, limit);
  const findFree = (point: Point, radius: number, limit: number, instant: Instant) => {
    const found: { readonly distanceMeters: number; readonly place: SharingPlace }[] = [];
    for (const { entry, distanceMeters } of near(free, point, radius)) {
      if (found.length === limit) break;
      const place = toFreeBike(bikes, systems, entry);
      if (mayTake(place, bikes.type[entry]!, instant)) found.push({ distanceMeters, place });
    }
    return found;
  };
  const findRule = (system: number, typeId: string | null, point: Point, instant: Instant) =>
    findZoneRule(systems[system]!.zones, { point, typeId, instant });
  const mayTake = ({ system, point }: SharingPlace, type: number, instant: Instant) =>
    systems[system]!.bikesExpireAt > instant &&
    (findRule(system, typeOf(systems[system]!, type), point, instant)?.mayStart ?? true);
  return {
    systems,
    findBikes: (point, radius, limit, instant) =>
      [
        ...findStations(withBikes, point, radius, limit, instant).map(({ entry, distanceMeters }) => {
          return { distanceMeters, place: toStation(stations, stations.bikes, entry) };
        }),
        ...findFree(point, radius, limit, instant),
      ]
        .sort((a, b) => a.distanceMeters - b.distanceMeters)
        .slice(0, limit)
        .map(({ place }) => place),
    findDocks: (point, radius, limit, instant) =>
      findStations(withDocks, point, radius, limit, instant).map(({ entry }) =>
        toStation(stations, stations.docks, entry),
      ),
    listStations: (section, instant) =>
      Array.from({ length: stations.id.length }, (_, row) => row)
        .filter((row) => isInSection(section, stations.lat[row]!, stations.lon[row]!))
        .filter((row) => isFresh(stations.system[row]!, instant))
        .map((row) => presentStock(stations, systems, row)),
    mayLeave: (system, typeId, point, instant) => findRule(system, typeId, point, instant)?.mayEnd ?? true,
  };
}

function indexWhere(
  { lat, lon }: { readonly lat: Float64Array; readonly lon: Float64Array },
  isWanted: (row: number) => boolean,
): NearbyIndex {
  return buildNearbyIndex(
    lat.map((value, row) => (isWanted(row) ? value : Number.NaN)),
    lon,
  );
}

type Tables = Realtime['tables'];

function presentStock(
  stations: Tables['sharingStations'],
  systems: readonly PublishedSharingSystem[],
  row: number,
): SharingStationStock {
  const { name: system, url } = systems[stations.system[row]!]!;
  const docks = stations.docks[row]!;
  return {
    id: stations.id.get(row),
    name: stations.name.get(row),
    system,
    lat: stations.lat[row]!,
    lon: stations.lon[row]!,
    bikes: stations.bikes[row]!,
    docks: docks === ANY_DOCKS ? null : docks,
    url: stations.url.get(row) || url,
  };
}

function toStation(stations: Tables['sharingStations'], counts: Uint16Array, row: number): SharingPlace {
  return {
    system: stations.system[row]!,
    point: { lat: stations.lat[row]!, lon: stations.lon[row]! },
    station: { id: stations.id.get(row), name: stations.name.get(row) },
    available: counts[row]!,
    url: stations.url.get(row) || null,
  };
}

function toFreeBike(
  bikes: Tables['sharedBikes'],
  systems: readonly PublishedSharingSystem[],
  row: number,
): SharingPlace {
  const system = bikes.system[row]!;
  const isFree = (bikes.flags[row]! & sharedBikeFlags.anywhere) !== 0;
  return {
    system,
    point: { lat: bikes.lat[row]!, lon: bikes.lon[row]! },
    station: null,
    available: 1,
    url: bikes.url.get(row) || null,
    ...(isFree ? { freeType: typeOf(systems[system]!, bikes.type[row]!) } : {}),
  };
}

function typeOf({ types }: PublishedSharingSystem, type: number): string | null {
  return type === NO_TYPE ? null : types[type]!;
}
