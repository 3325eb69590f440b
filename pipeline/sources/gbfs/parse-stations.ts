import { toPlainLine } from '../../model/plain-text.ts';
import { emptyUpdate, type SourceUpdate } from '../../model/realtime.ts';
import type { SharingStation, SharingStationStatus, StockOfTypes } from '../../model/sharing.ts';
import { findText, type JsonObject, listTexts } from '../json-answer.ts';
import {
  type Envelope,
  listObjects,
  type ReadContext,
  type ReportProblem,
  readCount,
  readFlag,
  readLocalised,
  readPosition,
  readRentalUrl,
} from './read-envelope.ts';

/** The largest systems have a few thousand. */
const MAX_STATIONS = 20_000;

/** Reads the records of a list by id, up to a limit; records without an id, duplicates and the rest are counted. */
function readRecords<Value>(
  items: readonly (JsonObject | null)[],
  report: ReportProblem,
  read: (item: JsonObject, place: string) => Value | null,
): Value[] {
  const found = new Map<string, Value>();
  for (const [index, item] of items.entries()) {
    const id = item === null ? undefined : findText(item, 'station_id');
    if (item === null || id === undefined) report('bad_station', String(index), 'without station_id');
    else if (found.has(id)) report('duplicate_station', id, 'the first one counts');
    else if (found.size >= MAX_STATIONS) report('too_many_stations', id, `more than ${MAX_STATIONS}`);
    else {
      const value = read(item, id);
      if (value !== null) found.set(id, value);
    }
  }
  return [...found.values()];
}

export function parseStations({ data }: Envelope, { report, language }: ReadContext): SourceUpdate {
  const items = listObjects(data, 'stations');
  const stations = readRecords(items, report, (item, id): SharingStation | null => {
    const name = toPlainLine(readLocalised(item, 'name', language) ?? '');
    const position = readPosition(item);
    if (position === null) report('no_coordinates', id, `${item.lat}, ${item.lon}`);
    if (name === '') report('station_without_name', id, 'named by its id');
    if (position === null) return null;
    const capacity = readCount(item, 'capacity');
    if (capacity === 'negative') report('negative_stock', id, 'capacity');
    return {
      id,
      name: name === '' ? id : name,
      ...position,
      capacity: capacity === 'negative' ? null : capacity,
      rentalUrl: readRentalUrl(item),
    };
  });
  return { ...emptyUpdate, sharing: { kind: 'stations', stations }, recordCount: items.length };
}

/** A station with a negative number is refused, because its other numbers are unreliable, too. */
export function parseStationStatus({ data }: Envelope, { report }: ReadContext): SourceUpdate {
  const items = listObjects(data, 'stations');
  const statuses = readRecords(items, report, (item, stationId): SharingStationStatus | null => {
    const vehicles = readStock(item, vehicleMembers);
    const docks = readStock(item, dockMembers);
    if (vehicles === 'negative' || docks === 'negative') {
      report('negative_stock', stationId, 'vehicles or docks');
      return null;
    }
    if (vehicles === 'contradiction' || docks === 'contradiction') {
      report('stock_contradiction', stationId, 'more vehicles or docks by type than in all');
      return null;
    }
    if (vehicles === null) {
      report('station_without_stock', stationId, 'the number of vehicles is missing');
      return null;
    }
    const isInstalled = readFlag(item, 'is_installed') ?? true;
    return {
      stationId,
      vehicles,
      docks,
      isRenting: isInstalled && readFlag(item, 'is_renting') !== false,
      isReturning: isInstalled && readFlag(item, 'is_returning') !== false,
    };
  });
  return { ...emptyUpdate, sharing: { kind: 'stationStatus', statuses }, recordCount: items.length };
}

interface StockMembers {
  /** The total, under its name in version 3 or version 2. */
  readonly totals: readonly string[];
  readonly byType: string;
  readonly typeIds: readonly string[];
}

const vehicleMembers: StockMembers = {
  totals: ['num_vehicles_available', 'num_bikes_available'],
  byType: 'vehicle_types_available',
  typeIds: ['vehicle_type_id'],
};
const dockMembers: StockMembers = {
  totals: ['num_docks_available'],
  byType: 'vehicle_docks_available',
  typeIds: ['vehicle_type_ids'],
};

/** Counts by type if published, else the total; `null` if neither is published. */
function readStock(item: JsonObject, members: StockMembers): StockOfTypes[] | 'negative' | 'contradiction' | null {
  const totals = members.totals.map((name) => readCount(item, name));
  const total = totals.find((count) => count !== null) ?? null;
  const byType = listObjects(item, members.byType).flatMap((one) => {
    if (one === null) return [];
    return { typeIds: members.typeIds.flatMap((name) => listTexts(one, name)), count: readCount(one, 'count') ?? 0 };
  });
  const known = byType.filter((one): one is StockOfTypes & { typeIds: string[] } => one.count !== 'negative');
  if (total === 'negative' || known.length < byType.length) return 'negative';
  if (known.length === 0) return total === null ? null : [{ typeIds: null, count: total }];
  const sum = known.reduce((all, { count }) => all + count, 0);
  return total !== null && sum > total ? 'contradiction' : known;
}
