import { anywhere, collectOnce, joinEntities } from '../../model/alert-entities.ts';
import { findKindByWords } from '../../model/notice-words.ts';
import { toPlainLine, toPlainText } from '../../model/plain-text.ts';
import type { AlertEntity, AlertLine, AlertReport, NoticeKind, StopName, TripName } from '../../model/realtime.ts';
import { parseServiceDate } from '../../model/service-time.ts';
import { addProblem, readStop, readTime, readValue, type TriasContext } from './answer-context.ts';
import type { RawAffectedStop, RawSituation, RawTrip } from './raw-answer.ts';
import { toLineLabel, toTripName } from './trip-reports.ts';

/** Checked before reasons, because consequences state more clearly what riders must expect. */
const byCondition: Readonly<Record<string, NoticeKind>> = {
  cancelled: 'cancellation',
  noService: 'cancellation',
  serviceReplacement: 'replacementService',
  replacementService: 'replacementService',
  replacementTransport: 'replacementService',
  shuttleService: 'replacementService',
};

const byReason: Readonly<Record<string, NoticeKind>> = {
  constructionWork: 'construction',
  maintenanceWork: 'construction',
  repairWork: 'construction',
  roadworks: 'construction',
  roadMaintenance: 'construction',
  emergencyEngineeringWork: 'construction',
  lateFinishToEngineeringWork: 'construction',
  trackCirculation: 'construction',
  fire: 'emergency',
  bombAlert: 'emergency',
  bombExplosion: 'emergency',
  terroristIncident: 'emergency',
  securityIncident: 'emergency',
  policeRequest: 'emergency',
  policeOrder: 'emergency',
  emergencyServicesCall: 'emergency',
  evacuation: 'emergency',
  gasLeak: 'emergency',
  natural: 'emergency',
  avalanches: 'emergency',
  flooding: 'emergency',
  earthquakeDamage: 'emergency',
};

const ACCESS_REASONS = ['liftFailure', 'escalatorFailure', 'accessibility'];

/**
 * By the publisher's text if neither conditions nor reason are specific.
 * @see SIRI-SX 2.0, ServiceConditionEnumeration and the enumerations of reasons
 */
function toNoticeKind({ conditions, reason, progress }: RawSituation, title: string, text: string): NoticeKind {
  if (progress === 'closing') return 'allClear';
  const condition = conditions.find((name) => Object.hasOwn(byCondition, name));
  if (condition !== undefined) return byCondition[condition]!;
  return reason !== null && Object.hasOwn(byReason, reason)
    ? byReason[reason]!
    : (findKindByWords(title, text) ?? 'information');
}

function isAccessReason(reason: string | null): boolean {
  return reason !== null && ACCESS_REASONS.includes(reason);
}

const bySeverity: Readonly<Record<string, number>> = {
  verySevere: 0,
  severe: 20,
  normal: 50,
  slight: 70,
  verySlight: 85,
  noImpact: 95,
};

/** Without severity and priority. */
const USUAL_PRIORITY = 50;

/**
 * Severity if given, else the publisher's own priority, of which 1 is the highest and 5 the lowest in use.
 * @returns 0 most urgent … 100 least
 */
function toPriority({ severity, priority }: RawSituation): number {
  if (severity !== null && Object.hasOwn(bySeverity, severity)) return bySeverity[severity]!;
  if (priority === null || !/^\d{1,3}$/.test(priority)) return USUAL_PRIORITY;
  return Math.min(100, Math.max(0, (Number(priority) - 1) * 25));
}

type RawJourney = RawSituation['journeys'][number];

/** Scopes in which a reference from a service stands for all services of its line. */
const LINE_SCOPES = [null, 'line', 'route', 'network', 'operator', 'general'];

/**
 * The situations in force, in their newest versions. Drafts, tests and closed situations are dropped, each with a
 * problem.
 * @param trips of the same answer: a situation without subjects applies to the services that refer to it
 */
export function toAlertReports(
  situations: readonly RawSituation[],
  trips: readonly RawTrip[],
  context: TriasContext,
): readonly AlertReport[] {
  const inForce = situations.filter((situation) => {
    const reason = reasonToLeaveOut(situation);
    if (reason !== null) addProblem(context, reason, situation.place, situation.id);
    return reason === null;
  });
  return newestVersions(inForce, context).flatMap((situation) => {
    const referring = trips.filter(({ situationIds }) => situationIds.includes(situation.id));
    const alert = toAlertReport(situation, referring, context);
    if (!alert) addProblem(context, 'situation_without_text', situation.place, situation.id);
    return alert ?? [];
  });
}

function reasonToLeaveOut({ progress, reality }: RawSituation): string | null {
  if (reality !== null && reality !== 'real') return 'situation_not_real';
  return progress === 'draft' || progress === 'closed' ? `situation_${progress}` : null;
}

