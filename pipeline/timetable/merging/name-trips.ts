import { type Product, products } from '../../model/product.ts';

/** What identifies a trip for riders. */
export interface TripLabel {
  /** Class of products that publishers do not distinguish alike. */
  readonly productClass: string;
  /** Train number, or number of another vehicle's run; null if not published. */
  readonly number: string | null;
  /** Normalised label of the line; empty if not published. */
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

/** Vehicle type that some publishers write before the label: `Bus 13A`, `Straßenbahn 5`. */
const KIND_OF_LINE = /^(?:autobus|bus|straßenbahn|strassenbahn|tram|str|linie|line|u-bahn|zug)\.?\s+(?=\S)/i;
/** A kind of train and its number: `RJX 162`. */
const TRAIN = /^[A-Z]{2,}(\d{2,})$/;

/**
 * @param label of the route, which may include a train number
 * @param shortName trip_short_name; null if absent
 */
export function nameTrip(product: number, label: string, shortName: string | null): TripLabel {
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
 * Compares two trips by train number, else by line. Different numbers are different vehicles; numbers of other vehicles
 * than trains do not identify them to riders.
 * @returns null for different trips
 */
export function compareTripNames(one: TripLabel, other: TripLabel): 'number' | 'line' | null {
  if (one.productClass !== other.productClass) return null;
  const areNumbered = one.number !== null && other.number !== null;
  if (areNumbered && one.number !== other.number) return null;
  if (areNumbered && one.productClass === RAIL) return 'number';
  return one.line !== '' && one.line === other.line ? 'line' : null;
}

/** The train number, which identifies a train whatever its line; null for other vehicles. */
export function trainNumberOf({ productClass, number }: TripLabel): string | null {
  return productClass === RAIL ? number : null;
}
