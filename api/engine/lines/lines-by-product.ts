import { type Product, products } from '../../../pipeline/model/product.ts';
import type { FoundLine, ProductLines } from '../../contract/site-lines.ts';
import { compareLines } from '../search/stops.ts';
import type { LineGroup, LineIndex } from './line-index.ts';

/**
 * The lines of each product, sorted as people sort labels.
 * @param limit maximum number per product; those with the most trips are listed
 */
export function listLinesByProduct({ timetable, lines }: LineIndex, limit: number): ProductLines[] {
  const { tripCount } = timetable.tables.patterns;
  const countTrips = ({ patterns }: LineGroup) => patterns.reduce((sum, pattern) => sum + tripCount[pattern]!, 0);
  const byProduct = new Map<Product, LineGroup[]>(products.map((product) => [product, []]));
  for (const group of lines) byProduct.get(group.line.product)!.push(group);
  return [...byProduct]
    .filter(([, own]) => own.length > 0)
    .map(([product, own]) => {
      const ranked = own.map((group) => ({ group, trips: countTrips(group) })).sort((a, b) => b.trips - a.trips);
      const listed = ranked.slice(0, limit).map(({ group: { id, line } }): FoundLine => ({ id, line }));
      return { product, count: own.length, lines: listed.sort((a, b) => compareLines(a.line, b.line)) };
    });
}
