import { isCoordinate } from '../../pipeline/model/geo.ts';
import type { SearchIndex } from '../../pipeline/model/search-index.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { rememberDays, type ZoneDays } from '../../pipeline/model/zone-days.ts';
import {
  getSearchIndex,
  type TimetableManifest,
  type TimetableSnapshot,
  type TimetableTables,
} from '../../pipeline/snapshots/contract.ts';
import { type Lines, rememberLines } from './lines.ts';
import { buildNearbyIndex, type NearbyIndex } from './nearby.ts';

export { runsOn } from '../../pipeline/snapshots/contract.ts';

/** Days of the service itself, and every v2 time, are Austrian, wherever the vehicle runs. */
export const AUSTRIA = 'Europe/Vienna';

/** A loaded timetable: the snapshot's arrays, and what is worth working out once. */
export interface Timetable {
  readonly manifest: TimetableManifest;
  readonly tables: TimetableTables;
  readonly sourceIds: readonly string[];
  readonly zones: readonly ZoneDays[];
  readonly lines: Lines;
  /**
   * Outside of them nothing runs: from the start of the first service day to the end of the last one, each in the zone
   * of its trips, or to the last arrival where that is later.
   */
  readonly begin: Instant;
  readonly end: Instant;
  readonly search: SearchIndex;
  /** Coordinates by entry of the search; NaN where unknown. */
  readonly searchCoordinates: { readonly lat: Float64Array; readonly lon: Float64Array };
  /** Entries are those of the search. Made when somebody asks for it. */
  readonly nearby: NearbyIndex;
}

export function openTimetable(snapshot: TimetableSnapshot): Timetable {
  const { manifest, tables } = snapshot;
  const zones = Array.from({ length: tables.zones.name.length }, (_, zone) =>
    rememberDays(tables.zones.name.get(zone)),
  );
  const sourceIds = Array.from({ length: tables.sources.sourceId.length }, (_, i) => tables.sources.sourceId.get(i));
  // Threads that plan trips need neither, and a service wants them at its start.
  let coordinates: Timetable['searchCoordinates'] | null = null;
  let nearby: NearbyIndex | null = null;
  return {
    manifest,
    tables,
    sourceIds,
    lines: rememberLines(tables, sourceIds),
    zones,
    ...findSpan(tables, zones),
    search: getSearchIndex(tables),
    get searchCoordinates() {
      coordinates ??= locateEntries(tables);
      return coordinates;
    },
    get nearby() {
      nearby ??= buildNearbyIndex(this.searchCoordinates.lat, this.searchCoordinates.lon);
      return nearby;
    },
  };
}

/** Makes now what would else be made when the first asks for it, who need not wait then. */
export function makeIndexes({ nearby }: Timetable): NearbyIndex {
  return nearby;
}

function locateEntries({ searchEntries, stops }: TimetableTables): Timetable['searchCoordinates'] {
  const at = (degrees: Float64Array) => Float64Array.from(searchEntries.stop, (stop) => degrees[stop]!);
  return { lat: at(stops.lat), lon: at(stops.lon) };
}

function findSpan(
  { patterns, routes, trips, services, times }: TimetableTables,
  zones: readonly ZoneDays[],
): { begin: Instant; end: Instant } {
  let begin = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  const daysByZone = zones.map((zone) => listOuterDays(services, zone));
  for (let p = 0; p < patterns.route.length; p++) {
    const { first, last, lastEnd } = daysByZone[routes.zone[patterns.route[p]!]!]!;
    const calls = patterns.callCount[p]!;
    for (let i = 0; i < patterns.tripCount[p]!; i++) {
      const service = trips.service[patterns.firstTrip[p]! + i]!;
      const row = patterns.firstTime[p]! + i * calls;
      begin = Math.min(begin, first[service]!, first[service]! + times.departure[row]!);
      end = Math.max(end, lastEnd[service]!, last[service]! + times.arrival[row + calls - 1]!);
    }
  }
  return { begin: begin as Instant, end: end as Instant };
}

/** When the first and the last day of each service begin, and that ends; infinitely late and early for an idle one. */
function listOuterDays({ firstDay, lastDay }: TimetableTables['services'], zone: ZoneDays) {
  const first = new Float64Array(firstDay.length).fill(Number.POSITIVE_INFINITY);
  const last = new Float64Array(firstDay.length).fill(Number.NEGATIVE_INFINITY);
  const lastEnd = last.slice();
  for (let service = 0; service < firstDay.length; service++) {
    if (lastDay[service]! < firstDay[service]!) continue;
    first[service] = zone.startOf(firstDay[service]!);
    last[service] = zone.startOf(lastDay[service]!);
    lastEnd[service] = zone.startOf(lastDay[service]! + 1);
  }
  return { first, last, lastEnd };
}

/** The stops at which vehicles call when somebody names this one: itself, and for a station all of its platforms. */
export function getMembers({ stops, members }: TimetableTables, stop: number): Int32Array {
  const first = stops.firstMember[stop]!;
  return members.stop.subarray(first, first + stops.memberCount[stop]!);
}

/** Whether a stop is meant when somebody names the other: it is that stop, or one of its platforms, served or not. */
export function isPartOf({ stops }: TimetableTables, stop: number, whole: number): boolean {
  return stop === whole || (stop >= 0 && stops.station[stop] === whole);
}

export function getZone(timetable: Timetable, pattern: number): ZoneDays {
  const { tables, zones } = timetable;
  return zones[tables.routes.zone[tables.patterns.route[pattern]!]!]!;
}

export function hasCoordinates({ stops }: TimetableTables, stop: number): boolean {
  return isCoordinate(stops.lat[stop]!, stops.lon[stop]!);
}
