import type { Line } from '../../contract/definitions.ts';
import { getLine, openTrip } from '../read/dated-trip.ts';
import type { Realtime } from '../read/realtime.ts';
import type { Timetable } from '../read/timetable.ts';
import type { Avoidance, PlanQuery } from './itinerary.ts';
import type { LiveRoutes } from './live-routes.ts';
import type { PlaceIndex } from './places.ts';

/** Routes that a query permits: 1 by GTFS route of the timetable, and by extra pattern of realtime. */
export interface WantedRoutes {
  readonly routes: Uint8Array;
  readonly extra: Uint8Array;
}

/** @returns null if the query permits all products, lines and operators */
export function findWantedRoutes(
  timetable: Timetable,
  realtime: Realtime | null,
  live: LiveRoutes | null,
  { products, avoid }: Pick<PlanQuery, 'products' | 'avoid'>,
): WantedRoutes | null {
  const avoided = avoid && avoid.lines.size + avoid.operators.size > 0 ? avoid : null;
  if (products === null && avoided === null) return null;
  const isWanted = (product: number, getLineOf: () => Line) =>
    isLineWanted({ products, avoid: avoided }, product, getLineOf);
  const routes = Uint8Array.from(timetable.tables.routes.product, (product, route) =>
    Number(isWanted(product, () => timetable.lines.get(route))),
  );
  const extra = Uint8Array.from(live?.patternLiveTrip ?? [], (liveTrip) => {
    const view = openTrip({ timetable, realtime }, live!.liveTrips[liveTrip]!);
    // An added trip may be of a line that the timetable lacks.
    return view.route >= 0 ? routes[view.route]! : Number(isWanted(view.product, () => getLine(view)));
  });
  return { routes, extra };
}

/** Whether a query permits a product, and avoids neither the line nor its operator. */
export function isLineWanted(
  { products, avoid }: { readonly products: number | null; readonly avoid?: Avoidance | null | undefined },
  product: number,
  getLineOf: () => Line,
): boolean {
  return (products === null || (products & (1 << product)) !== 0) && (!avoid || !isAvoided(avoid, getLineOf()));
}

/** Whether a line or its operator is avoided. */
function isAvoided({ lines, operators }: Avoidance, { label, lineId, operatorName }: Line): boolean {
  const isLine = lines.has(label) || (lineId !== undefined && lines.has(lineId));
  return isLine || (operatorName !== undefined && operators.has(operatorName));
}

/** @param blocked by transfer place: 1 where a wheelchair user can neither board nor alight; null without a wheelchair */
export function blockPlaces(
  places: PlaceIndex,
  blocked: Uint8Array | null,
  avoid: Avoidance | undefined,
): Uint8Array | null {
  if (!avoid || avoid.stops.length === 0) return blocked;
  const stops = new Set(avoid.stops);
  return Uint8Array.from({ length: places.count }, (_, place) =>
    blocked?.[place] === 1 || stops.has(places.stopOf(place)) ? 1 : 0,
  );
}
