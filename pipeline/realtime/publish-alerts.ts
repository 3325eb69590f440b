import type { AlertMatch } from '../matching/match-result.ts';
import type { AlertReport } from '../model/realtime.ts';
import type { PublishedAlert } from '../snapshots/realtime-contract.ts';

/** A piece of news with its places found in the timetable. */
export interface MatchedAlert {
  readonly sourceId: string;
  readonly alert: AlertReport;
  readonly places: AlertMatch;
}

/**
 * News as the api shows it: what is over is left out, what several sources tell in the same words is one.
 * @returns most urgent first, then by id
 */
export function publishAlerts(alerts: readonly MatchedAlert[], now: number): PublishedAlert[] {
  const byWords = new Map<string, PublishedAlert>();
  for (const matched of alerts.filter(({ alert }) => !isOver(alert, now))) {
    const words = nameWords(matched.alert);
    const known = byWords.get(words);
    byWords.set(words, known ? joinAlerts(known, toPublished(matched)) : toPublished(matched));
  }
  return [...byWords.values()].sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));
}

function isOver({ activeWindows }: AlertReport, now: number): boolean {
  return activeWindows.length > 0 && activeWindows.every(({ to }) => to !== null && to < now);
}

const LETTERS = /[^\p{L}\p{N}]+/gu;

/** Letters and digits alone: publishers differ in punctuation and spacing when they pass on a text. */
function nameWords({ title, text }: AlertReport): string {
  return `${title} ${text}`.toLowerCase().replace(LETTERS, ' ').trim();
}

function toPublished({ sourceId, alert, places }: MatchedAlert): PublishedAlert {
  return {
    id: `${sourceId}:${alert.id}`,
    sources: [sourceId],
    kind: alert.kind,
    category: alert.category,
    priority: alert.priority,
    title: alert.title,
    text: alert.text,
    operatorName: alert.operatorName,
    isAccess: alert.isAccess,
    activeWindows: alert.activeWindows.map(({ from, to }) => ({ from, to })),
    lines: places.lines.map(({ label, operatorName, region }) => ({ label, operatorName, region })),
    routes: places.routes,
    stopNames: places.stopNames,
    stops: places.stops,
    trips: places.trips.map(({ trip, day }) => ({ trip, day })),
    links: alert.links,
    pin: alert.pin,
  };
}

/** One of two that say the same: the id that sorts first, so that it stays whichever source is heard first. */
function joinAlerts(one: PublishedAlert, other: PublishedAlert): PublishedAlert {
  const [main, rest] = one.id <= other.id ? [one, other] : [other, one];
  return {
    ...main,
    sources: unite(main.sources, rest.sources),
    priority: Math.min(main.priority, rest.priority),
    operatorName: main.operatorName ?? rest.operatorName,
    category: main.category ?? rest.category,
    isAccess: main.isAccess || rest.isAccess,
    activeWindows: joinWindows(main.activeWindows, rest.activeWindows),
    lines: unite(main.lines, rest.lines),
    routes: unite(main.routes, rest.routes),
    stopNames: unite(main.stopNames, rest.stopNames),
    stops: unite(main.stops, rest.stops),
    trips: unite(main.trips, rest.trips),
    links: unite(main.links, rest.links),
    pin: main.pin ?? rest.pin,
  };
}

type Windows = PublishedAlert['activeWindows'];

/** No window means always. */
function joinWindows(one: Windows, other: Windows): Windows {
  return one.length === 0 || other.length === 0 ? [] : unite(one, other);
}

function unite<Item>(one: readonly Item[], other: readonly Item[]): Item[] {
  const known = new Set(one.map((item) => JSON.stringify(item)));
  return [...one, ...other.filter((item) => !known.has(JSON.stringify(item)))];
}
