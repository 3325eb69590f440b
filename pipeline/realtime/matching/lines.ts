import { products } from '../../model/product.ts';
import type { TripName } from '../../model/realtime.ts';
import { isSimilarName, type PlaceNames } from './place-names.ts';
import type { TimetableIndex } from './timetable-index.ts';
import { type LabelForm, listLabelForms } from './timetable-index.ts';

/** Routes that a line may be, and the train number in its label. */
export interface LineRoutes {
  readonly routes: ReadonlySet<number>;
  readonly trainNumber: string | null;
}

/** @returns null when the feed has no such line */
export function findLine(
  index: TimetableIndex,
  { routeId, lineLabel }: Pick<TripName, 'routeId' | 'lineLabel'>,
  feed: number,
): LineRoutes | null {
  const route = routeId === null ? undefined : index.routesById[feed]!.get(routeId);
  if (route !== undefined) return { routes: new Set([route]), trainNumber: null };
  if (lineLabel === null) return null;
  for (const { label, trainNumber } of listLabelForms(lineLabel) satisfies readonly LabelForm[]) {
    const routes = (index.routesByLabel.get(label) ?? []).filter((row) => index.tables.routes.feed[row] === feed);
    if (routes.length > 0) return { routes: new Set(routes), trainNumber };
  }
  return null;
}

/** Data of a report about a line, besides its label. */
type LineFacts = Pick<TripName, 'product' | 'operatorName'>;

export function hasProduct({ tables }: TimetableIndex, route: number, product: LineFacts['product']): boolean {
  return product !== null && products[tables.routes.product[route]!] === product;
}

export function hasOperator(
  { tables }: TimetableIndex,
  names: PlaceNames,
  route: number,
  operatorName: string | null,
): boolean {
  const agency = tables.routes.agency[route]!;
  if (operatorName === null || agency < 0) return false;
  return isSimilarName(names.get(operatorName), names.get(tables.agencies.name.get(agency)));
}

/** The items that meet a condition; all if none does: data besides an id only breaks ties. */
export function prefer<Item>(items: readonly Item[], holds: (item: Item) => boolean): readonly Item[] {
  if (items.length < 2) return items;
  const preferred = items.filter(holds);
  return preferred.length > 0 ? preferred : items;
}
