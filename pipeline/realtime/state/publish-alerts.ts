import type { AlertReport } from '../../model/realtime.ts';
import type { PublishedAlert } from '../../snapshots/realtime-contract.ts';
import type { AlertMemory } from './memory.ts';

/** An alert with its places in the timetable. */
export interface MatchedAlert extends AlertMemory {
  readonly sourceId: string;
}

/** A text of this length is specific to one event; shorter ones, e.g. `Verspätungen`, are used for many. */
const SPECIFIC_LETTERS = 40;
/** Publishers round to minutes. */
const SAME_SECONDS = 60;

/**
 * Several answers of a source may hold the same alert: where its texts differ, the newest version counts.
 * @param alerts each with the time at which its answer was fetched
 */
export function keepNewestVersions<Emitted extends MatchedAlert & { readonly emittedAt: number }>(
  alerts: readonly Emitted[],
): readonly Emitted[] {
  const nameAlert = ({ sourceId, alert }: Emitted) => `${sourceId}:${alert.id}`;
  const textOf = ({ alert }: Emitted) => `${alert.title} ${alert.text}`;
  const oldestFirst = [...alerts].sort((a, b) => a.emittedAt - b.emittedAt || compareTexts(textOf(a), textOf(b)));
  const newest = new Map(oldestFirst.map((alert) => [nameAlert(alert), textOf(alert)]));
  return alerts.filter((alert) => newest.get(nameAlert(alert)) === textOf(alert));
}

/**
 * Alerts as the api shows them: expired ones are left out, those with the same text from several sources are merged.
 * The order of arrival does not matter.
 * @returns most urgent first, then by id, each id once
 */
export function publishAlerts(alerts: readonly MatchedAlert[], now: number): PublishedAlert[] {
  const current = alerts.filter(({ alert }) => !isOver(alert, now)).map((matched) => toPublished(matched, now));
  const byId = groupBy(current, ({ id }) => id).map(joinAlerts);
  const byText = groupBy(byId, ({ text }) => wordsKey(text)).flatMap(groupSameAlerts);
  return byText.map(joinAlerts).sort((a, b) => a.priority - b.priority || compareTexts(a.id, b.id));
}

function isOver({ activeWindows }: AlertReport, now: number): boolean {
  return activeWindows.length > 0 && activeWindows.every((window) => isPast(window, now));
}

function isPast({ to }: { readonly to: number | null }, now: number): boolean {
  return to !== null && to < now;
}

const LETTERS = /[^\p{L}\p{N}]+/gu;

/** Letters and digits alone: publishers differ in punctuation, spacing and ß when they pass on a text. */
function wordsKey(text: string): string {
  return text.normalize('NFKC').toUpperCase().replace(LETTERS, ' ').trim();
}

/**
 * Groups alerts of one text, whatever their titles. Where the text is short, or one publisher distinguishes its alerts
 * by title alone, as with one sentence for every lift, the titles must have the same words too.
 */
function groupSameAlerts(alerts: readonly PublishedAlert[]): (readonly PublishedAlert[])[] {
  const isSpecific = wordsKey(alerts[0]!.text).replaceAll(' ', '').length >= SPECIFIC_LETTERS;
  const byTitle = groupBy(alerts, ({ title }) => wordsKey(title).split(' ').sort().join(' '));
  const publishers = byTitle.flatMap((sameTitle) => [...new Set(sameTitle.flatMap(({ sources }) => sources))]);
  return isSpecific && new Set(publishers).size === publishers.length ? [alerts] : byTitle;
}

function groupBy(
  alerts: readonly PublishedAlert[],
  nameGroup: (alert: PublishedAlert) => string,
): [PublishedAlert, ...PublishedAlert[]][] {
  const groups = new Map<string, [PublishedAlert, ...PublishedAlert[]]>();
  for (const alert of alerts) {
    const name = nameGroup(alert);
    const known = groups.get(name);
    if (known) known.push(alert);
    else groups.set(name, [alert]);
  }
  return [...groups.values()];
}

