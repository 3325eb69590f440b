import { isCoordinate } from '../../../pipeline/model/geo.ts';
import { products } from '../../../pipeline/model/product.ts';
import type { SearchIndex } from '../../../pipeline/model/search-index.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { rememberDays, type ZoneDays } from '../../../pipeline/model/zone-days.ts';
import { getSearchIndex } from '../../../pipeline/snapshots/search-tables.ts';
import type {
  TimetableManifest,
  TimetableSnapshot,
  TimetableTables,
} from '../../../pipeline/snapshots/timetable-contract.ts';
import type { Line } from '../../contract/definitions.ts';
import { buildNearbyIndex, type NearbyIndex } from './nearby.ts';
import { type OnDemandAreas, openOnDemandAreas } from './on-demand.ts';
import { SearchWorkspace } from './search-workspace.ts';

/** Minimum contrast at which large, bold text on a coloured sign is readable (WCAG 2.1, 1.4.3). */
const READABLE_CONTRAST = 3;
const WHITE = 0xffffff;
const BLACK = 0x000000;

/**
 * Colours of a line's sign. A published text colour is kept when it is readable, else replaced by black or white,
 * whichever has more contrast.
 * @param color 0xRRGGBB, or -1 where the publisher gives none: then the line has no colours
 * @param textColor likewise
 */
export function getLineColors(color: number, textColor: number): { colorHex?: string; textColorHex?: string } {
  if (color < 0) return {};
  const isReadable = textColor >= 0 && contrast(color, textColor) >= READABLE_CONTRAST;
  const better = contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK;
  return { colorHex: toHex(color), textColorHex: toHex(isReadable ? textColor : better) };
}

function toHex(color: number): string {
  return `#${color.toString(16).padStart(6, '0').toUpperCase()}`;
}

/** @see WCAG 2.1, "contrast ratio": 1 for equal colours, 21 for black on white */
export function contrast(a: number, b: number): number {
  const [lighter, darker] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** @see WCAG 2.1, "relative luminance" */
function luminance(color: number): number {
  const channel = (shift: number) => {
    const value = ((color >> shift) & 0xff) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
}

/** Routes as the contract's lines, cached on first use: boards show the same few thousands of times. */
interface Lines {
  /** @param route row of `routes` */
  get(route: number): Line;
}

function rememberLines(tables: TimetableTables, sourceIds: readonly string[]): Lines {
  const known = new Map<number, Line>();
  return {
    get(route) {
      const line = known.get(route) ?? presentLine(tables, sourceIds, route);
      known.set(route, line);
      return line;
    },
  };
}

function presentLine({ routes, agencies }: TimetableTables, sourceIds: readonly string[], route: number): Line {
  const agency = routes.agency[route]!;
  const operatorName = agency < 0 ? '' : agencies.name.get(agency);
  return {
    label: routes.label.get(route),
    name: routes.longName.get(route),
    product: products[routes.product[route]!]!,
    ...getLineColors(routes.color[route]!, routes.textColor[route]!),
    ...(operatorName === '' ? {} : { operatorName }),
    lineId: `${sourceIds[routes.source[route]!]}:${routes.routeId.get(route)}`,
  };
}

/** A loaded timetable: the snapshot's arrays, and indexes that are built once. */
export interface Timetable {
  readonly manifest: TimetableManifest;
  readonly tables: TimetableTables;
  readonly sourceIds: readonly string[];
  readonly zones: readonly ZoneDays[];
  readonly lines: Lines;
  /**
   * Period of all service: from the start of the first service day to the end of the last one, each in the zone of its
   * trips, or to the last arrival where that is later.
   */
  readonly begin: Instant;
  readonly end: Instant;
  readonly search: SearchIndex;
  /** Created on first use. */
  readonly searchWorkspace: SearchWorkspace;
  /** Coordinates by entry of the search; NaN where unknown. */
  readonly searchCoordinates: { readonly lat: Float64Array; readonly lon: Float64Array };
  /** Entries are those of the search. Built on first use. */
  readonly nearby: NearbyIndex;
  /** Built on first use; `null` without on-demand service. */
  readonly onDemand: OnDemandAreas | null;
}

export function openTimetable(snapshot: TimetableSnapshot): Timetable {
  const { manifest, tables } = snapshot;
  const zones = Array.from({ length: tables.zones.name.length }, (_, zone) =>
    rememberDays(tables.zones.name.get(zone)),
  );
  const sourceIds = Array.from({ length: tables.sources.sourceId.length }, (_, i) => tables.sources.sourceId.get(i));
  // Built on first use, because planning threads need neither; a service builds them at its start.
  let coordinates: Timetable['searchCoordinates'] | null = null;
  let nearby: NearbyIndex | null = null;
  let workspace: SearchWorkspace | null = null;
  let onDemand: OnDemandAreas | null | undefined;
  const search = getSearchIndex(tables);
  return {
    manifest,
    tables,
    sourceIds,
    lines: rememberLines(tables, sourceIds),
    zones,
    ...findSpan(tables, zones),
    search,
    get searchWorkspace() {
      workspace ??= new SearchWorkspace(search);
      return workspace;
    },
    get searchCoordinates() {
      coordinates ??= locateEntries(tables);
      return coordinates;
    },
    get nearby() {
      nearby ??= indexServed(tables, this.searchCoordinates);
      return nearby;
    },
    get onDemand() {
      onDemand ??= onDemand === undefined ? openOnDemandAreas(tables) : null;
      return onDemand;
    },
  };
}

/** Builds the indexes in advance, so that the first request need not wait for them. */
export function makeIndexes({ nearby }: Timetable): NearbyIndex {
  return nearby;
}

function locateEntries({ searchEntries, stops }: TimetableTables): Timetable['searchCoordinates'] {
  const at = (degrees: Float64Array) => Float64Array.from(searchEntries.stop, (stop) => degrees[stop]!);
  return { lat: at(stops.lat), lon: at(stops.lon) };
}

/** Stops without service are found by name, but not as stops nearby. */
function indexServed({ searchEntries }: TimetableTables, { lat, lon }: Timetable['searchCoordinates']): NearbyIndex {
  const ifServed = (degrees: Float64Array) =>
    degrees.map((value, entry) => (searchEntries.importance[entry]! > 0 ? value : Number.NaN));
  return buildNearbyIndex(ifServed(lat), ifServed(lon));
}

function findSpan(
  { patterns, routes, trips, services, times, onDemandTrips }: TimetableTables,
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
  for (let trip = 0; trip < onDemandTrips.route.length; trip++) {
    const { first, lastEnd } = daysByZone[routes.zone[onDemandTrips.route[trip]!]!]!;
    begin = Math.min(begin, first[onDemandTrips.service[trip]!]!);
    end = Math.max(end, lastEnd[onDemandTrips.service[trip]!]!);
  }
  return { begin: begin as Instant, end: end as Instant };
}

/** Start of the first and the last day of each service, and end of the last; infinite for one without days. */
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

/** Stops with calls that a stop represents: itself, and for a station all of its platforms. */
export function getMembers({ stops, members }: TimetableTables, stop: number): Int32Array {
  const first = stops.firstMember[stop]!;
  return members.stop.subarray(first, first + stops.memberCount[stop]!);
}

/** Whether a stop is the other one, or one of its platforms, served or not. */
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
