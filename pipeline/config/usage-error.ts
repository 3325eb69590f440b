import { closestMatch } from 'leven';

/**
 * One sentence about a key that does not exist.
 * @param place prefix of the key, e.g. `fairUse.` or `sources[0].`
 * @param allowed the keys of that place; the one most similar to the unknown key is named first
 */
export function unknownKey(place: string, key: string, allowed: readonly string[]): string {
  const nearest = nearestName(key, allowed);
  const hint = nearest === null ? '' : `did you mean "${place}${nearest}"? `;
  return `unknown key "${place}${key}"; ${hint}allowed are ${allowed.join(', ')}`;
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
