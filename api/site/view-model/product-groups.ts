import type { Product } from '../../../pipeline/model/product.ts';

/** Kinds of vehicles as riders choose them, in the order of their buttons; shared bicycles are no product of a timetable. */
export const productGroups = {
  rail: ['train', 'regionalTrain', 'sBahn'],
  metro: ['subway'],
  tram: ['tram'],
  bus: ['cityBus', 'regionalBus', 'nightBus'],
  ship: ['ship'],
  cableway: ['cableway'],
  other: ['other'],
  sharing: [],
} as const satisfies Readonly<Record<string, readonly Product[]>>;

export type ProductChoice = keyof typeof productGroups;

const allGroups = Object.keys(productGroups) as readonly ProductChoice[];
const productsOf = (group: ProductChoice): readonly Product[] => productGroups[group];

/** All products in the order of these groups. */
export const groupedProducts: readonly Product[] = allGroups.flatMap(productsOf);

/** The groups of which a timetable has vehicles. */
export function listGroups(present: readonly Product[]): readonly ProductChoice[] {
  return allGroups.filter((group) => productsOf(group).some((product) => present.includes(product)));
}

/** The chosen groups of an address; empty: all. */
export function readGroups(query: URLSearchParams): readonly ProductChoice[] {
  const named = (query.get('products') ?? '').split(',');
  return allGroups.filter((group) => named.includes(group));
}

/** Chooses a group besides the others, or no longer. @returns the value of `products`; null: all */
export function toggleGroup(
  chosen: readonly ProductChoice[],
  group: ProductChoice,
  present: readonly ProductChoice[],
): string | null {
  const next = allGroups.filter((one) => (one === group) !== chosen.includes(one));
  return next.length === 0 || present.every((one) => next.includes(one)) ? null : next.join(',');
}

/** Whether shared bicycles are shown. */
export function includesSharing(chosen: readonly ProductChoice[]): boolean {
  return chosen.length === 0 || chosen.includes('sharing');
}

/** @returns null for all; empty if only shared bicycles are chosen */
export function listProducts(chosen: readonly ProductChoice[]): readonly Product[] | null {
  return chosen.length === 0 ? null : chosen.flatMap(productsOf);
}
