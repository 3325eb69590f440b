import { distanceMeters } from '../../../pipeline/model/geo.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PublishedAlert, PublishedEntity } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { Coord, Disruption, DisruptionList } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import { compareAlerts, isActive, listStops, presentAlert } from '../read/alerts.ts';
import { findStopCoord, presentCoord, presentTimestamp } from '../read/present.ts';
import { listSources, type Published } from '../read/realtime.ts';
import { listFresh } from '../read/source-states.ts';
import { findStop, getStopId } from '../read/stop-ids.ts';
import { isPartOf, type Timetable } from '../read/timetable.ts';

/** Characters that RFC 3986 does not allow in a URI; the percent sign only before two hexadecimal digits. */
const FORBIDDEN = /[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/g;

/**
 * A URI as the contract defines it, which is stricter than what browsers and publishers accept: blanks, umlauts,
 * brackets and the like are percent-encoded.
 * @returns null for anything but a web address
 */
function toUri(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, host, href } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  const start = href.indexOf(host) + host.length;
  // The host of an IPv6 address has brackets that belong there.
  return href.slice(0, start) + href.slice(start).replace(FORBIDDEN, encodeURIComponent);
}

export interface DisruptionQuery {
  readonly offset: number;
  readonly limit: number;
  readonly line?: string;
  readonly stopId?: string;
  readonly operator?: string;
  readonly category?: string;
  readonly activeAt: Instant;
  readonly near?: { readonly lat: number; readonly lon: number; readonly radiusMeters: number };
}

/**
 * Disruptions that are active at an instant, most urgent first, then by id. Pages neither repeat nor skip disruptions
 * while the data is unchanged.
 * @throws ApiProblem `unknown_stop`
 */
export function listDisruptions(published: Published, query: DisruptionQuery, instant: Instant): DisruptionList {
  const { timetable, realtime } = published;
  const isWanted = readFilter(timetable, query);
  const found = (realtime?.alertIndex.alerts ?? []).filter(isWanted).sort(compareAlerts);
  const end = query.offset + query.limit;
  const live = listFresh(listSources(published), 'disruptions', instant);
  return {
    generatedAt: presentTimestamp(instant),
    coverage: live.some(({ isNationwide }) => isNationwide) ? 'nationwide' : 'vienna_only',
    total: found.length,
    ...(end < found.length ? { nextOffset: end } : {}),
    disruptions: found.slice(query.offset, end).map((alert) => presentDisruption(timetable, alert)),
  };
}

function readFilter(timetable: Timetable, query: DisruptionQuery): (alert: PublishedAlert) => boolean {
  const stopRow = query.stopId === undefined ? null : getStop(timetable, query.stopId);
  const operator = query.operator?.toLowerCase();
  const category = query.category?.toLowerCase();
  return (alert) =>
    isActive(alert, query.activeAt, query.activeAt) &&
    isAbout(timetable, alert, query.line ?? null, stopRow) &&
    (operator === undefined || listOperators(alert).includes(operator)) &&
    (category === undefined || [alert.category?.toLowerCase(), alert.kind.toLowerCase()].includes(category)) &&
    (query.near === undefined || isNear(timetable, alert, query.near));
}

/** Whether one single condition of an alert matches both the line and the stop; null matches any. */
function isAbout(timetable: Timetable, alert: PublishedAlert, label: string | null, stop: number | null): boolean {
  if (label === null && stop === null) return true;
  const isOfStop = (entity: PublishedEntity) => stop === null || isAtStop(timetable, entity, stop);
  if (alert.entities.some((entity) => isOfStop(entity) && (label === null || isOfLine(timetable, entity, label)))) {
    return true;
  }
  // Lines without a route in the timetable are matched by name.
  if (label === null || !isNamed(timetable, alert, label)) return false;
  return stop === null || alert.entities.some((entity) => entity.routes?.length === 0 && isOfStop(entity));
}

/** By its routes, or by those of its trips. */
function isOfLine({ tables }: Timetable, { routes, trips }: PublishedEntity, label: string): boolean {
  const { patterns } = tables;
  const ofTrips = trips?.map(({ trip }) => patterns.route[tables.trips.pattern[trip]!]!);
  return [...(routes ?? []), ...(ofTrips ?? [])].some((route) => tables.routes.label.get(route) === label);
}

/** Whether an alert names a line without a route in the timetable. */
function isNamed(timetable: Timetable, { lines, entities }: PublishedAlert, label: string): boolean {
  return lines.some((line) => line.label === label) && !entities.some((entity) => isOfLine(timetable, entity, label));
}

function getStop(timetable: Timetable, id: string): number {
  const stop = findStop(timetable, id);
  if (stop === null) throw new ApiProblem('unknown_stop', 'The timetable has no stop with this id.', 'stopId');
  return stop;
}

/** An alert of a stop, of one of its platforms or of its station applies to all of them. */
function isAtStop({ tables }: Timetable, { stops }: PublishedEntity, stopRow: number): boolean {
  return (stops ?? []).some((stop) => isPartOf(tables, stop, stopRow) || isPartOf(tables, stopRow, stop));
}

function listOperators({ operatorNames, lines }: PublishedAlert): string[] {
  return [...operatorNames, ...lines.map((line) => line.operatorName)].flatMap((name) => name?.toLowerCase() ?? []);
}

function isNear(
  timetable: Timetable,
  alert: PublishedAlert,
  { lat, lon, radiusMeters }: { lat: number; lon: number; radiusMeters: number },
): boolean {
  const places = listStops(alert).flatMap((stop) => findStopCoord(timetable, stop).coord ?? []);
  return [...places, ...(alert.pin ? [alert.pin] : [])].some(
    (place) => distanceMeters(lat, lon, place.lat, place.lon) <= radiusMeters,
  );
}

function presentDisruption(timetable: Timetable, alert: PublishedAlert): Disruption {
  const { id, title, text, priority, operatorName, ...rest } = presentAlert(alert);
  const windows = alert.activeWindows.flatMap(({ from, to }) =>
    from === null || to === null
      ? []
      : { from: presentTimestamp(from as Instant), to: presentTimestamp(to as Instant) },
  );
  const links = alert.links.flatMap(({ title, url }) => {
    const address = toUri(url);
    return address === null ? [] : { title, url: address };
  });
  const pin = findPin(timetable, alert);
  return {
    id,
    title,
    text,
    priority,
    ...(operatorName === undefined ? {} : { operator: operatorName }),
    category: alert.category ?? alert.kind,
    ...rest,
    ...(windows.length === 0 ? {} : { activeWindows: windows }),
    affectedStopIds: listStops(alert).map((stop) => getStopId(timetable, stop)),
    ...(links.length === 0 ? {} : { links }),
    ...(pin === null ? {} : { pin }),
  };
}

/** The place given by the publisher, else the single station that it is about; null for several. */
function findPin(timetable: Timetable, alert: PublishedAlert): Coord | null {
  const { pin } = alert;
  if (pin) return presentCoord(pin.lat, pin.lon);
  const stations = new Set(listStops(alert).map((stop) => timetable.tables.stops.station[stop]!));
  const [only] = stations;
  return stations.size === 1 ? (findStopCoord(timetable, only!).coord ?? null) : null;
}
