import type { Alert, EntitySelector, TimeRange } from '../../formats/gtfs-rt/feed-message.ts';
import { collectOnce, joinEntities } from '../../model/alert-entities.ts';
import type { AlertEntity, AlertLine, AlertReport, StopName, TripName } from '../../model/realtime.ts';
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

type Informed = Pick<AlertReport, 'lines' | 'stops' | 'trips' | 'entities'>;

/**
 * What an alert is about: each selector is one condition, whose members are met together. One with a trip is of that
 * trip alone (at the stop, where it names one); its route only says which line that is. A selector by route_type that
 * names no route has no counterpart here: it is left out as a whole and told as `unsupported_selector`, because without
 * its type it would hold for too much.
 * @see GTFS Realtime reference, EntitySelector
 */
function readSelectors(reading: FeedReading, selectors: readonly EntitySelector[], place: string): Informed {
  const lines = collectOnce<AlertLine>();
  const stops = collectOnce<StopName>();
  const trips = collectOnce<TripName>();
  const entities: AlertEntity[] = [];
  for (const selector of selectors) {
    const named = selector.trip ? toTripName(reading, selector.trip, place) : null;
    const trip = named?.tripId || named?.startTime ? named : null;
    const stop = toStopName(reading, selector.stopId);
    // A trip that is named by its route alone stands for the line.
    const line = toLine(selector, named?.routeId ?? null);
    const isByType = selector.routeType !== undefined && line?.routeId == null && !trip;
    if (isByType || (!trip && !line && !stop)) {
      const detail = selector.routeType === undefined ? 'it is empty' : `route_type ${selector.routeType}`;
      tell(reading, 'unsupported_selector', place, detail);
      continue;
    }
    if (line && (!trip || line.routeId !== null)) lines.positionOf(line);
    entities.push({
      lines: line && !trip ? [lines.positionOf(line)] : [],
      stops: stop ? [stops.positionOf(stop)] : [],
      trips: trip ? [trips.positionOf(trip)] : [],
      directionId: trip ? null : toDirection(selector.directionId ?? selector.trip?.directionId),
    });
  }
  return { lines: lines.items, stops: stops.items, trips: trips.items, entities: joinEntities(entities) };
}

function toDirection(direction: number | undefined): AlertEntity['directionId'] {
  return direction === 0 || direction === 1 ? direction : null;
}

/** A route, or all of an agency. */
function toLine(selector: EntitySelector, routeOfTrip: string | null): AlertLine | null {
  const routeId = textOf(selector.routeId) ?? routeOfTrip;
  const agencyId = textOf(selector.agencyId);
  if (routeId === null && agencyId === null) return null;
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
