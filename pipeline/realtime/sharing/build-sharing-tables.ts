import { TextColumn } from '../../model/column.ts';
import type {
  SharedVehicleType,
  SharingStation,
  SharingStationStatus,
  SharingZones,
  StockOfTypes,
} from '../../model/sharing.ts';
import type { RealtimeTables } from '../../snapshots/realtime-contract.ts';
import { ANY_DOCKS, NO_TYPE, type PublishedSharingSystem, sharedBikeFlags } from '../../snapshots/sharing-contract.ts';
import { findReport, type SharingMemory } from './sharing-memory.ts';

export type SharingTables = Pick<RealtimeTables, 'sharingSystems' | 'sharingStations' | 'sharedBikes'>;

interface StationRow extends Pick<SharingStation, 'id' | 'name' | 'lat' | 'lon'> {
  readonly system: number;
  readonly bikes: number;
  readonly docks: number;
  readonly url: string;
}

interface BikeRow {
  readonly system: number;
  readonly id: string;
  readonly lat: number;
  readonly lon: number;
  readonly type: number;
  readonly flags: number;
  readonly url: string;
}

type Count = (code: string) => void;

/** Joins the files of each system; records that contradict another file are left out and counted. */
export function buildSharingTables(memories: readonly SharingMemory[]): {
  readonly tables: SharingTables;
  readonly contradictions: ReadonlyMap<string, Readonly<Record<string, number>>>;
} {
  const systems: PublishedSharingSystem[] = [];
  const stations: StationRow[] = [];
  const bikes: BikeRow[] = [];
  const contradictions = new Map<string, Record<string, number>>();
  // Sorted by source id, so that the order of answers does not matter.
  for (const memory of [...memories].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const counts: Record<string, number> = {};
    const count: Count = (code) => {
      counts[code] = (counts[code] ?? 0) + 1;
    };
    const types = openTypes(memory);
    stations.push(...joinStations(memory, systems.length, types, count));
    bikes.push(...joinBikes(memory, systems.length, types, count));
    systems.push(describeSystem(memory, types));
    contradictions.set(memory.id, counts);
  }
  const tables: SharingTables = {
    sharingSystems: { json: TextColumn.from(systems.map((system) => JSON.stringify(system))) },
    sharingStations: toStationTable(stations),
    sharedBikes: toBikeTable(bikes),
  };
  return { tables, contradictions };
}

// ---- Types -----------------------------------------------------------------------------------------------------------

interface Types {
  /** `vehicle_types` is optional; without it all vehicles count as bicycles. */
  readonly byId: ReadonlyMap<string, SharedVehicleType> | null;
  /** In the order of `PublishedSharingSystem.types`. */
  readonly ids: readonly string[];
}

function openTypes(memory: SharingMemory): Types {
  const published = findReport(memory, 'vehicleTypes')?.types ?? null;
  if (published === null) return { byId: null, ids: [] };
  return {
    byId: new Map(published.map((type) => [type.id, type])),
    ids: published
      .filter(({ isBike }) => isBike)
      .map(({ id }) => id)
      .slice(0, NO_TYPE),
  };
}

/** A bicycle that need not return to where it was rented. */
function isOneWayBike({ byId }: Types, typeId: string): boolean {
  const type = byId?.get(typeId);
  return type ? type.isBike && type.returns !== 'sameStation' : byId === null;
}

/** Number of vehicles, or docks, for bicycles of any type. */
function sumStock(stock: readonly StockOfTypes[], types: Types): number {
  return stock.reduce((sum, { typeIds, count }) => {
    const isForBikes = typeIds === null ? hasBikes(types) : typeIds.some((id) => isOneWayBike(types, id));
    return isForBikes ? sum + count : sum;
  }, 0);
}

/** A total without types counts only where all vehicles are bicycles. */
function hasBikes({ byId }: Types): boolean {
  return byId === null || [...byId.values()].every(({ isBike, returns }) => isBike && returns !== 'sameStation');
}

// ---- Stations --------------------------------------------------------------------------------------------------------

