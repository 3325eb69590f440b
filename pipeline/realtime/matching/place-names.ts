import { nameWords } from '../../model/stop-name.ts';

/** The name of a place in the form that is compared. */
export interface PlaceName {
  /** All of its words in one: `Prater Stern` and `Praterstern` are the same. */
  readonly key: string;
  readonly words: ReadonlySet<string>;
}

/** Words in at least this many names do not distinguish places. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  nameWords(
    'Bahnhof Bahnhst Haltestelle Platz Straße Gasse Ort Ortsmitte Zentrum Kirche Schule Friedhof Gemeindeamt Wien',
  ).map(({ text }) => text),
);

/** Share of common words among the words of both names from which names are similar. */
const SIMILAR_SHARE = 0.75;

/** More names than stops have; beyond it a name is parsed each time. */
const MAX_REMEMBERED_NAMES = 200_000;

export interface PlaceNames {
  get(name: string): PlaceName;
}

/** Each name is parsed once: the same few thousand come with every answer. */
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

/** An empty name equals none. */
export function isSameName(a: PlaceName, b: PlaceName): boolean {
  return a.key === b.key && a.key !== '';
}

/**
 * Whether two names may be of one place: the same name, one with words that the other leaves out (`Wien Westbahnhof`,
 * `Karlsplatz U`), or nearly the same words. `Bahnhof` is not similar to `Mödling Bahnhof`.
 */
export function isSimilarName(a: PlaceName, b: PlaceName): boolean {
  if (isSameName(a, b)) return true;
  const shared = [...a.words].filter((word) => b.words.has(word));
  if (!shared.some((word) => word.length > 2 && !COMMON_WORDS.has(word))) return false;
  const isPartOfOther = shared.length === Math.min(a.words.size, b.words.size);
  return isPartOfOther || (2 * shared.length) / (a.words.size + b.words.size) >= SIMILAR_SHARE;
}
