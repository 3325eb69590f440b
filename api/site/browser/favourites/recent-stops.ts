import { readFavourites } from './favourites.ts';
import { openStopStore, type StoredStop } from './stored-stops.ts';

const MAX_RECENT = 8;

const recent = openStopStore('recent-stops', MAX_RECENT);

/** Remembers a chosen stop or place. */
export function rememberStop({ id, name, kind, coord }: StoredStop): void {
  const others = recent.read().filter((one) => one.id !== id);
  recent.write([{ id, name, kind, ...(coord ? { coord } : {}) }, ...others]);
}

export function forgetRecent(): void {
  recent.write([]);
}

/** What an empty search field offers. */
export interface OfferedStops {
  /** The last chosen ones, then the marked ones among the others. */
  readonly stops: readonly StoredStop[];
  /** Whether some of them were chosen, which the reader can clear. */
  readonly hasRecent: boolean;
}

/** @param hasPlaces whether addresses and places are offered beside stops */
export function offerStops(hasPlaces: boolean): OfferedStops {
  const chosen = recent.read().filter(({ kind }) => hasPlaces || kind === 'station');
  const marked = readFavourites().filter(({ id }) => chosen.every((one) => one.id !== id));
  return { stops: [...chosen, ...marked].slice(0, MAX_RECENT), hasRecent: chosen.length > 0 };
}
