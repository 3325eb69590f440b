import { createRecentMaps } from '../../../pipeline/model/recent-map.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PublishedAlert, PublishedEntity } from '../../../pipeline/snapshots/realtime-contract.ts';
import { findStepFreeRow } from '../../../pipeline/snapshots/step-free-ways.ts';
import { isActive } from './alerts.ts';
import type { Published, Realtime } from './realtime.ts';
import { getMembers, type Timetable } from './timetable.ts';

/** A lift that is out of service while its alert is active. */
interface LiftOutage {
  readonly alert: PublishedAlert;
  /** Rows of the stops with calls that it may lead to. */
  readonly stops: ReadonlySet<number>;
}

const LIFT = /aufzug|aufzüge|\blifts?\b|\belevators?\b/i;
const ESCALATOR = /rolltreppe|fahrtreppe|escalator/i;

/**
 * Whether an alert about access is about a lift. No format has a field for the facility, so the words of the title
 * decide, else those of the text. An alert without such words counts as one, so that nobody is sent to a platform whose
 * lift is broken.
 */
function isLiftAlert({ isAccess, kind, title, text }: PublishedAlert): boolean {
  if (!isAccess || kind === 'allClear') return false;
  const words = [title, text].find((one) => LIFT.test(one) || ESCALATOR.test(one));
  return words === undefined || LIFT.test(words);
}

/** The platforms that an alert entity selects; if it names lines too, only the platforms of these lines. */
function listPlatforms({ tables }: Timetable, { stops, routes }: PublishedEntity): number[] {
  const platforms = (stops ?? []).flatMap((stop) => [...getMembers(tables, stop)]);
  if (routes === null) return platforms;
  const wanted = new Set(routes);
  return platforms.filter((stop) => {
    const first = tables.stops.firstStopCall[stop]!;
    const patterns = tables.stopCalls.pattern.subarray(first, first + tables.stops.stopCallCount[stop]!);
    return patterns.some((pattern) => wanted.has(tables.patterns.route[pattern]!));
  });
}

/** Cached for one timetable per realtime snapshot. */
const findKnownOutages = createRecentMaps<Realtime, Timetable, readonly LiftOutage[]>(1);

function listOutages({ timetable, realtime }: Published): readonly LiftOutage[] {
  if (!realtime) return [];
  const known = findKnownOutages(realtime);
  const outages =
    known.get(timetable) ??
    realtime.alertIndex.alerts
      .filter(isLiftAlert)
      .map((alert) => ({ alert, stops: new Set(alert.entities.flatMap((entity) => listPlatforms(timetable, entity))) }))
      .filter(({ stops }) => stops.size > 0);
  known.set(timetable, outages);
  return outages;
}

/** Whether a lift that may lead to a stop is out of service at an instant. @param stop -1 if not in the timetable */
export function isLiftOut(published: Published, stop: number, at: Instant): boolean {
  return listOutages(published).some(({ alert, stops }) => stops.has(stop) && isActive(alert, at, at));
}

/** Whether outages of lifts leave no known step-free path between a stop and the street. */
export function isClosedByLifts(published: Published, stop: number, at: Instant): boolean {
  const active = listOutages(published).filter(({ alert }) => isActive(alert, at, at));
  return isClosed(published.timetable, active, stop);
}

/** Outages do not identify the lift, so their number decides: `stepFreeStops.lifts`, or one without pathways. */
function isClosed({ tables }: Timetable, active: readonly LiftOutage[], stop: number): boolean {
  const outages = active.filter(({ stops }) => stops.has(stop)).length;
  const row = findStepFreeRow(tables, stop);
  const needed = row < 0 ? 1 : tables.stepFreeStops.lifts[row]!;
  return outages >= needed && needed < NO_LIFT;
}

/** `stepFreeStops.lifts` of a stop with a step-free path that needs no lift. */
const NO_LIFT = 255;

/** Rows of `stops`, ascending. */
interface ClosedStops {
  /** Stops that are closed during the whole period, and stops that are closed at any time of it. */
  readonly whole: readonly number[];
  readonly partly: readonly number[];
}

/** The stops that a traveller in a wheelchair can neither reach nor leave because lifts are out of service. */
export function listClosedStops(published: Published, from: Instant, to: Instant): ClosedStops {
  const partly = listOutages(published).filter(({ alert }) => isActive(alert, from, to));
  const whole = partly.filter(({ alert }) => isActiveThroughout(alert, from, to));
  return { whole: listClosed(published, whole), partly: listClosed(published, partly) };
}

function isActiveThroughout({ activeWindows }: PublishedAlert, from: Instant, to: Instant): boolean {
  if (activeWindows.length === 0) return true;
  return activeWindows.some((window) => (window.from ?? 0) <= from && to <= (window.to ?? to));
}

function listClosed({ timetable }: Published, active: readonly LiftOutage[]): number[] {
  const stops = new Set(active.flatMap((outage) => [...outage.stops]));
  return [...stops].filter((stop) => isClosed(timetable, active, stop)).sort((a, b) => a - b);
}
