import type { TextColumn } from '../../pipeline/model/column.ts';
import { addDays, type Instant, localDate, type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import { rememberDays, type ZoneDays } from '../../pipeline/model/zone-days.ts';
import type { TimetableTables } from '../../pipeline/snapshots/timetable-contract.ts';
import { findTripByKey, getTimeRow, listTripsByKey, runsOn } from '../../pipeline/snapshots/timetable-lookups.ts';
import type { RequestedTrip, Row } from './find-trip-rows.ts';
import { createNameTest } from './match-stop.ts';

/** A trip of today that matches a request. */
export interface ScheduledTrip {
  readonly key: bigint;
  readonly date: ServiceDate;
  readonly tripId: string;
  readonly line: string;
  readonly headsign: string;
  readonly zone: string;
  /** Position and name of the requested stop; null if none was requested. */
  readonly stop: { readonly position: number; readonly name: string } | null;
  /** Departure at that stop, else from the first; where the trip ends, arrival. */
  readonly time: Instant;
  /** Seconds between now and the call at that stop, or the time in which the trip is under way. */
  readonly distanceSeconds: number;
}

/** How a text matches a trip; only the trips of the best kind are returned. */
const KINDS = ['id', 'line', 'stop'] as const;
type Kind = (typeof KINDS)[number];

/**
 * Finds the trips of today by id, line or number, or else by a stop at which they call.
 * @param stop id or name of a stop at which they call, or null
 * @returns the nearest to now first
 */
export function findTripsOfToday(
  tables: TimetableTables,
  text: string,
  stop: string | null,
  now: Instant,
): readonly ScheduledTrip[] {
  const found: Record<Kind, ScheduledTrip[]> = { id: [], line: [], stop: [] };
  const isAtText = markStops(tables, text);
  const isAtStop = stop === null ? null : markStops(tables, stop);
  const { patterns } = tables;
  const zones = listTexts(tables.zones.name).map(rememberDays);
  const wanted = plain(text);
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const at = isAtStop === null ? null : findCall(tables, pattern, isAtStop);
    if (at === -1) continue;
    const atText = findCall(tables, pattern, isAtText);
    const label = plain(tables.routes.label.get(patterns.route[pattern]!));
    for (let i = 0; i < patterns.tripCount[pattern]!; i++) {
      const trip = patterns.firstTrip[pattern]! + i;
      const number = plain(getText(tables, tables.trips.shortName[trip]!));
      // Most trips have no number.
      const isLine = wanted !== '' && [label, number, label + number].includes(wanted);
      const isId = tables.trips.tripId.get(trip) === text;
      const kind = isId ? 'id' : isLine ? 'line' : atText >= 0 ? 'stop' : null;
      if (kind === null) continue;
      const position = at ?? (kind === 'stop' ? atText : null);
      found[kind].push(...describeToday(tables, { trip, pattern, position }, zones, now));
    }
  }
  const best = KINDS.map((kind) => found[kind]).find((trips) => trips.length > 0) ?? [];
  return best.sort(
    (a, b) => a.distanceSeconds - b.distanceSeconds || a.time - b.time || (a.tripId < b.tripId ? -1 : 1),
  );
}

/** Stops with an id or name, and the platforms of stations with it. */
function markStops({ stops, sources }: TimetableTables, text: string): readonly boolean[] {
  const isNamed = createNameTest(text);
  const marks = listTexts(stops.stopId).map(
    (id, row) =>
      id === text ||
      `${sources.sourceId.get(stops.source[row]!)}:${id}` === text ||
      isNamed(stops.name.get(row)) ||
      isNamed(stops.publishedName.get(row)),
  );
  return marks.map((isMarked, row) => isMarked || marks[stops.station[row]!] === true);
}

/** @returns position of the first call at one of the stops, or -1 */
function findCall({ patterns, patternCalls }: TimetableTables, pattern: number, isAt: readonly boolean[]): number {
  const first = patterns.firstCall[pattern]!;
  for (let i = 0; i < patterns.callCount[pattern]!; i++) {
    if (isAt[patternCalls.stop[first + i]!]) return i;
  }
  return -1;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/\s/g, '');
}

function listTexts(column: TextColumn): string[] {
  return Array.from({ length: column.length }, (_, row) => column.get(row));
}

/** @param row -1 for no text */
function getText({ texts }: TimetableTables, row: number): string {
  return row < 0 ? '' : texts.text.get(row);
}

interface TripAt {
  readonly trip: number;
  readonly pattern: number;
  readonly position: number | null;
}

