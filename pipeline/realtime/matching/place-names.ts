import { nameWords } from '../../model/stop-name.ts';

/** A name of a place as it is compared with others. */
export interface PlaceName {
  /** All of its words in one: `Prater Stern` and `Praterstern` are the same. */
  readonly key: string;
  readonly words: ReadonlySet<string>;
}

/** Words that so many names have that they tell nothing of which place it is. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  nameWords(
    'Bahnhof Bahnhst Haltestelle Platz Straße Gasse Ort Ortsmitte Zentrum Kirche Schule Friedhof Gemeindeamt Wien',
  ).map(({ text }) => text),
);

/** Words in which names mostly agree: the share that both have of all that they have. */
const SIMILAR_SHARE = 0.75;

/** More names than stops have; beyond it a name is read anew each time. */
const MAX_REMEMBERED_NAMES = 200_000;

export interface PlaceNames {
  get(name: string): PlaceName;
}

/** Names are taken apart once: the same few thousand come with every answer. */
export function rememberNames(): PlaceNames {
  const known = new Map<string, PlaceName>();
  return {
    get(name) {
      const read = known.get(name) ?? readPlaceName(name);
      if (known.size < MAX_REMEMBERED_NAMES) known.set(name, read);
      return read;
    },
  };
}

export function readPlaceName(name: string): PlaceName {
  const words = nameWords(name).map(({ text }) => text);
  return { key: words.join(''), words: new Set(words) };
}

/** An empty name is the same as none. */
export function isSameName(a: PlaceName, b: PlaceName): boolean {
  return a.key === b.key && a.key !== '';
}

/**
 * Whether two names may well be of one place: the same, one with words that the other leaves out (`Wien Westbahnhof`,
 * `Karlsplatz U`), or nearly the same words. `Bahnhof` is not similar to `Mödling Bahnhof`.
 */
export function isSimilarName(a: PlaceName, b: PlaceName): boolean {
  if (isSameName(a, b)) return true;
  const shared = [...a.words].filter((word) => b.words.has(word));
  if (!shared.some((word) => word.length > 2 && !COMMON_WORDS.has(word))) return false;
  const isPartOfOther = shared.length === Math.min(a.words.size, b.words.size);
  return isPartOfOther || (2 * shared.length) / (a.words.size + b.words.size) >= SIMILAR_SHARE;
}
