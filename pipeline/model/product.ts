/**
 * Kinds of vehicle in the order of the specification's `Line.product`: a snapshot stores the
 * position, and `Stop.productClasses` has one bit for each, tram = 1, cityBus = 2 and so on.
 */
export const products = [
  'tram',
  'cityBus',
  'regionalBus',
  'nightBus',
  'train',
  'regionalTrain',
  'sBahn',
  'subway',
  'cableway',
  'ship',
  'other',
] as const;

export type Product = (typeof products)[number];
