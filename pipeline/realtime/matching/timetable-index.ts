import { lowerBound, partitionPoint } from '../../model/binary-search.ts';
import { distanceMeters } from '../../model/geo.ts';
import { rememberDays, type ZoneDays } from '../../model/zone-days.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import { getTimeRow, hashTrip, listTripsByKey } from '../../snapshots/timetable-lookups.ts';

/** Kind of vehicle that some publishers write before the label: `Bus 13A`, `Straßenbahn 5`. */
const KIND_OF_LINE = /^(?:autobus|bus|straßenbahn|strassenbahn|tram|str|linie|line|u-bahn|s-bahn|zug)\.?\s+(?=\S)/i;

/** A kind of train and its number: `RJX 162`. */
const TRAIN = /^([A-Z]{2,})(\d{2,})$/;

/** A label in the form in which labels are compared: ` U 1` and `u1` become `U1`. */
function normaliseLabel(label: string): string {
  return label.toUpperCase().replace(/\s+/g, '');
}

/** A label as the timetable may have it. */
export interface LabelForm {
  readonly label: string;
  /** The train number that was cut off the label, if any. */
  readonly trainNumber: string | null;
}

/** The forms of a label to look up, most likely first. */
export function listLabelForms(label: string): readonly LabelForm[] {
  const whole = normaliseLabel(label);
  const bare = normaliseLabel(label.trim().replace(KIND_OF_LINE, ''));
  const train = TRAIN.exec(whole);
  return [
    { label: whole, trainNumber: null },
    ...(bare !== whole && bare !== '' ? [{ label: bare, trainNumber: null }] : []),
    // Timetables name many trains by their kind alone and have the number as trip_short_name.
    ...(train ? [{ label: train[1]!, trainNumber: train[2]! }] : []),
  ];
}

/**
 * A timetable snapshot with the indexes for matching. Trips and stops are found in the sorted tables by binary search,
 * because there are millions of them. The maps here have an entry for each route or trip of a frequency at most.
 */
export interface TimetableIndex {
  readonly tables: TimetableTables;
  readonly sourceIds: readonly string[];
  readonly zones: readonly ZoneDays[];
  /** Rows of routes by feed, then id. */
  readonly routesById: readonly ReadonlyMap<string, number>[];
  /** Rows of routes by normalised label. */
  readonly routesByLabel: ReadonlyMap<string, readonly number[]>;
  /** Rows of the trips that a frequency expands a trip to, by feed, then trip id; in no order. */
  readonly frequencyTripsById: readonly ReadonlyMap<string, readonly number[]>[];
}

export function indexTimetable(tables: TimetableTables): TimetableIndex {
  const { sources, feeds, zones, routes } = tables;
  const sourceIds = Array.from({ length: sources.sourceId.length }, (_, source) => sources.sourceId.get(source));
  const routesById = Array.from(feeds.source, () => new Map<string, number>());
  const routesByLabel = new Map<string, number[]>();
  for (let route = 0; route < routes.source.length; route++) {
    routesById[routes.feed[route]!]!.set(routes.routeId.get(route), route);
    append(routesByLabel, normaliseLabel(routes.label.get(route)), route);
  }
  return {
    tables,
    sourceIds,
    zones: Array.from({ length: zones.name.length }, (_, zone) => rememberDays(zones.name.get(zone))),
    routesById,
    routesByLabel,
    frequencyTripsById: listFrequencyTrips(tables, feeds.source.length),
  };
}

function listFrequencyTrips(tables: TimetableTables, feedCount: number): Map<string, number[]>[] {
  const { trips } = tables;
  const frequencyTrips = Array.from({ length: feedCount }, () => new Map<string, number[]>());
  for (let trip = 0; trip < trips.frequencyStart.length; trip++) {
    if (trips.frequencyStart[trip]! < 0) continue;
    append(frequencyTrips[feedOfTrip(tables, trip)]!, trips.tripId.get(trip), trip);
  }
  return frequencyTrips;
}

function append<Key>(lists: Map<Key, number[]>, key: Key, row: number): void {
  const list = lists.get(key);
  if (list) list.push(row);
  else lists.set(key, [row]);
}

