import type { Product } from '../../model/product.ts';

/** The publisher's kinds of vehicle, as its register of lines has them too (`MeansOfTransport`). */
const products: ReadonlyMap<string, Product> = new Map([
  ['ptMetro', 'subway'],
  ['ptTram', 'tram'],
  // The Badner Bahn, and the tourists' tram around the Ring.
  ['ptTramWLB', 'tram'],
  ['ptTramVRT', 'tram'],
  ['ptBusCity', 'cityBus'],
  ['ptBusNight', 'nightBus'],
  ['ptBusRegion', 'regionalBus'],
  // Buses on demand.
  ['ptRufBus', 'cityBus'],
  ['ptTrainS', 'sBahn'],
]);

/** @returns null for a kind that is not known */
export function findProduct(vehicleType: string): Product | null {
  return products.get(vehicleType) ?? null;
}