/** Today's date, and yesterday's for a trip after midnight. */
function describeToday(
  tables: TimetableTables,
  { trip, pattern, position }: TripAt,
  zones: readonly ZoneDays[],
  now: Instant,
): ScheduledTrip[] {
  const { trips, patterns, patternCalls, routes, stops, times } = tables;
  const zone = zones[routes.zone[patterns.route[pattern]!]!]!;
  const today = localDate(now, zone.name);
  const last = patterns.callCount[pattern]! - 1;
  const row = getTimeRow(tables, pattern, trip);
  const nameAt = (at: number) => stops.name.get(patternCalls.stop[patterns.firstCall[pattern]! + at]!);
  return [addDays(today, -1), today].flatMap((date) => {
    if (!runsOn(tables, trips.service[trip]!, toEpochDay(date))) return [];
    const start = zone.startOf(toEpochDay(date));
    const from = start + times.departure[row + (position ?? 0)]!;
    const until = position === null ? start + times.arrival[row + last]! : from;
    if (date !== today && until < zone.startOf(toEpochDay(today))) return [];
    return {
      key: trips.key[trip]!,
      date,
      tripId: trips.tripId.get(trip),
      line: routes.label.get(patterns.route[pattern]!),
      headsign: getText(tables, trips.headsign[trip]!) || nameAt(last),
      zone: zone.name,
      stop: position === null ? null : { position, name: nameAt(position) },
      time: from as Instant,
      distanceSeconds: Math.max(0, from - now, now - until),
    };
  });
}

/** Source of a trip's timetable and its calls, as rows of stop events about which nothing is known yet. */
export interface ScheduledRows {
  readonly source: string;
  readonly rows: readonly Row[];
}

/** The calls of a trip on a service date; null if the timetable has no such trip on that day. */
export function listScheduledRows(
  tables: TimetableTables,
  requested: RequestedTrip,
  date: ServiceDate,
): ScheduledRows | null {
  const day = toEpochDay(date);
  const trip = findTrip(tables, requested, day);
  if (trip === null) return null;
  const { trips, patterns, patternCalls, routes, stops, feeds, sources, zones, times } = tables;
  const pattern = trips.pattern[trip]!;
  const route = patterns.route[pattern]!;
  const source = sources.sourceId.get(routes.source[route]!);
  const start = rememberDays(zones.name.get(routes.zone[route]!)).startOf(day);
  const firstTime = getTimeRow(tables, pattern, trip);
  // A signed number, as in the lake.
  const key = String(BigInt.asIntN(64, trips.key[trip]!));
  const rows = Array.from({ length: patterns.callCount[pattern]! }, (_, position): Row => {
    const stop = patternCalls.stop[patterns.firstCall[pattern]! + position]!;
    const departure = formatSqlTime(start + times.departure[firstTime + position]!);
    return {
      ...nothingKnown,
      trip_key: key,
      trip_id: trips.tripId.get(trip),
      position,
      stop_id: stops.stopId.get(stop),
      stop_name: stops.publishedName.get(stop),
      station_id: stops.stopId.get(stops.publishedStation[stop]!),
      line_label: routes.label.get(route),
      event: position === 0 ? 'departure' : 'arrival',
      scheduled_time: position === 0 ? departure : formatSqlTime(start + times.arrival[firstTime + position]!),
      scheduled_departure_time: departure,
      feed_source: source,
      feed_version: feeds.feedVersion.get(routes.feed[route]!),
    };
  });
  return { source, rows };
}

const nothingKnown: Row = {
  evidence: 'scheduled',
  observed_time: null,
  delay_seconds: null,
  forecast_delay_seconds: null,
  platform: null,
  raw_id: null,
  is_added: false,
  arrival_is_cancelled: null,
  departure_is_cancelled: null,
  is_replaced: null,
};

function findTrip(tables: TimetableTables, requested: RequestedTrip, day: number): number | null {
  const isRunning = (trip: number) => runsOn(tables, tables.trips.service[trip]!, day);
  if ('key' in requested) {
    const key = BigInt.asUintN(64, requested.key);
    const trip = listTripsByKey(tables, key).length === 0 ? null : findTripByKey(tables, key, day);
    return trip !== null && isRunning(trip) ? trip : null;
  }
  for (let trip = 0; trip < tables.trips.tripId.length; trip++) {
    if (tables.trips.tripId.get(trip) === requested.tripId && isRunning(trip)) return trip;
  }
  return null;
}

/** A UTC time as the engine prints timestamps. */
function formatSqlTime(instant: number): string {
  return new Date(instant * 1000).toISOString().slice(0, 19).replace('T', ' ');
}
