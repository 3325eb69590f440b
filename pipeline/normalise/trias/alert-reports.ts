import type { RawSituation, RawTrip } from '../../formats/trias/raw-answer.ts';
import { toPlainLine, toPlainText } from '../../model/plain-text.ts';
import type { AlertLine, AlertReport, TripName } from '../../model/realtime.ts';
import { type AnswerContext, readStop, readTime, readValue, tell } from './answer-context.ts';
import { isAccessReason, toNoticeKind, toPriority } from './notice-kinds.ts';
import { toLineLabel, toTripName } from './trip-reports.ts';

/** Scopes in which a service that refers to a situation means all services of its line. */
const LINE_SCOPES = [null, 'line', 'route', 'network', 'operator', 'general'];

/**
 * The situations that are in force, the newest version of each. Those that are drafts, tests or closed are left out,
 * and each of them is a problem.
 * @param trips of the same answer: a situation that names nothing is about the services that refer to it
 */
export function toAlertReports(
  situations: readonly RawSituation[],
  trips: readonly RawTrip[],
  context: AnswerContext,
): readonly AlertReport[] {
  const inForce = situations.filter((situation) => {
    const reason = reasonToLeaveOut(situation);
    if (reason !== null) tell(context, reason, situation.place, situation.id);
    return reason === null;
  });
  return newestVersions(inForce, context).flatMap((situation) => {
    const referring = trips.filter(({ situationIds }) => situationIds.includes(situation.id));
    const alert = toAlertReport(situation, referring, context);
    if (!alert) tell(context, 'situation_without_text', situation.place, situation.id);
    return alert ?? [];
  });
}

function reasonToLeaveOut({ progress, reality }: RawSituation): string | null {
  if (reality !== null && reality !== 'real') return 'situation_not_real';
  return progress === 'draft' || progress === 'closed' ? `situation_${progress}` : null;
}

function newestVersions(situations: readonly RawSituation[], context: AnswerContext): readonly RawSituation[] {
  const newest = new Map<string, RawSituation>();
  for (const situation of situations) {
    const known = newest.get(situation.id);
    if (known) tell(context, 'repeated_situation', situation.place, `told at ${known.place} already`);
    if (!known || Number(situation.version ?? 0) > Number(known.version ?? 0)) newest.set(situation.id, situation);
  }
  return [...newest.values()];
}

function toAlertReport(raw: RawSituation, referring: readonly RawTrip[], context: AnswerContext): AlertReport | null {
  const [title, text] = toTexts(raw, context);
  if (title === '') return null;
  return {
    place: raw.place,
    id: raw.id,
    kind: toNoticeKind(raw),
    category: raw.reason === 'unknown' ? null : raw.reason,
    priority: toPriority(raw),
    title,
    text,
    operatorName: raw.operatorName,
    isAccess: isAccessReason(raw.reason),
    activeWindows: raw.validityPeriods.map(({ startTime, endTime }) => ({
      from: readTime(context, startTime, raw.place),
      to: readTime(context, endTime, raw.place),
    })),
    ...toSubjects(raw, referring, context),
    // An address of another kind could be anything once an app opens it.
    links: raw.links
      .filter(({ uri }) => /^https?:\/\//i.test(uri))
      .map(({ uri, label }) => ({ url: uri, title: label === null ? uri : toPlainLine(label) })),
    pin: null,
  };
}

/** Title and text, the text without what the title says already; where there is no title the first text is it. */
function toTexts(raw: RawSituation, context: AnswerContext): readonly [string, string] {
  const all = [raw.summary ?? '', ...raw.texts].map((text) => toPlainText(context.fixes.toSituationText(text)));
  const [title = '', ...texts] = [...new Set(all.filter((text) => text !== ''))];
  return [toPlainLine(title), texts.join('\n')];
}

function toSubjects(
  raw: RawSituation,
  referring: readonly RawTrip[],
  context: AnswerContext,
): Pick<AlertReport, 'lines' | 'stops' | 'trips'> {
  const stops = raw.stops.flatMap((stop) => readStop(context, stop.stopPointRef, stop.stopPointName) ?? []);
  const lines = raw.lines.map((line) => toAlertLine(line.lineName, readValue(context, line.lineRef)));
  const trips = raw.journeyRefs.map(onlyTripId);
  if (lines.length + stops.length + trips.length > 0) return { lines, stops, trips };
  if (LINE_SCOPES.includes(raw.scopeType)) {
    const named = referring.map((trip) => toAlertLine(toLineLabel(trip), readValue(context, trip.lineRef)));
    return { lines: uniqueLines(named), stops, trips };
  }
  // About a stop or a journey that is not named: true for these trips, too much for all of their line.
  return { lines, stops, trips: referring.map((trip) => toTripName(trip, context)) };
}

function toAlertLine(label: string | null, routeId: string | null): AlertLine {
  return { label, routeId, agencyId: null, operatorName: null, region: null };
}

function uniqueLines(lines: readonly AlertLine[]): readonly AlertLine[] {
  return [...new Map(lines.map((line) => [`${line.label} ${line.routeId}`, line])).values()];
}

function onlyTripId(tripId: string): TripName {
  return {
    tripId,
    routeId: null,
    directionId: null,
    startDate: null,
    startTime: null,
    lineLabel: null,
    product: null,
    operatorName: null,
    headsign: null,
  };
}
