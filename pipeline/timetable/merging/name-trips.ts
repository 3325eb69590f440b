import { type Product, products } from '../../model/product.ts';

/** What riders know a trip by. */
export interface TripName {
  /** Products that publishers distinguish differently are one class. */
  readonly productClass: string;
  /** Of a train, or of the run of another vehicle; null where none is published. */
  readonly number: string | null;
  /** Normalised label of the line; empty where none is published. */
  readonly line: string;
}

const RAIL = 'rail';

const classOf: Readonly<Record<Product, string>> = {
  train: RAIL,
  regionalTrain: RAIL,
  sBahn: RAIL,
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
  const inLabel = productClass === RAIL ? TRAIN.exec(line)?.[1] : undefined;
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

/**
 * What two trips have in common: the number of a train, or the line. Two numbers that differ are two vehicles; the
 * numbers of other vehicles are those of runs, and not known to riders.
 * @returns null where they are different trips
 */
export function compareTripNames(one: TripName, other: TripName): 'number' | 'line' | null {
  if (one.productClass !== other.productClass) return null;
  const areNumbered = one.number !== null && other.number !== null;
  if (areNumbered && one.number !== other.number) return null;
  if (areNumbered && one.productClass === RAIL) return 'number';
  return one.line !== '' && one.line === other.line ? 'line' : null;
}

/** The number of a train, by which it is known whatever its line; null for other vehicles. */
export function trainNumberOf({ productClass, number }: TripName): string | null {
  return productClass === RAIL ? number : null;
}
