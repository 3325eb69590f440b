import { products } from '../../../pipeline/model/product.ts';
import type { Line, Stop, StopInfo } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import { findNearby } from '../read/nearby.ts';
import { findCallsAt } from '../read/on-demand.ts';
import { presentStop } from '../read/present.ts';
import { findStop } from '../read/stop-ids.ts';
import { getMembers, type Timetable } from '../read/timetable.ts';

/** Stops around a place, the nearest first; equal distances in timetable order. */
export function findStopsNearby(
  timetable: Timetable,
  { lat, lon, radiusMeters, limit }: { lat: number; lon: number; radiusMeters: number; limit: number },
): Stop[] {
  return findNearby(timetable.nearby, lat, lon, radiusMeters, limit).map(({ entry, distanceMeters }) =>
    presentStop(timetable, timetable.tables.searchEntries.stop[entry]!, distanceMeters),
  );
}

/** The stops with the highest importance, at most `count`; none without service. */
export function listBusiestStops(timetable: Timetable, count: number): Stop[] {
  const { importance, stop } = timetable.tables.searchEntries;
  const busiest: number[] = [];
  for (let entry = 0; entry < importance.length; entry++) {
    if (importance[entry] === 0) continue;
    let at = busiest.length;
    while (at > 0 && importance[busiest[at - 1]!]! < importance[entry]!) at--;
    if (at < count) busiest.splice(at, 0, entry);
    if (busiest.length > count) busiest.pop();
  }
  return busiest.map((entry) => presentStop(timetable, stop[entry]!));
}

/**
 * A stop and every line that calls there in the loaded timetable: by product in the order of the contract, then by
 * label as people sort it (2 before 10), then by id. A line that publishers split into several routes is listed once.
 * @param which `scheduled`: without lines on demand, which no board lists
 * @throws ApiProblem `unknown_stop`
 */
export function getStopInfo(timetable: Timetable, id: string, which: 'all' | 'scheduled' = 'all'): StopInfo {
  const stop = findStop(timetable, id);
  if (stop === null) throw new ApiProblem('unknown_stop', 'The timetable has no stop with this id.');
  const lines = [...listRoutes(timetable, stop, which)].map((route) => timetable.lines.get(route)).sort(compareLines);
  const seen = new Set<string>();
  const distinct = lines.filter((line) => {
    const name = JSON.stringify([line.label, line.product, line.operatorName, line.colorHex]);
    return !seen.has(name) && seen.add(name);
  });
  return { stop: presentStop(timetable, stop), lines: distinct };
}

function listRoutes(timetable: Timetable, stop: number, which: 'all' | 'scheduled'): Set<number> {
  const { tables } = timetable;
  const routes = new Set<number>(which === 'all' ? listOnDemandRoutes(timetable, stop) : []);
  for (const member of getMembers(tables, stop)) {
    const first = tables.stops.firstStopCall[member]!;
    for (let i = first; i < first + tables.stops.stopCallCount[member]!; i++) {
      routes.add(tables.patterns.route[tables.stopCalls.pattern[i]!]!);
    }
  }
  return routes;
}

/** Routes of on-demand service that serves the stop, or a zone around it. */
function listOnDemandRoutes({ tables, onDemand }: Timetable, stop: number): number[] {
  if (onDemand === null) return [];
  const point = { lat: tables.stops.lat[stop]!, lon: tables.stops.lon[stop]! };
  return findCallsAt(onDemand, tables, { stop, point }).map(
    (call) => tables.onDemandTrips.route[onDemand.tripOfCall[call]!]!,
  );
}

const labels = new Intl.Collator('de-AT', { numeric: true });

/** By product in the order of the contract, then by label as people sort it (2 before 10), then by id. */
export function compareLines(a: Line, b: Line): number {
  return (
    products.indexOf(a.product) - products.indexOf(b.product) ||
    labels.compare(a.label, b.label) ||
    (a.lineId! < b.lineId! ? -1 : 1)
  );
}
