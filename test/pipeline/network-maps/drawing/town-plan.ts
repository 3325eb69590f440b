import type { Product } from '../../../../pipeline/model/product.ts';
import { buildNetwork } from '../../../../pipeline/network-maps/drawing/build-network.ts';
import type { MapNetwork } from '../../../../pipeline/network-maps/drawing/map-network.ts';
import type { DrawnPlace } from '../../../../pipeline/network-maps/drawing/merge-places.ts';
import type { TimetableLine } from '../../../../pipeline/network-maps/drawing/read-lines.ts';

export interface TownPlan {
  readonly places: readonly DrawnPlace[];
  readonly lines: readonly TimetableLine[];
}

/**
 * A network drawn with letters: each is a place at its position, 500 m from the next.
 * @param ways by label of a line: its paths as letters, each with its trips, e.g. `abc 10, bd 2`
 */
export function readTown(plan: string, ways: Readonly<Record<string, string>>, product: Product = 'tram'): TownPlan {
  const rows = plan.split('\n').filter((row) => row.trim() !== '');
  const places = rows.flatMap((row, y) =>
    [...row].flatMap((name, x) => (name === ' ' ? [] : [{ name, lat: 48 - y * 0.0045, lon: 16 + x * 0.0067 }])),
  );
  const rowOf = (letter: string) => places.findIndex(({ name }) => name === letter);
  const lines = Object.entries(ways).map(([label, text], i) => {
    const runs = text.split(', ').map((way) => {
      const [letters, trips] = way.split(' ') as [string, string?];
      return { places: [...letters].map(rowOf), datedTrips: Number(trips ?? 1), label };
    });
    return { label, product, color: 0x100000 * (i + 1), operator: 'Betrieb', feeds: [0], runs };
  });
  return { places, lines };
}

export function readNetwork(...town: Parameters<typeof readTown>): MapNetwork {
  const { lines, places } = readTown(...town);
  return buildNetwork(lines, places);
}

/** Names of stations, e.g. of a path. */
export function namesOf({ stations }: MapNetwork, rows: readonly number[]): string {
  return rows.map((row) => stations[row]?.name ?? '?').join('');
}
