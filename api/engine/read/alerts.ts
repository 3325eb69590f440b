import type { TextColumn } from '../../../pipeline/model/column.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PublishedAlert, PublishedEntity } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { Notice } from '../../contract/definitions.ts';
import { presentTimestamp } from './present.ts';

/** What an alert may apply to: a dated trip, its route and direction, and the stops in question. */
export interface AlertPlace {
  /** Row of the timetable's routes, or -1. */
  readonly route: number;
  /** 0, 1, or -1 where unknown. */
  readonly directionId: number;
  /** Row of the timetable's trips, or -1. */
  readonly trip: number;
  readonly day: number;
  /** Rows of stops, with their stations. */
  readonly stops: readonly number[];
}

/** The alerts of a snapshot, indexed by what they apply to. Most urgent first, then by id. */
export interface AlertIndex {
  readonly alerts: readonly PublishedAlert[];
  /** By their JSON text. */
  readonly byJson: ReadonlyMap<string, PublishedAlert>;
  /** Each condition once, under its narrowest list: trips, else routes, else stops. */
  readonly byTrip: ReadonlyMap<string, readonly Condition[]>;
  readonly byRoute: ReadonlyMap<number, readonly Condition[]>;
  readonly byStop: ReadonlyMap<number, readonly Condition[]>;
  /** Presented alerts, cached on first use. */
  readonly notices: Map<PublishedAlert, Notice>;
}

interface Condition {
  readonly alert: PublishedAlert;
  readonly entity: PublishedEntity;
}

/** Parses the alerts of a snapshot; those that the previous snapshot had too are reused. */
export function openAlerts(json: TextColumn, before: AlertIndex | null): ReadonlyMap<string, PublishedAlert> {
  const byJson = new Map<string, PublishedAlert>();
  for (let row = 0; row < json.length; row++) {
    const text = json.get(row);
    byJson.set(text, before?.byJson.get(text) ?? (JSON.parse(text) as PublishedAlert));
  }
  return byJson;
}

export function indexAlerts(byJson: ReadonlyMap<string, PublishedAlert>): AlertIndex {
  const alerts = [...byJson.values()];
  const byTrip = new Map<string, Condition[]>();
  const byRoute = new Map<number, Condition[]>();
  const byStop = new Map<number, Condition[]>();
  for (const alert of alerts) {
    for (const entity of alert.entities) {
      const { trips, routes, stops } = entity;
      const condition = { alert, entity };
      if (trips !== null) for (const { trip, day } of trips) add(byTrip, `${trip}.${day}`, condition);
      else if (routes !== null) for (const route of routes) add(byRoute, route, condition);
      else for (const stop of stops ?? []) add(byStop, stop, condition);
    }
  }
  return { alerts, byJson, byTrip, byRoute, byStop, notices: new Map() };
}

function add<Key>(index: Map<Key, Condition[]>, key: Key, condition: Condition): void {
  const known = index.get(key);
  if (known) known.push(condition);
  else index.set(key, [condition]);
}

/** The notices of a dated trip at a place and time: alerts of which a condition is met there as a whole. */
export function findNotices(index: AlertIndex, place: AlertPlace, from: Instant, to: Instant): Notice[] {
  const found = new Set<PublishedAlert>();
  for (const { alert, entity } of listConditions(index, place)) {
    if (isMet(entity, place) && isActive(alert, from, to)) found.add(alert);
  }
  return found.size === 0 ? [] : [...found].sort(compareAlerts).map((alert) => present(index, alert));
}

/** Kinds of alerts that explain a cancelled trip or call, the most specific first; other kinds have other subjects. */
const CANCELLING_KINDS: readonly string[] = ['cancellation', 'replacementService', 'construction', 'emergency'];

/**
 * The publisher's explanation for a cancelled trip, or for its cancelled calls at the stops of the place.
 * @returns the text of an alert for this trip, or its title if it has no text; otherwise `null`
 */
export function findCancellationText(index: AlertIndex, place: AlertPlace, from: Instant, to: Instant): string | null {
  const conditions = index.byTrip.get(`${place.trip}.${place.day}`) ?? [];
  const alerts = conditions.flatMap(({ alert, entity }) =>
    CANCELLING_KINDS.includes(alert.kind) && isMet(entity, place) && isActive(alert, from, to) ? alert : [],
  );
  const rankOf = ({ kind }: PublishedAlert) => CANCELLING_KINDS.indexOf(kind);
  const [first] = alerts.sort((a, b) => rankOf(a) - rankOf(b) || compareAlerts(a, b));
  return first ? first.text || first.title : null;
}

/** Conditions with a list that the place is in. */
function* listConditions({ byTrip, byRoute, byStop }: AlertIndex, { trip, day, route, stops }: AlertPlace) {
  // Most trips have no alerts; the key is only built when some trip has.
  if (byTrip.size > 0) yield* byTrip.get(`${trip}.${day}`) ?? [];
  yield* byRoute.get(route) ?? [];
  for (const stop of stops) yield* byStop.get(stop) ?? [];
}

function isMet({ trips, routes, stops, directionId }: PublishedEntity, place: AlertPlace): boolean {
  return (
    (trips === null || trips.some(({ trip, day }) => trip === place.trip && day === place.day)) &&
    (routes === null || routes.includes(place.route)) &&
    (directionId === null || directionId === place.directionId) &&
    (stops === null || place.stops.some((stop) => stops.includes(stop)))
  );
}

/** Rows of all stops that an alert names, each once and rising. */
export function listStops({ entities }: PublishedAlert): number[] {
  return [...new Set(entities.flatMap(({ stops }) => stops ?? []))].sort((a, b) => a - b);
}

/** Cached, because a disturbed line has the same notices on every row. */
function present({ notices }: AlertIndex, alert: PublishedAlert): Notice {
  const known = notices.get(alert) ?? presentNotice(alert);
  notices.set(alert, known);
  return known;
}

/** Whether it applies at any time of a period; an alert without a window applies while it is published. */
export function isActive({ activeWindows }: PublishedAlert, from: Instant, to: Instant): boolean {
  if (activeWindows.length === 0) return true;
  return activeWindows.some((window) => (window.from ?? 0) <= to && from <= (window.to ?? from));
}

export function compareAlerts(a: PublishedAlert, b: PublishedAlert): number {
  return a.priority - b.priority || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** The members that notices and disruptions share. */
export function presentAlert(alert: PublishedAlert) {
  const { activeWindows, operatorNames, isAccess } = alert;
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
    ...(operatorNames.length === 0 ? {} : { operatorName: operatorNames.join(', ') }),
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
  const { id, title, text, ...rest } = presentAlert(alert);
  return { id, title, text, kind: alert.kind as Notice['kind'], ...rest };
}
