import { type Product, products } from '../../model/product.ts';

/** What riders know a trip by. */
export interface TripName {
  /** Products that publishers distinguish differently are one class. */
  readonly productClass: string;
  /** Train number, or number of the run; null where none is published. */
  readonly number: string | null;
  /** Normalised label of the line; empty where none is published. */
  readonly line: string;
}

const classOf: Readonly<Record<Product, string>> = {
  train: 'rail',
  regionalTrain: 'rail',
  sBahn: 'rail',
  subway: 'subway',
  tram: 'tram',
  cityBus: 'bus',
  regionalBus: 'bus',
  nightBus: 'bus',
  cableway: 'cableway',
  ship: 'ship',
  other: 'other',
};

/** Kind of vehicle that some publishers write before the label: `Bus 13A`, `Straßenbahn 5`. */
const KIND_OF_LINE = /^(?:autobus|bus|straßenbahn|strassenbahn|tram|str|linie|line|u-bahn|zug)\.?\s+(?=\S)/i;
/** A kind of train and its number: `RJX 162`. */
const TRAIN = /^[A-Z]{2,}(\d{2,})$/;

/**
 * @param label of the route; the number of a train may be part of it
 * @param shortName trip_short_name; null where there is none
 */
export function nameTrip(product: number, label: string, shortName: string | null): TripName {
  const productClass = classOf[products[product]!];
  const line = label.trim().replace(KIND_OF_LINE, '').toUpperCase().replace(/\s+/g, '');
  const inLabel = productClass === 'rail' ? TRAIN.exec(line)?.[1] : undefined;
  return { productClass, number: readNumber(shortName ?? '') ?? readNumber(inLabel ?? ''), line };
}

/** `RJX 162` and `162` are the same number; letters after it are a part of it. */
function readNumber(text: string): string | null {
  return (
    /(\d+[a-z]?)\D*$/i
      .exec(text)?.[1]
      ?.replace(/^0+(?=\d)/, '')
      .toUpperCase() ?? null
  );
}

/** Whether two trips have the same number or, where one of them has no number, are of the same line. */
export function isSameTripName(one: TripName, other: TripName): boolean {
  if (one.productClass !== other.productClass) return false;
  if (one.number !== null && other.number !== null) return one.number === other.number;
  return one.line !== '' && one.line === other.line;
}
