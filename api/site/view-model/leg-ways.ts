import type { Leg } from '../../contract/v2-trip.ts';

/** Modes of legs on streets. */
export type LegMode = 'walk' | 'bike' | 'car';

/** How a leg on streets is drawn. */
interface LegWay {
  /** SVG path of its icon, drawn on 24 × 24. */
  readonly sign: string;
  /** Its colour on the map, a token of `site.css`. */
  readonly color: `--${string}`;
  /** Lengths of dashes and gaps on the map, in line widths. */
  readonly dashes: readonly [number, number];
}

/** The style of each mode, shared by lists and maps. */
export const legWays: Readonly<Record<LegMode, LegWay>> = {
  walk: {
    sign: 'M13 1.5a2.1 2.1 0 1 0 0 4.2 2.1 2.1 0 0 0 0-4.2zM10 9l3-2 2 3 3 1.4M13 7l-1 6 3 3 1 6M12 13l-3 4-3 4',
    color: '--soft',
    dashes: [0.1, 1.8],
  },
  bike: {
    sign: 'M5.5 13.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM18.5 13.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5.5 17.5l4-8h6.5l2.5 8M9.5 9.5l3.5 8 3-8M8 7h3M14.5 5.5h2.5',
    color: '--way-bike',
    dashes: [1.6, 1.4],
  },
  car: {
    sign: 'M4 17.5v-5l2.2-5.5h11.6L20 12.5v5M4 12.5h16M3 17.5h18M6.5 17.5v2.5M17.5 17.5v2.5',
    color: '--way-car',
    dashes: [3, 1.2],
  },
};

/** The mode of a leg on streets; `null` for a ride or a wait. */
export function findLegMode({ mode }: Pick<Leg, 'mode'>): LegMode | null {
  if (mode === 'transit' || mode === 'wait') return null;
  return mode === 'transfer' ? 'walk' : mode;
}

/** Whether its path is a straight line because no streets are known. */
export function isStraightWay({ mode, attributes }: Pick<Leg, 'mode' | 'attributes'>): boolean {
  const way = findLegMode({ mode });
  return way !== null && attributes.includes(`${way}:straightLine`);
}

/** Whether a car is left at a car park; the rest of the path is walked. */
export function endsAtCarPark({ attributes }: Pick<Leg, 'attributes'>): boolean {
  return attributes.includes('parking:parkAndRide');
}
