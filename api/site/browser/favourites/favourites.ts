/** A stop that the reader marked. */
export interface Favourite {
  readonly id: string;
  readonly name: string;
}

const KEY = 'favourite-stops';
const MAX_FAVOURITES = 20;

/** The marked stops, the newest first. They never leave the browser. */
export function readFavourites(): readonly Favourite[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isFavourite).slice(0, MAX_FAVOURITES) : [];
  } catch {
    return [];
  }
}

/** Marks a stop, or removes the mark. @returns the marked stops */
export function toggleFavourite(stop: Favourite): readonly Favourite[] {
  const before = readFavourites();
  const others = before.filter(({ id }) => id !== stop.id);
  const after = others.length < before.length ? others : [stop, ...others].slice(0, MAX_FAVOURITES);
  try {
    localStorage.setItem(KEY, JSON.stringify(after));
    return after;
  } catch {
    return before;
  }
}

function isFavourite(value: unknown): value is Favourite {
  const { id, name } = (value ?? {}) as Partial<Favourite>;
  return typeof id === 'string' && typeof name === 'string';
}