function joinStations(memory: SharingMemory, system: number, types: Types, count: Count): StationRow[] {
  const statuses = new Map(findReport(memory, 'stationStatus')?.statuses.map((status) => [status.stationId, status]));
  const stations = [...(findReport(memory, 'stations')?.stations ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
  const rows: StationRow[] = [];
  for (const station of stations) {
    const status = statuses.get(station.id);
    statuses.delete(station.id);
    if (status) rows.push(toStationRow(station, status, system, types, count));
    else count('station_without_status');
  }
  // The station has been removed from the list, so its location is unknown.
  for (const _ of statuses) count('unknown_station');
  return rows;
}

function toStationRow(
  { id, name, lat, lon, capacity, rentalUrl }: SharingStation,
  { vehicles, docks, isRenting, isReturning }: SharingStationStatus,
  system: number,
  types: Types,
  count: Count,
): StationRow {
  const bikes = sumStock(vehicles, types);
  let free = docks === null ? ANY_DOCKS : sumStock(docks, types);
  if (capacity !== null && docks !== null && free > capacity) {
    count('docks_above_capacity');
    free = Math.max(0, capacity - bikes);
  }
  return {
    system,
    id,
    name,
    lat,
    lon,
    bikes: isRenting ? Math.min(bikes, ANY_DOCKS) : 0,
    docks: isReturning ? Math.min(free, ANY_DOCKS) : 0,
    url: rentalUrl ?? '',
  };
}

function toStationTable(rows: readonly StationRow[]): SharingTables['sharingStations'] {
  return {
    system: Uint8Array.from(rows, ({ system }) => system),
    id: TextColumn.from(rows.map(({ id }) => id)),
    name: TextColumn.from(rows.map(({ name }) => name)),
    lat: Float64Array.from(rows, ({ lat }) => lat),
    lon: Float64Array.from(rows, ({ lon }) => lon),
    bikes: Uint16Array.from(rows, ({ bikes }) => bikes),
    docks: Uint16Array.from(rows, ({ docks }) => docks),
    url: TextColumn.from(rows.map(({ url }) => url)),
  };
}

// ---- Bicycles outside of stations ------------------------------------------------------------------------------------

function joinBikes(memory: SharingMemory, system: number, types: Types, count: Count): BikeRow[] {
  const vehicles = [...(findReport(memory, 'vehicles')?.vehicles ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
  const positions = new Map(types.ids.map((id, position) => [id, position]));
  const rows: BikeRow[] = [];
  for (const { id, lat, lon, typeId, rentalUrl } of vehicles) {
    const type = typeId === null ? null : (types.byId?.get(typeId) ?? null);
    if (types.byId !== null && type === null) {
      count('unknown_vehicle_type');
      continue;
    }
    if (type && (!type.isBike || type.returns === 'sameStation')) continue;
    const flags = type?.returns === 'stations' ? 0 : sharedBikeFlags.anywhere;
    rows.push({ system, id, lat, lon, type: positions.get(type?.id ?? '') ?? NO_TYPE, flags, url: rentalUrl ?? '' });
  }
  return rows;
}

function toBikeTable(rows: readonly BikeRow[]): SharingTables['sharedBikes'] {
  return {
    system: Uint8Array.from(rows, ({ system }) => system),
    id: TextColumn.from(rows.map(({ id }) => id)),
    lat: Float64Array.from(rows, ({ lat }) => lat),
    lon: Float64Array.from(rows, ({ lon }) => lon),
    type: Uint8Array.from(rows, ({ type }) => type),
    flags: Uint8Array.from(rows, ({ flags }) => flags),
    url: TextColumn.from(rows.map(({ url }) => url)),
  };
}

// ---- The system ------------------------------------------------------------------------------------------------------

const noZones: SharingZones = { zones: [], rules: [] };

function describeSystem(memory: SharingMemory, { ids }: Types): PublishedSharingSystem {
  const { id, maxAgeSeconds, reports } = memory;
  const system = findReport(memory, 'system');
  const zones = findReport(memory, 'zones');
  const expiresAt = (kind: 'stationStatus' | 'vehicles') => {
    const kept = reports.get(kind);
    return kept ? kept.seenAt + maxAgeSeconds : 0;
  };
  return {
    id,
    name: system?.name ?? id,
    url: system?.url ?? null,
    stationsExpireAt: expiresAt('stationStatus'),
    bikesExpireAt: expiresAt('vehicles'),
    types: ids,
    zones: zones ? { zones: zones.zones, rules: zones.rules } : noZones,
  };
}