function newestVersions(situations: readonly RawSituation[], context: TriasContext): readonly RawSituation[] {
  const newest = new Map<string, RawSituation>();
  for (const situation of situations) {
    const known = newest.get(situation.id);
    if (known) addProblem(context, 'repeated_situation', situation.place, `already reported at ${known.place}`);
    if (!known || Number(situation.version ?? 0) > Number(known.version ?? 0)) newest.set(situation.id, situation);
  }
  return [...newest.values()];
}

function toAlertReport(raw: RawSituation, referring: readonly RawTrip[], context: TriasContext): AlertReport | null {
  const [title, text] = toTexts(raw, context);
  if (title === '') return null;
  return {
    place: raw.place,
    id: raw.id,
    kind: toNoticeKind(raw, title, text),
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
    // Apps could be made to open anything through a link with another scheme.
    links: raw.links
      .filter(({ uri }) => /^https?:\/\//i.test(uri))
      .map(({ uri, label }) => ({ url: uri, title: label === null ? uri : toPlainLine(label) })),
    pin: null,
  };
}

/** Title and text, the text without a repetition of the title; without a title, the first text takes its place. */
function toTexts(raw: RawSituation, context: TriasContext): readonly [string, string] {
  const all = [raw.summary ?? '', ...raw.texts].map((text) => toPlainText(context.fixes.toSituationText(text)));
  const [title = '', ...texts] = [...new Set(all.filter((text) => text !== ''))];
  return [toPlainLine(title), texts.join('\n')];
}

/**
 * Subjects of a situation. Lines and stops side by side mean these lines at these stops, as TRIAS publishers list the
 * stops of a detour beside its line. Stops within a line or a journey restrict that one; a journey means that journey
 * alone.
 */
function toSubjects(
  raw: RawSituation,
  referring: readonly RawTrip[],
  context: TriasContext,
): Pick<AlertReport, 'lines' | 'stops' | 'trips' | 'entities'> {
  const lines = collectOnce<AlertLine>();
  const stops = collectOnce<StopName>();
  const trips = collectOnce<TripName>();
  const listStops = (affected: readonly RawAffectedStop[]) =>
    affected
      .flatMap((stop) => readStop(context, stop.stopPointRef, stop.stopPointName) ?? [])
      .map((stop) => stops.positionOf(stop));
  const addLine = (line: AlertLine) => lines.positionOf(line);
  const named = raw.lines.map((line) => ({
    line: addLine(toAlertLine(line.lineName, readValue(context, line.lineRef))),
    stops: listStops(line.stops),
  }));
  const flat: AlertEntity = {
    ...anywhere,
    lines: named.filter((line) => line.stops.length === 0).map(({ line }) => line),
    stops: listStops(raw.stops),
  };
  const entities: AlertEntity[] = [
    ...(flat.lines.length + flat.stops.length === 0 ? [] : [flat]),
    ...named.filter((one) => one.stops.length > 0).map((one) => ({ ...anywhere, lines: [one.line], stops: one.stops })),
    ...raw.journeys.map((journey) => {
      const lineRef = readValue(context, journey.lineRef);
      if (lineRef !== null) addLine(toAlertLine(null, lineRef));
      return {
        ...anywhere,
        trips: [trips.positionOf(toJourney(journey, context, raw.place))],
        stops: listStops(journey.stops),
      };
    }),
  ];
  if (entities.length === 0) {
    // A line scope applies to the lines of the services that refer to the situation. A stop or journey scope without
    // names applies to these services, but not to their whole lines.
    const isOfLines = LINE_SCOPES.includes(raw.scopeType);
    const added = isOfLines
      ? { lines: referring.map((trip) => addLine(toAlertLine(toLineLabel(trip), readValue(context, trip.lineRef)))) }
      : { trips: referring.map((trip) => trips.positionOf(toTripName(trip, context))) };
    if (referring.length > 0) entities.push({ ...anywhere, ...added });
  }
  return { lines: lines.items, stops: stops.items, trips: trips.items, entities: joinEntities(entities) };
}

function toAlertLine(label: string | null, routeId: string | null): AlertLine {
  return { label, routeId, agencyId: null, operatorName: null, region: null };
}

function toJourney({ journeyRef, operatingDay }: RawJourney, context: TriasContext, place: string): TripName {
  const startDate = operatingDay === null ? null : parseServiceDate(operatingDay.slice(0, 10));
  if (operatingDay !== null && !startDate) addProblem(context, 'bad_date', place, operatingDay.slice(0, 60));
  return {
    tripId: journeyRef,
    routeId: null,
    directionId: null,
    startDate,
    startTime: null,
    lineLabel: null,
    product: null,
    operatorName: null,
    headsign: null,
  };
}
