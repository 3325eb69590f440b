import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PublishedAlert, PublishedEntity } from '../../../pipeline/snapshots/realtime-contract.ts';
import { compareAlerts, isActive } from '../../engine/read/alerts.ts';
import type { Published } from '../../engine/read/realtime.ts';
import { findStop } from '../../engine/read/stop-ids.ts';
import { isPartOf, type Timetable } from '../../engine/read/timetable.ts';
import type { LineSpec } from '../watch.ts';
import type { SeenDisruption } from './seen.ts';

/** A condition of an alert that is about a line; an entity without stops is about all of them. */
interface LineAlert {
  readonly alert: PublishedAlert;
  /** Lower case; null where the publisher does not say which of the lines of this label. */
  readonly operator: string | null;
  /** Rows of stops; null: the whole line. */
  readonly stops: readonly number[] | null;
}

/** The alerts of one pair of snapshots by line label. */
export interface LineAlertIndex {
  readonly byLabel: ReadonlyMap<string, readonly LineAlert[]>;
  readonly timetable: Timetable;
}

/** @returns null without realtime */
export function indexLineAlerts({ timetable, realtime }: Published): LineAlertIndex | null {
  if (!realtime) return null;
  const byLabel = new Map<string, LineAlert[]>();
  const add = (label: string, lineAlert: LineAlert) => {
    const known = byLabel.get(label);
    if (known) known.push(lineAlert);
    else byLabel.set(label, [lineAlert]);
  };
  for (const alert of realtime.alertIndex.alerts) {
    const labels = new Set<string>();
    for (const entity of alert.entities) {
      for (const route of listRoutes(timetable, entity)) {
        const { label, operatorName } = timetable.lines.get(route);
        labels.add(label);
        add(label, { alert, operator: operatorName?.toLowerCase() ?? null, stops: entity.stops });
      }
    }
    // Lines that the timetable does not have are known by the publisher's name alone.
    for (const { label, operatorName } of alert.lines) {
      if (labels.has(label)) continue;
      const operator = operatorName?.toLowerCase() ?? null;
      for (const stops of listPlaces(alert)) add(label, { alert, operator, stops });
    }
  }
  return { byLabel, timetable };
}

/** The stops of each condition about lines without a route. */
function listPlaces({ entities }: PublishedAlert): readonly (readonly number[] | null)[] {
  const places = entities.filter(({ routes }) => routes?.length === 0).map(({ stops }) => stops);
  return places.length === 0 ? [null] : places;
}

function listRoutes({ tables }: Timetable, { routes, trips }: PublishedEntity): ReadonlySet<number> {
  const { patterns } = tables;
  const ofTrips = (trips ?? []).map(({ trip }) => patterns.route[tables.trips.pattern[trip]!]!);
  return new Set([...(routes ?? []), ...ofTrips]);
}

/** The active disruptions of watched lines, most urgent first; null without realtime. */
export function seeLines(
  index: LineAlertIndex | null,
  { lines, stopIds }: LineSpec,
  instant: Instant,
): readonly SeenDisruption[] | null {
  if (!index) return null;
  const { byLabel, timetable } = index;
  const requested = stopIds.map((id) => findStop(timetable, id)).filter((stop) => stop !== null);
  const found = new Set<PublishedAlert>();
  for (const { label, operatorName } of lines) {
    const wanted = operatorName?.toLowerCase();
    for (const { alert, operator, stops } of byLabel.get(label) ?? []) {
      const isOfOperator = wanted === undefined || operator === null || operator === wanted;
      const isThere = stopIds.length === 0 || stops === null || isAtOne(timetable, stops, requested);
      if (isOfOperator && isThere && isActive(alert, instant, instant)) found.add(alert);
    }
  }
  return [...found].sort(compareAlerts).map(({ id, title }) => ({ id, title }));
}

/** A disruption at a stop, at one of its platforms or at its station concerns all of them. */
function isAtOne({ tables }: Timetable, stops: readonly number[], requested: readonly number[]): boolean {
  return stops.some((stop) => requested.some((one) => isPartOf(tables, stop, one) || isPartOf(tables, one, stop)));
}
