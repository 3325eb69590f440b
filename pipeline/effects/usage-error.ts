import { closestMatch } from 'leven';

/** What is wrong in the configuration file. */
export interface ConfigProblem {
  /** Dotted key of the place, e.g. `sources[0].gtfs`; it may be absent from the file. */
  readonly key: string;
  /** One sentence that names the key and what is allowed. */
  readonly sentence: string;
}

/**
 * Describes a key that does not exist, with the one that it most likely stands for: the most similar one of its place,
 * else one of the same name elsewhere.
 * @param place prefix of the key, e.g. `fairUse.` or `sources[0].`
 * @param allowed the keys of that place
 * @param elsewhere dotted keys of other places
 */
export function unknownKey(
  place: string,
  key: string,
  allowed: readonly string[],
  elsewhere: readonly string[] = [],
): ConfigProblem {
  const hint = hintAt(place, key, allowed, elsewhere);
  return {
    key: `${place}${key}`,
    sentence: `unknown key "${place}${key}"; ${hint}allowed are ${allowed.join(', ')}`,
  };
}

function hintAt(place: string, key: string, allowed: readonly string[], elsewhere: readonly string[]): string {
  if (place === '' && elsewhere.includes(key)) {
    const [group, ...rest] = key.split('.');
    return `a dot is a level, so write "${rest.join('.')}" below "${group}"; `;
  }
  const nearby = nearestName(key, allowed);
  const nearest = nearby === null ? findNamesake(key, elsewhere) : `${place}${nearby}`;
  return nearest === null ? '' : `did you mean "${nearest}"? `;
}

function findNamesake(name: string, keys: readonly string[]): string | null {
  const ending = `.${name.toLowerCase()}`;
  return keys.find((key) => key.toLowerCase().endsWith(ending)) ?? null;
}

/** The known name that a misspelt one most likely stands for; null when none is similar. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const byLowerCase = new Map(known.map((one) => [one.toLowerCase(), one]));
  const maxDistance = Math.max(2, Math.floor(name.length / 3));
  const nearest = closestMatch(name.toLowerCase(), [...byLowerCase.keys()], { maxDistance });
  return nearest === undefined ? null : (byLowerCase.get(nearest) ?? null);
}

/** An error of the command line or configuration; the message says how to correct it. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