function toPublished({ sourceId, alert, places }: MatchedAlert, now: number): PublishedAlert {
  return {
    id: `${sourceId}:${alert.id}`,
    sources: [sourceId],
    kind: alert.kind,
    category: alert.category,
    priority: alert.priority,
    title: alert.title,
    text: alert.text,
    operatorNames: places.operatorNames,
    isAccess: alert.isAccess,
    activeWindows: joinWindows(alert.activeWindows.filter((window) => !isPast(window, now))),
    lines: joinLines(places.lines),
    entities: places.entities,
    stopNames: places.stopNames,
    links: alert.links,
    pin: alert.pin,
  };
}

/** Merges alerts with the same content under the id that sorts first, independently of their order of arrival. */
function joinAlerts(alerts: readonly PublishedAlert[]): PublishedAlert {
  if (alerts.length === 1) return alerts[0]!;
  const sorted = [...alerts].sort(
    (a, b) => compareTexts(a.id, b.id) || compareTexts(JSON.stringify(a), JSON.stringify(b)),
  );
  const main = sorted[0]!;
  const isAlways = sorted.some(({ activeWindows }) => activeWindows.length === 0);
  return {
    ...main,
    sources: unite(sorted.map(({ sources }) => sources)),
    priority: Math.min(...sorted.map(({ priority }) => priority)),
    operatorNames: sorted.find(({ operatorNames }) => operatorNames.length > 0)?.operatorNames ?? [],
    category: findFirst(sorted.map(({ category }) => category)),
    isAccess: sorted.some(({ isAccess }) => isAccess),
    activeWindows: isAlways ? [] : joinWindows(sorted.flatMap(({ activeWindows }) => activeWindows)),
    lines: joinLines(sorted.flatMap(({ lines }) => lines)),
    entities: unite(sorted.map(({ entities }) => entities)),
    stopNames: unite(sorted.map(({ stopNames }) => stopNames)),
    links: unite(sorted.map(({ links }) => links)),
    pin: findFirst(sorted.map(({ pin }) => pin)),
  };
}

function findFirst<Value>(values: readonly (Value | null)[]): Value | null {
  return values.find((value) => value !== null) ?? null;
}

function unite<Item>(lists: readonly (readonly Item[])[]): Item[] {
  return [...new Map(lists.flat().map((item) => [JSON.stringify(item), item])).values()];
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// ---- Windows and lines -------------------------------------------------------------------------

type Window = PublishedAlert['activeWindows'][number];

/** Each once, by start; a window within another one, or within a minute of it, is left out. */
function joinWindows(windows: readonly Window[]): Window[] {
  const sorted = [...windows].sort(
    (a, b) => compareNumbers(startOf(a), startOf(b)) || compareNumbers(endOf(b), endOf(a)),
  );
  const kept: Window[] = [];
  for (const { from, to } of sorted) {
    const window = { from, to };
    if (!kept.some((known) => endOf(known) >= endOf(window) || isSameWindow(known, window))) kept.push(window);
  }
  return kept;
}

function isSameWindow(one: Window, other: Window): boolean {
  return areNear(startOf(one), startOf(other)) && areNear(endOf(one), endOf(other));
}

function startOf({ from }: Window): number {
  return from ?? Number.NEGATIVE_INFINITY;
}

function endOf({ to }: Window): number {
  return to ?? Number.POSITIVE_INFINITY;
}

function areNear(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= SAME_SECONDS;
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type Line = PublishedAlert['lines'][number];

/** Each once; a line that only lacks the operator or region of another one is left out. */
function joinLines(lines: readonly Line[]): Line[] {
  const once = unite([lines.map(({ label, operatorName, region }) => ({ label, operatorName, region }))]);
  return once.filter((line) => !once.some((other) => other !== line && isLessOf(line, other)));
}

function isLessOf(line: Line, other: Line): boolean {
  const isSameOrLess = (mine: string | null, its: string | null) => mine === null || mine === its;
  return (
    line.label === other.label &&
    isSameOrLess(line.operatorName, other.operatorName) &&
    isSameOrLess(line.region, other.region)
  );
}
