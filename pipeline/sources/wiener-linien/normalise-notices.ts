import { linesAtStops } from '../../model/alert-entities.ts';
import { isClockOff } from '../../model/clock-tolerance.ts';
import { findKindByWords } from '../../model/notice-words.ts';
import { toPlainLine, toPlainText } from '../../model/plain-text.ts';
import type { RecordProblem } from '../../model/problem.ts';
import type { NoticeKind } from '../../model/realtime.ts';
import { type AlertReport, emptyUpdate, type SourceUpdate, type StopName } from '../../model/realtime.ts';
import type { RawNotice, RawNoticeAnswer } from './raw-records.ts';
import { type AnswerContext, parseTime } from './read-time.ts';

const ANCHOR = /<a\s([^<>]*)>([^<]*)/gi;
const TARGET = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
const WEB_ADDRESS = /^https?:\/\/[^\s<>"']+$/;

/** The web links of an HTML text, each URL once; a link without text is named by its URL. */
function listLinks(html: string): AlertReport['links'] {
  const titles = new Map<string, string>();
  for (const [, attributes, content] of html.matchAll(ANCHOR)) {
    const target = TARGET.exec(attributes!);
    const url = toPlainLine(target?.[1] ?? target?.[2] ?? '');
    if (WEB_ADDRESS.test(url) && !titles.has(url)) titles.set(url, toPlainLine(content!) || url);
  }
  return [...titles].map(([url, title]) => ({ title, url }));
}

interface Category {
  /** 0 most urgent … 100 least. */
  readonly priority: number;
  /** Type of lift or escalator; the beginning of its title. */
  readonly facility: 'Aufzug' | 'Fahrtreppe' | null;
}

/** Priorities of the publisher's categories: first what stops vehicles, then access to them, then planned events. */
const categories: ReadonlyMap<string, Category> = new Map([
  // Issued by the control centre, for whole lines.
  ['stoerunglang', { priority: 20, facility: null }],
  // Shown at single platforms.
  ['stoerungkurz', { priority: 30, facility: null }],
  ['aufzugsinfo', { priority: 50, facility: 'Aufzug' }],
  ['fahrtreppeninfo', { priority: 55, facility: 'Fahrtreppe' }],
  ['information', { priority: 60, facility: null }],
  ['news', { priority: 70, facility: null }],
  ['aktuelles', { priority: 70, facility: null }],
  ['aufzugsservice', { priority: 75, facility: 'Aufzug' }],
]);

const unknownCategory: Category = { priority: 60, facility: null };
const PRIORITY_OF_THE_RESOLVED = 90;

function isKnownCategory(name: string): boolean {
  return categories.has(name);
}

function getCategory(name: string | null): Category {
  return categories.get(name ?? '') ?? unknownCategory;
}

/** Except for news, categories state how long a disruption lasts, not what it is. */
const NEWS_CATEGORIES = ['news', 'aktuelles'];

/**
 * By the words of the headline.
 * @param headline the title as shown to riders
 */
export function findNoticeKind(headline: string, isResolved: boolean, category: string | null = null): NoticeKind {
  if (isResolved) return 'allClear';
  const usual = category !== null && NEWS_CATEGORIES.includes(category) ? 'announcement' : 'information';
  return findKindByWords(headline, '') ?? usual;
}

/**
 * The priority of a category, refined by the publisher's own (1 is most urgent); resolved notices come last.
 */
function findPriority(category: Category, publisherRank: string | undefined, isResolved: boolean): number {
  if (isResolved) return PRIORITY_OF_THE_RESOLVED;
  const rank = publisherRank !== undefined && /^[1-4]$/.test(publisherRank) ? Number(publisherRank) - 1 : 0;
  return category.priority + rank;
}

const PUBLISHER = 'Wiener Linien';
/** The publisher's signature in its own entries. */
const PUBLISHER_INITIALS = 'WL';
const REGION = 'Wien';

/** Normalises an answer of `trafficInfoList` or `newsList`. */
export function normaliseNoticeAnswer(answer: RawNoticeAnswer, { source, fetchedAt }: AnswerContext): SourceUpdate {
  const { alerts, problems } = normaliseNotices(answer.notices, source);
  const publishedAt = parseTime(answer.serverTime);
  return {
    ...emptyUpdate,
    publishedAt,
    isFrozen: isClockOff(publishedAt, fetchedAt),
    alerts,
    recordCount: answer.recordCount,
    problems: [...answer.problems, ...problems],
  };
}

/** One alert for each notice with a text; a notice without text is refused. */
export function normaliseNotices(
  notices: readonly RawNotice[],
  source: string,
): { readonly alerts: AlertReport[]; readonly problems: RecordProblem[] } {
  const alerts: AlertReport[] = [];
  const problems: RecordProblem[] = [];
  for (const notice of notices) {
    const report = (code: string, detail: string) => problems.push({ code, source, place: notice.place, detail });
    const alert = toAlert(notice, report);
    if (alert) alerts.push(alert);
    else report('notice_without_text', notice.id);
  }
  return { alerts, problems };
}

type Report = (code: string, detail: string) => void;

function toAlert(notice: RawNotice, report: Report): AlertReport | null {
  const category = getCategory(notice.category ?? null);
  const title = findTitle(notice, category.facility);
  if (title === '') return null;
  if (notice.category === undefined || !isKnownCategory(notice.category)) {
    report('unknown_category', notice.category ?? 'absent');
  }
  const isResolved = notice.status === 'resolved';
  const operatorName = findOperator(notice.owner);
  // The publisher lists lines and stops side by side, and means these lines at these stops.
  const about = {
    lines: notice.relatedLines.map((line) => ({
      label: toPlainLine(line),
      routeId: null,
      agencyId: null,
      operatorName,
      region: REGION,
    })),
    stops: listStops(notice),
    trips: [],
  };
  return {
    place: notice.place,
    id: notice.id,
    kind: findNoticeKind(title, isResolved, notice.category ?? null),
    category: notice.category ?? null,
    priority: findPriority(category, notice.priority, isResolved),
    title,
    text: findText(notice) || title,
    operatorName,
    isAccess: category.facility !== null,
    activeWindows: listWindows(notice, report),
    ...about,
    entities: linesAtStops(about),
    links: listLinks(notice.descriptionHtml ?? notice.description ?? ''),
    pin: null,
  };
}

/** The publisher's headline; for lifts and escalators, whose headline is the station alone, with type and status. */
function findTitle(notice: RawNotice, facility: string | null): string {
  const title = toPlainLine(notice.title ?? '');
  if (facility === null) return title || toPlainLine(notice.description ?? '');
  const station = toPlainLine(notice.station ?? '') || title;
  const status = toPlainLine(notice.status ?? '');
  return station === '' ? '' : `${facility} ${station}${status ? `: ${status}` : ''}`;
}

/** The long text, followed by lines for facts that it lacks: location, direction, reason. */
function findText(notice: RawNotice): string {
  const lines: string[] = [];
  const add = (label: string, words: string | undefined) => {
    const line = toPlainLine(words ?? '');
    if (line !== '' && !lines.some((known) => known.includes(line))) lines.push(label + line);
  };
  const text = toPlainText(notice.descriptionHtml ?? notice.description ?? '');
  if (text !== '') lines.push(text);
  add('Ort: ', notice.location);
  add('', notice.towards);
  add('Grund: ', notice.reason);
  return lines.join('\n');
}

function findOperator(owner: string | undefined): string {
  return owner === undefined || owner === PUBLISHER_INITIALS ? PUBLISHER : toPlainLine(owner);
}

function listWindows(notice: RawNotice, report: Report): AlertReport['activeWindows'] {
  const from = parseTime(notice.start);
  const to = parseTime(notice.end);
  if (notice.start !== undefined && from === null) report('bad_time', `start: ${notice.start}`);
  if (notice.end !== undefined && to === null) report('bad_time', `end: ${notice.end}`);
  if (from === null && to === null) return [];
  if (from !== null && to !== null && to < from) {
    report('window_ends_before_it_begins', `${notice.start} to ${notice.end}`);
    return [];
  }
  return [{ from, to }];
}

/** Its platforms, with the station's name if there is one; else the station by name alone. */
function listStops({ relatedStops, station }: RawNotice): StopName[] {
  const name = toPlainLine(station ?? '') || null;
  const ids = relatedStops.length > 0 || name === null ? relatedStops : [null];
  return ids.map((id) => ({ id, idSpace: 'rbl', name, lat: null, lon: null }));
}
