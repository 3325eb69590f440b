import { openStopStore, type StoredStop } from './stored-stops.ts';

const MAX_FAVOURITES = 20;

const favourites = openStopStore('favourite-stops', MAX_FAVOURITES);

/** The stops that the reader marked, the newest first. */
export const readFavourites = favourites.read;

/** Marks a stop, or removes the mark. @returns the marked stops */
export function toggleFavourite(stop: StoredStop): readonly StoredStop[] {
  const before = favourites.read();
  const others = before.filter(({ id }) => id !== stop.id);
  return favourites.write(others.length < before.length ? others : [stop, ...others]);
}
