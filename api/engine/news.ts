import type { Instant } from '../../pipeline/model/service-time.ts';
import type { TextColumn } from '../../pipeline/snapshots/column.ts';
import type { PublishedAlert } from '../../pipeline/snapshots/realtime-contract.ts';
import type { Notice } from '../contract/definitions.ts';
import { presentTimestamp } from './present.ts';

/** The news of a snapshot, and where each of them belongs. Most urgent first, then by id. */
export interface News {
  readonly alerts: readonly PublishedAlert[];
  /** By the JSON that they were read from. */
  readonly byJson: ReadonlyMap<string, PublishedAlert>;
  readonly byRoute: ReadonlyMap<number, readonly PublishedAlert[]>;
  readonly byStop: ReadonlyMap<number, readonly PublishedAlert[]>;
  readonly byTrip: ReadonlyMap<string, readonly PublishedAlert[]>;
  /** As they are shown, once somebody has asked. */
  readonly notices: Map<PublishedAlert, Notice>;
}

/** Reads the news of a snapshot; most of it is what the one before told, which is not read a second time. */
export function openNews(json: TextColumn, before: News | null): ReadonlyMap<string, PublishedAlert> {
  const byJson = new Map<string, PublishedAlert>();
  for (let row = 0; row < json.length; row++) {
    const text = json.get(row);
    byJson.set(text, before?.byJson.get(text) ?? (JSON.parse(text) as PublishedAlert));
  }
  return byJson;
}

export function indexNews(byJson: ReadonlyMap<string, PublishedAlert>): News {
  const alerts = [...byJson.values()];
  const byRoute = new Map<number, PublishedAlert[]>();
  const byStop = new Map<number, PublishedAlert[]>();
  const byTrip = new Map<string, PublishedAlert[]>();
  for (const alert of alerts) {
    for (const route of alert.routes) add(byRoute, route, alert);
    for (const stop of alert.stops) add(byStop, stop, alert);
    for (const { trip, day } of alert.trips) add(byTrip, `${trip}.${day}`, alert);
  }
  return { alerts, byJson, byRoute, byStop, byTrip, notices: new Map() };
}

function add<Key>(index: Map<Key, PublishedAlert[]>, key: Key, alert: PublishedAlert): void {
  const known = index.get(key);
  if (known) known.push(alert);
  else index.set(key, [alert]);
}

/** What a piece of news may be about: a dated trip, its route, and the stops that somebody looks at. */
export interface NewsPlace {
  /** Row of the timetable's routes, or -1. */
  readonly route: number;
  /** Row of the timetable's trips, or -1. */
  readonly trip: number;
  readonly day: number;
  /** Rows of stops, with the stations that they belong to. */
  readonly stops: readonly number[];
}

/**
 * The news for one place and time: what names the trip; what names the route, and where it also names stops, one of
 * these; what names one of the stops and no line or trip. News of a line that the timetable does not know are not news
 * of all the others at its stops.
 */
export function findNotices(news: News, { route, trip, day, stops }: NewsPlace, from: Instant, to: Instant): Notice[] {
  const found: PublishedAlert[] = [];
  const take = (alert: PublishedAlert) => {
    if (isActive(alert, from, to) && !found.includes(alert)) found.push(alert);
  };
  // Most trips have no news; their names are only made up where some trip has.
  if (news.byTrip.size > 0) news.byTrip.get(`${trip}.${day}`)?.forEach(take);
  for (const alert of news.byRoute.get(route) ?? []) {
    if (isOfWholeLine(alert) || stops.some((stop) => alert.stops.includes(stop))) take(alert);
  }
  for (const stop of stops) {
    for (const alert of news.byStop.get(stop) ?? []) if (isOfStopsAlone(alert)) take(alert);
  }
  return found.length === 0 ? [] : found.sort(compareNews).map((alert) => present(news, alert));
}

/** A line in trouble has its news on every row. */
function present({ notices }: News, alert: PublishedAlert): Notice {
  const known = notices.get(alert) ?? presentNotice(alert);
  notices.set(alert, known);
  return known;
}

/** A lift concerns its own station alone, also where the timetable does not know which one that is. */
function isOfWholeLine({ stops, stopNames, isAccess }: PublishedAlert): boolean {
  return stops.length === 0 && !(isAccess && stopNames.length > 0);
}

function isOfStopsAlone({ routes, lines, trips }: PublishedAlert): boolean {
  return routes.length === 0 && lines.length === 0 && trips.length === 0;
}

/** Whether it applies at some moment of a span of time; news without a window applies for as long as it is published. */
export function isActive({ activeWindows }: PublishedAlert, from: Instant, to: Instant): boolean {
  if (activeWindows.length === 0) return true;
  return activeWindows.some((window) => (window.from ?? 0) <= to && from <= (window.to ?? from));
}

export function compareNews(a: PublishedAlert, b: PublishedAlert): number {
  return a.priority - b.priority || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** What notices and disruptions tell alike. */
export function presentNews(alert: PublishedAlert) {
  const { activeWindows, operatorName, isAccess } = alert;
  const starts = activeWindows.map(({ from }) => from);
  const ends = activeWindows.map(({ to }) => to);
  const first = starts.includes(null) || starts.length === 0 ? null : Math.min(...(starts as number[]));
  const last = ends.includes(null) || ends.length === 0 ? null : Math.max(...(ends as number[]));
  return {
    id: alert.id,
    title: alert.title,
    text: alert.text,
    priority: alert.priority,
    ...(isAccess ? { access: true } : {}),
    ...(operatorName === null ? {} : { operatorName }),
    ...(first === null ? {} : { activeFrom: presentTimestamp(first as Instant) }),
    ...(last === null ? {} : { activeTo: presentTimestamp(last as Instant) }),
    affectedLines: [...new Set(alert.lines.map(({ label }) => label))],
    lines: alert.lines.map((line) => ({
      label: line.label,
      ...(line.operatorName === null ? {} : { operatorName: line.operatorName }),
      ...(line.region === null ? {} : { region: line.region }),
    })),
    affectedStops: [...alert.stopNames],
  };
}

function presentNotice(alert: PublishedAlert): Notice {
  const { id, title, text, ...rest } = presentNews(alert);
  return { id, title, text, kind: alert.kind as Notice['kind'], ...rest };
}
