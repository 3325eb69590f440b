import { anywhere, collectOnce, joinEntities } from '../../model/alert-entities.ts';
import { findKindByWords } from '../../model/notice-words.ts';
import { toPlainLine, toPlainText } from '../../model/plain-text.ts';
import type { AlertLine, AlertReport, NoticeKind, StopName, TripName } from '../../model/realtime.ts';
import type { HafasDatedTrip, HafasMessage, HafasRemark } from './hafas-records.ts';
import type { HafasHint } from './load-profile.ts';
import { numberOf, textOf } from './mgate-answer.ts';
import { toInstant, toLineLabel, toStopName } from './names.ts';

/** Endpoints number their categories differently, so the text decides. */
function toAlertKind(title: string, text: string): NoticeKind {
  return findKindByWords(title, text) ?? 'information';
}

/** A note on a trip has no priority; it is less urgent than a message with an explicit one. */
const HINT_PRIORITY = 60;
const LOWEST_PRIORITY = 100;
/** A link and its text; no quantifier crosses another tag, so matching stays linear on any text. */
const LINK = /<a\s[^<>]*?href\s*=\s*["']\s*(https?:\/\/[^"'\s<>]+)[^<>]*>([^<]*)/gi;

/** Trips and calls that refer to a message: it applies to each of these trips, or to one trip at that stop. */
interface Target {
  readonly trips: Map<string, TripName>;
  readonly calls: { readonly trip: TripName; readonly stop: StopName }[];
}

/**
 * The messages of an answer and the notes on its trips, one alert per wording. A message applies to the lines and stops
 * that it names. Messages and notes also apply to each trip that refers to them or, if a call refers to them, to that
 * trip at that stop. `priority` is HIM's own: 0 most urgent … 100. Daily hours and affected products are dropped.
 * @param named trips with their names in the model
 */
export function toAlertReports(
  messages: readonly HafasMessage[],
  named: readonly { readonly datedTrip: HafasDatedTrip; readonly trip: TripName }[],
): AlertReport[] {
  const targets = new Map<string, Target>();
  const hints = new Map<string, HafasHint>();
  const aim = (remark: HafasRemark): Target => {
    const id = remark.kind === 'message' ? remark.id : hintId(remark.hint);
    if (remark.kind === 'hint') hints.set(id, remark.hint);
    const target = targets.get(id) ?? { trips: new Map(), calls: [] };
    targets.set(id, target);
    return target;
  };
  for (const { datedTrip, trip } of named) {
    for (const remark of datedTrip.remarks.filter(isAimed)) aim(remark).trips.set(trip.tripId ?? datedTrip.place, trip);
    for (const call of datedTrip.calls) {
      if (call.stop === null) continue;
      const stop = toStopName(call.stop);
      for (const remark of call.remarks.filter(isAimed)) aim(remark).calls.push({ trip, stop });
    }
  }
  return [
    ...messages.map((message) => toMessageAlert(message, targets.get(message.warning.id))),
    ...[...hints].map(([id, hint]) => toHintAlert(id, hint, targets.get(id))),
  ];
}

/** A message for all riders is attached to every trip of an answer, but applies to none of them. */
function isAimed(remark: HafasRemark): boolean {
  return remark.kind === 'hint' || !remark.isGlobal;
}

function toMessageAlert(message: HafasMessage, target: Target | undefined): AlertReport {
  const { warning } = message;
  const text = toPlainText(message.text ?? '');
  const title = toPlainLine(message.title ?? '') || toPlainLine(message.text ?? '');
  return {
    place: message.place,
    id: warning.id,
    kind: toAlertKind(title, text),
    category: toCategory(message),
    priority: Math.min(Math.max(Math.round(numberOf(warning.priority) ?? HINT_PRIORITY), 0), LOWEST_PRIORITY),
    title,
    text,
    operatorName: textOf(warning.company),
    isAccess: /aufzug|lift|rolltreppe|fahrtreppe/i.test(title),
    activeWindows: message.windows
      .map(({ from, to }) => ({ from: toInstant(from), to: toInstant(to) }))
      .filter(({ from, to }) => from !== null || to !== null)
      .sort((a, b) => (a.from ?? 0) - (b.from ?? 0)),
    ...toSubjects(
      message.lines.map(toAlertLine).filter(({ label }) => label !== null),
      message.stops.map(toStopName),
      target,
    ),
    links: findLinks(message.text ?? ''),
    pin: message.pin,
  };
}

function toHintAlert(id: string, { text, summary }: HafasHint, target: Target | undefined): AlertReport {
  const plain = toPlainText(text ?? '');
  const title = toPlainLine(summary ?? '') || toPlainLine(text ?? '');
  return {
    place: id,
    id,
    kind: toAlertKind(title, plain),
    category: null,
    priority: HINT_PRIORITY,
    title,
    text: plain,
    operatorName: null,
    isAccess: false,
    activeWindows: [],
    ...toSubjects([], [], target),
    links: [],
    pin: null,
  };
}

function toSubjects(
  ownLines: readonly AlertLine[],
  ownStops: readonly StopName[],
  target: Target | undefined,
): Pick<AlertReport, 'lines' | 'stops' | 'trips' | 'entities'> {
  const lines = collectOnce<AlertLine>();
  const stops = collectOnce<StopName>();
  const trips = collectOnce<TripName>();
  const own = { ...anywhere, lines: ownLines.map(lines.positionOf), stops: ownStops.map(stops.positionOf) };
  const datedTrips = [...(target?.trips.values() ?? [])].map((trip) => ({
    ...anywhere,
    trips: [trips.positionOf(trip)],
  }));
  const calls = (target?.calls ?? []).map(({ trip, stop }) => ({
    ...anywhere,
    trips: [trips.positionOf(trip)],
    stops: [stops.positionOf(stop)],
  }));
  const entities = joinEntities([...(ownLines.length + ownStops.length === 0 ? [] : [own]), ...datedTrips, ...calls]);
  return { lines: lines.items, stops: stops.items, trips: trips.items, entities };
}

function toAlertLine(line: HafasMessage['lines'][number]): AlertLine {
  return {
    label: toLineLabel(line.name),
    routeId: null,
    agencyId: null,
    operatorName: line.operator?.name ?? null,
    region: null,
  };
}

function toCategory({ warning }: HafasMessage): string | null {
  const category = warning.categories?.[0] ?? warning.category;
  return textOf(warning.icon?.type) ?? textOf(category) ?? numberOf(category)?.toString() ?? null;
}

function findLinks(html: string): AlertReport['links'] {
  return [...html.matchAll(LINK)].map(([, url, label]) => ({ title: toPlainLine(label!) || url!, url: url! }));
}

/** Equal texts have equal ids across answers. @see FNV-1a, 32 bits */
function hintId({ text, summary }: HafasHint): string {
  let hash = 0x811c9dc5;
  for (const character of `${summary ?? ''}\n${text ?? ''}`) {
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  }
  return `note-${hash.toString(16).padStart(8, '0')}`;
}
