import type { Alert, EntitySelector, TimeRange } from '../../formats/gtfs-rt/feed-message.ts';
import type { AlertLine, AlertReport, StopName, TripName } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import { categoryOf, kindOf, pickAddress, pickImage, pickLine, pickText, priorityOf } from './alert-words.ts';
import { toStopName, toTripName } from './names.ts';
import { type FeedReading, isInstant, tell, textOf } from './reading.ts';

/**
 * Says what an alert says. A text that is missing is taken from the one for reading aloud; an alert with a description
 * alone has it for its title.
 * @returns null for one without any text: `alert_without_text`
 */
export function toAlertReport(reading: FeedReading, alert: Alert, entityId: string, place: string): AlertReport | null {
  const header = pickLine(alert.headerText) ?? pickLine(alert.ttsHeaderText);
  const description = pickText(alert.descriptionText) ?? pickText(alert.ttsDescriptionText);
  const title = header ?? description?.replaceAll('\n', ' ') ?? null;
  if (title === null) {
    tell(reading, 'alert_without_text', place, 'neither header_text nor description_text');
    return null;
  }
  return {
    place,
    id: entityId,
    kind: kindOf(alert),
    category: categoryOf(alert),
    priority: priorityOf(alert),
    title,
    text: description ?? '',
    operatorName: null,
    isAccess: alert.effect === 'ACCESSIBILITY_ISSUE',
    activeWindows: readWindows(reading, alert.activePeriod, place),
    ...readSelectors(reading, alert.informedEntity, place),
    links: readLinks(reading, alert, title, place),
    pin: null,
  };
}

/** Ranges without an end, or with one that no clock will show, are open; those that end before they begin are left out. */
function readWindows(
  reading: FeedReading,
  ranges: readonly TimeRange[],
  place: string,
): { from: Instant | null; to: Instant | null }[] {
  return ranges.flatMap(({ start = 0, end = 0 }) => {
    const [from, to] = [isInstant(start) ? start : null, isInstant(end) ? end : null];
    const isUsable = (start === 0 || from !== null) && (from === null || to === null || from < to);
    if (!isUsable) tell(reading, 'bad_active_period', place, `from ${start} to ${end}`);
    return isUsable ? [{ from, to }] : [];
  });
}

interface Informed {
  readonly lines: AlertLine[];
  readonly stops: StopName[];
  readonly trips: TripName[];
}

/**
 * Whom an alert concerns, each line, stop and trip once. A selector of a line at a stop names both; one with a trip
 * names the trip. Those by route_type alone have no counterpart and are told as `unsupported_selector`.
 */
function readSelectors(reading: FeedReading, selectors: readonly EntitySelector[], place: string): Informed {
  const informed: Informed = { lines: [], stops: [], trips: [] };
  const seen = new Set<string>();
  const add = <Item>(items: Item[], item: Item | null) => {
    const key = JSON.stringify(item);
    if (item === null || seen.has(key)) return;
    seen.add(key);
    items.push(item);
  };
  for (const selector of selectors) {
    const named = selector.trip ? toTripName(reading, selector.trip, place) : null;
    const trip = named?.tripId || named?.startTime ? named : null;
    const stop = toStopName(reading, selector.stopId);
    // A trip that is named by its route alone stands for the line.
    const line = trip ? null : toLine(selector, named?.routeId ?? null);
    if (!trip && !line && !stop) {
      const detail = selector.routeType === undefined ? 'it is empty' : `route_type ${selector.routeType}`;
      tell(reading, 'unsupported_selector', place, detail);
    }
    add(informed.lines, line);
    add(informed.stops, stop);
    add(informed.trips, trip);
  }
  return informed;
}

/** An agency at a stop, or with a route_type, is not all of the agency. */
function toLine(selector: EntitySelector, routeOfTrip: string | null): AlertLine | null {
  const routeId = textOf(selector.routeId) ?? routeOfTrip;
  const agencyId = textOf(selector.agencyId);
  const isWholeAgency = agencyId !== null && selector.routeType === undefined && textOf(selector.stopId) === null;
  if (routeId === null && !isWholeAgency) return null;
  return { label: null, routeId, agencyId, operatorName: null, region: null };
}

function readLinks(reading: FeedReading, alert: Alert, title: string, place: string): AlertReport['links'][number][] {
  const page = { title, url: pickAddress(alert.url) };
  const image = { title: pickLine(alert.imageAlternativeText) ?? title, url: pickImage(alert.image) };
  return [page, image].flatMap((link) => {
    if (link.url === null) return [];
    if (/^https?:\/\//i.test(link.url)) return [{ title: link.title, url: link.url }];
    tell(reading, 'bad_link', place, link.url);
    return [];
  });
}
