import { collectOnce, joinEntities } from '../../model/alert-entities.ts';
import { findKindByWords } from '../../model/notice-words.ts';
import { toPlainLine, toPlainText } from '../../model/plain-text.ts';
import type { AlertEntity, AlertLine, AlertReport, NoticeKind, StopName, TripName } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { Alert, EntitySelector, TimeRange, TranslatedImage, TranslatedString } from './feed-message.ts';
import { addProblem, type FeedReading, isInstant, textOf, toStopName, toTripName } from './reading.ts';

/** GTFS-Realtime has no value for these; publishers write them into their texts. */
const KINDS_BY_WORDS_ALONE: readonly (NoticeKind | null)[] = ['replacementService', 'loadingTime', 'allClear'];

/**
 * Kind of an alert by cause and effect; construction and maintenance take precedence over their effects. If both are
 * missing or generic, the text decides.
 */
function kindOf({ cause, effect, effectDetail }: Pick<Alert, 'cause' | 'effect' | 'effectDetail'>, texts: Texts) {
  const byWords = findKindByWords([texts.title, pickLine(effectDetail) ?? ''].join('\n'), texts.text);
  if (byWords !== null && KINDS_BY_WORDS_ALONE.includes(byWords)) return byWords;
  if (cause === 'CONSTRUCTION' || cause === 'MAINTENANCE') return 'construction';
  if (effect === 'NO_SERVICE') return 'cancellation';
  if (cause === 'ACCIDENT' || cause === 'POLICE_ACTIVITY' || cause === 'MEDICAL_EMERGENCY') return 'emergency';
  if (byWords !== null) return byWords;
  if (effect === 'NO_EFFECT') return 'announcement';
  return isSpecific(effect) || isSpecific(cause) ? 'information' : 'other';
}

type Texts = Pick<AlertReport, 'title' | 'text'>;

/** The publisher's category: cause before effect, an enumeration name before the free-text detail. */
function categoryOf({ cause, causeDetail, effect, effectDetail }: Alert): string | null {
  if (isSpecific(cause)) return cause;
  return pickLine(causeDetail) ?? (isSpecific(effect) ? effect : pickLine(effectDetail));
}

const GENERIC_VALUES = ['UNKNOWN_CAUSE', 'OTHER_CAUSE', 'UNKNOWN_EFFECT', 'OTHER_EFFECT'];

function isSpecific(value: string | number | undefined): value is string {
  return typeof value === 'string' && !GENERIC_VALUES.includes(value);
}

/** From SEVERE = 10 to INFO = 70; unknown severity is between WARNING and INFO. */
function priorityOf({ severityLevel }: Pick<Alert, 'severityLevel'>): number {
  switch (severityLevel) {
    case 'SEVERE':
      return 10;
    case 'WARNING':
      return 30;
    case 'INFO':
      return 70;
    default:
      return 50;
  }
}

/** The German text, else the one without a language, else the English one, else the first; null without any. */
function pickText(text: TranslatedString | undefined): string | null {
  return pick(text, toPlainText);
}

/** As `pickText`, in one line. */
export function pickLine(text: TranslatedString | undefined): string | null {
  return pick(text, toPlainLine);
}

/** As `pickText`, but only trimmed: an ampersand in a URL does not begin an entity. */
function pickAddress(text: TranslatedString | undefined): string | null {
  return pick(text, (address) => address.trim());
}

/** Address of the image, with the language preference of `pickText`. */
function pickImage(image: TranslatedImage | undefined): string | null {
  return pickLanguage(image?.localizedImage ?? [])?.url ?? null;
}

function pick(text: TranslatedString | undefined, clean: (text: string) => string): string | null {
  const translations = (text?.translation ?? []).map((one) => ({ ...one, text: clean(one.text) }));
  return pickLanguage(translations.filter((one) => one.text !== ''))?.text ?? null;
}

function pickLanguage<Item extends { readonly language?: string }>(items: readonly Item[]): Item | undefined {
  const inLanguage = (pattern: RegExp) => items.find(({ language }) => pattern.test(language ?? ''));
  return inLanguage(/^de(-|$)/i) ?? inLanguage(/^$/) ?? inLanguage(/^en(-|$)/i) ?? items[0];
}

/**
 * Converts an alert to an alert report. A missing text is replaced by its text-to-speech variant; without a header, the
 * description becomes the title.
 * @returns null without any text: `alert_without_text`
 */
export function toAlertReport(reading: FeedReading, alert: Alert, entityId: string, place: string): AlertReport | null {
  const header = pickLine(alert.headerText) ?? pickLine(alert.ttsHeaderText);
  const description = pickText(alert.descriptionText) ?? pickText(alert.ttsDescriptionText);
  const title = header ?? description?.replaceAll('\n', ' ') ?? null;
  if (title === null) {
    addProblem(reading, 'alert_without_text', place, 'neither header_text nor description_text');
    return null;
  }
  return {
    place,
    id: entityId,
    kind: kindOf(alert, { title, text: description ?? '' }),
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

/** A period without a representable end is open; one that ends before it begins is dropped. */
function readWindows(
  reading: FeedReading,
  ranges: readonly TimeRange[],
  place: string,
): { from: Instant | null; to: Instant | null }[] {
  return ranges.flatMap(({ start = 0, end = 0 }) => {
    const [from, to] = [isInstant(start) ? start : null, isInstant(end) ? end : null];
    const isUsable = (start === 0 || from !== null) && (from === null || to === null || from < to);
    if (!isUsable) addProblem(reading, 'bad_active_period', place, `from ${start} to ${end}`);
    return isUsable ? [{ from, to }] : [];
  });
}

type Informed = Pick<AlertReport, 'lines' | 'stops' | 'trips' | 'entities'>;

/**
 * Subjects of an alert: the members of one selector must all match. A selector with a trip applies to that trip alone
 * (at the stop, where it names one); its route only names the line. A selector by route_type without a route has no
 * counterpart here: it is dropped as `unsupported_selector`, because without its type it would match too much.
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
    // A trip named only by its route stands for the line.
    const line = toLine(selector, named?.routeId ?? null);
    const isByType = selector.routeType !== undefined && line?.routeId == null && !trip;
    if (isByType || (!trip && !line && !stop)) {
      const detail = selector.routeType === undefined ? 'it is empty' : `route_type ${selector.routeType}`;
      addProblem(reading, 'unsupported_selector', place, detail);
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
    addProblem(reading, 'bad_link', place, link.url);
    return [];
  });
}