// ---- Sources, trips, stops ----------------------------------------------------------------------

/** Rows of the sources whose ids a publisher may use; none when its source is not loaded. */
export function listSources({ sourceIds }: TimetableIndex, timetableSource: string | null): readonly number[] {
  if (timetableSource === null) return sourceIds.map((_, source) => source);
  const source = sourceIds.indexOf(timetableSource);
  return source < 0 ? [] : [source];
}

/** Rows of the feeds whose ids a publisher may use: all versions of each of its sources, the one in force first. */
export function listFeeds(index: TimetableIndex, timetableSource: string | null): readonly number[] {
  const { source } = index.tables.feeds;
  return listSources(index, timetableSource).flatMap((wanted) =>
    [...source.keys()].filter((feed) => source[feed] === wanted),
  );
}

/** Whether a feed is the version of its source in force on a service day. */
export function isInForceOn({ tables: { feeds } }: TimetableIndex, feed: number, day: number): boolean {
  return feeds.firstDay[feed]! <= day && day <= feeds.lastDay[feed]!;
}

/** @returns row of trips, or -1 */
export function findTrip(index: TimetableIndex, feed: number, tripId: string, frequencyStart = -1): number {
  const { tables, sourceIds } = index;
  const key = hashTrip(sourceIds[tables.feeds.source[feed]!]!, tripId, frequencyStart);
  return listTripsByKey(tables, key).find((trip) => feedOfTrip(tables, trip) === feed) ?? -1;
}

/** @returns row of stops, or -1 */
export function findStop({ tables: { stops, stopsById } }: TimetableIndex, source: number, stopId: string): number {
  const at = partitionPoint(0, stopsById.stop.length, (i) => {
    const stop = stopsById.stop[i]!;
    return stops.source[stop] === source ? stops.stopId.get(stop) < stopId : stops.source[stop]! < source;
  });
  const stop = stopsById.stop[at] ?? -1;
  return stop >= 0 && stops.source[stop] === source && stops.stopId.get(stop) === stopId ? stop : -1;
}

// ---- Trips and their calls ----------------------------------------------------------------------

export function routeOfTrip({ trips, patterns }: TimetableTables, trip: number): number {
  return patterns.route[trips.pattern[trip]!]!;
}

export function feedOfTrip(tables: TimetableTables, trip: number): number {
  return tables.routes.feed[routeOfTrip(tables, trip)]!;
}

export function sourceOfTrip(tables: TimetableTables, trip: number): number {
  return tables.routes.source[routeOfTrip(tables, trip)]!;
}

export function callCountOf({ trips, patterns }: TimetableTables, trip: number): number {
  return patterns.callCount[trips.pattern[trip]!]!;
}

export function stopAt({ trips, patterns, patternCalls }: TimetableTables, trip: number, position: number): number {
  return patternCalls.stop[patterns.firstCall[trips.pattern[trip]!]! + position]!;
}

/** Row of `times`. */
export function timeRow(tables: TimetableTables, trip: number, position: number): number {
  return getTimeRow(tables, tables.trips.pattern[trip]!, trip) + position;
}

/** Start of a service day of the trip, seconds since 1970. */
export function dayStartOf({ tables, zones }: TimetableIndex, trip: number, day: number): number {
  return zones[tables.routes.zone[routeOfTrip(tables, trip)]!]!.startOf(day);
}

/** The range of a route's rows of patterns; `to` is exclusive. */
export function patternsOf({ tables: { patterns } }: TimetableIndex, route: number): { from: number; to: number } {
  return { from: lowerBound(patterns.route, route), to: lowerBound(patterns.route, route + 1) };
}

/** Stops with calls that a stop represents: itself, and for a station all of its platforms. */
export function membersOf({ stops, members }: TimetableTables, stop: number): Int32Array {
  const first = stops.firstMember[stop]!;
  return members.stop.subarray(first, first + stops.memberCount[stop]!);
}

/** NaN when the stop or the place has no coordinates. */
export function metersFrom({ stops }: TimetableTables, stop: number, lat: number, lon: number): number {
  return distanceMeters(stops.lat[stop]!, stops.lon[stop]!, lat, lon);
}
