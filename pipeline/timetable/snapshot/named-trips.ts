import { products } from '../../model/product.ts';
import { getRouteProduct } from '../feed/route-product.ts';
import type { TripSchedule } from '../merging/find-duplicates.ts';
import { nameTrip, type TripLabel } from '../merging/name-trips.ts';
import type { FeedColumns } from './read-feeds.ts';

/** Positions in `products`, by route. */
export function listProducts({ routes }: Pick<FeedColumns, 'routes'>): Uint8Array {
  return Uint8Array.from(routes.routeType, (type, i) => products.indexOf(getRouteProduct(type, routes.shortName[i]!)));
}

/** Names each trip as riders know it. */
export function nameTrips(
  { routes, trips, texts }: Pick<FeedColumns, 'routes' | 'trips' | 'texts'>,
  productOfRoute: Uint8Array,
): Pick<TripSchedule, 'name' | 'names'> {
  const rows = new Map<number, number>();
  const names: TripLabel[] = [];
  const name = trips.route.map((route, trip) => {
    const shortName = trips.shortName[trip]!;
    const key = route * (texts.length + 1) + shortName + 1;
    const known = rows.get(key);
    if (known !== undefined) return known;
    const label = routes.shortName[route] || routes.longName[route] || '';
    rows.set(key, names.push(nameTrip(productOfRoute[route]!, label, shortName < 0 ? null : texts[shortName]!)) - 1);
    return names.length - 1;
  });
  return { name, names };
}
