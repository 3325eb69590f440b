import type { Product } from '../../model/product.ts';

interface Rule {
  /** Route types, both ends included. */
  readonly from: number;
  readonly to: number;
  readonly product: Product | ((line: string) => Product);
}

/**
 * Basic and extended route types; any other is `other`.
 * @see GTFS Schedule reference, routes.txt; Google's "Extended route types"
 */
const rules: readonly Rule[] = [
  { from: 0, to: 0, product: 'tram' },
  { from: 1, to: 1, product: 'subway' },
  { from: 2, to: 2, product: railProduct },
  { from: 3, to: 3, product: busProduct },
  { from: 4, to: 4, product: 'ship' },
  { from: 5, to: 5, product: 'tram' },
  { from: 6, to: 7, product: 'cableway' },
  { from: 11, to: 11, product: 'cityBus' },
  { from: 12, to: 12, product: 'subway' },
  { from: 100, to: 100, product: railProduct },
  { from: 101, to: 105, product: 'train' },
  { from: 106, to: 106, product: regionalRailProduct },
  { from: 107, to: 107, product: 'train' },
  { from: 108, to: 108, product: 'regionalTrain' },
  { from: 109, to: 109, product: 'sBahn' },
  // 110 and 714 are replacement buses for trains; riders look for the bus.
  { from: 110, to: 110, product: 'regionalBus' },
  { from: 111, to: 117, product: regionalRailProduct },
  { from: 200, to: 209, product: 'regionalBus' },
  { from: 300, to: 300, product: 'sBahn' },
  { from: 400, to: 405, product: 'subway' },
  { from: 500, to: 600, product: 'subway' },
  { from: 700, to: 700, product: busProduct },
  { from: 701, to: 702, product: 'regionalBus' },
  { from: 703, to: 704, product: 'cityBus' },
  { from: 705, to: 705, product: 'nightBus' },
  { from: 706, to: 713, product: busProduct },
  { from: 714, to: 714, product: 'regionalBus' },
  { from: 715, to: 716, product: busProduct },
  { from: 800, to: 800, product: 'cityBus' },
  { from: 900, to: 906, product: 'tram' },
  { from: 1000, to: 1099, product: 'ship' },
  { from: 1200, to: 1200, product: 'ship' },
  { from: 1300, to: 1307, product: 'cableway' },
  { from: 1400, to: 1402, product: 'cableway' },
];

/**
 * The product of a route, from its type and, if that is only "rail" or "bus", from the name of the line.
 * @param routeType GTFS route_type, basic or extended
 * @param line route_short_name as published, may be empty
 */
export function getRouteProduct(routeType: number, line: string): Product {
  const rule = rules.find(({ from, to }) => routeType >= from && routeType <= to);
  if (!rule) return 'other';
  return typeof rule.product === 'function' ? rule.product(line.trim()) : rule.product;
}

/** S1, S 80, S-Bahn: Austrian and German suburban lines. */
function isSBahn(line: string): boolean {
  return /^S ?-?\d|^S-Bahn/i.test(line);
}

/** R, REX, RE, RB, CJX, RS, ER and their numbers: regional trains. */
function isRegionalTrain(line: string): boolean {
  return /^(R|REX|RE|RB|CJX|RS|ER|IRE|MEX|D?R)\s?\d*$/i.test(line);
}

function railProduct(line: string): Product {
  if (isSBahn(line)) return 'sBahn';
  return isRegionalTrain(line) ? 'regionalTrain' : 'train';
}

function regionalRailProduct(line: string): Product {
  return isSBahn(line) ? 'sBahn' : 'regionalTrain';
}

/** Night lines start with N and a number; Austrian regional lines have three digits and more, city lines fewer. */
function busProduct(line: string): Product {
  if (/^N ?\d/i.test(line)) return 'nightBus';
  return /\d{3}/.test(line) ? 'regionalBus' : 'cityBus';
}
