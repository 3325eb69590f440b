import type { HafasLine } from '../../formats/hafas/hafas-profile.ts';
import type { Product } from '../../model/product.ts';

type Rule = Product | ((line: HafasLine) => Product);

/**
 * Endpoints have product ids of their own (`u-bahn`, `subway`, `regiona-train`); where none of these words is in one,
 * the mode tells, and where an endpoint puts all trains into one product, the category of the train.
 */
const rules: readonly (readonly [RegExp, Rule])[] = [
  [/^subway$|^u-?bahn$|^metro$/, 'subway'],
  [/^s-?bahn$|^suburban|^urban-train$|^s-train$|^s-tog$/, 'sBahn'],
  [/tram|strassenbahn|^stadtbahn$|^luas$|^saarbahn$/, 'tram'],
  [/^city-?bus$|^stadtbus$/, ({ name }) => (isNightLine(name) ? 'nightBus' : 'cityBus')],
  [/^regional-?bus$|^fernbus$|^long-distance-bus$/, 'regionalBus'],
  [/^(?:regio|local)/, 'regionalTrain'],
];

const productsByMode: Readonly<Record<string, Rule>> = {
  train: toRailProduct,
  bus: toBusProduct,
  watercraft: 'ship',
  gondola: 'cableway',
};

const REGIONAL_CATEGORIES = ['R', 'REX', 'RE', 'RB', 'CJX', 'RS', 'ER', 'IRE', 'MEX', 'DPN', 'SB'];

/** What riders call the vehicle; null where the endpoint does not tell what runs. */
export function toProduct(line: HafasLine): Product | null {
  const id = line.product?.toLowerCase();
  if (!id) return null;
  const rule = rules.find(([pattern]) => pattern.test(id))?.[1] ?? productsByMode[line.mode ?? ''] ?? 'other';
  return typeof rule === 'function' ? rule(line) : rule;
}

function toRailProduct({ name, productName }: HafasLine): Product {
  const category = (productName ?? /^[A-Za-z]+/.exec(name ?? '')?.[0] ?? '').toUpperCase();
  if (category === 'S') return 'sBahn';
  return REGIONAL_CATEGORIES.includes(category) ? 'regionalTrain' : 'train';
}

/** Austrian regional lines have three digits and more, city lines fewer. */
function toBusProduct({ name }: HafasLine): Product {
  if (isNightLine(name)) return 'nightBus';
  return /\d{3}/.test(name ?? '') ? 'regionalBus' : 'cityBus';
}

function isNightLine(name: string | null): boolean {
  return /^(?:bus )?N ?\d/i.test(name ?? '');
}
