import type { Stop } from '../../contract/v2-basics.ts';

/**
 * Chooses the result that a typed text identifies: the only result, the only one with exactly this name, or the only one
 * in whose name each typed word begins a word.
 * @param found best match first
 * @returns null if several match, or none
 */
export function chooseTyped(text: string, found: readonly Stop[]): Stop | null {
  const words = listWords(text);
  if (words.length === 0) return null;
  const named = found.filter(({ name }) => listWords(name).join(' ') === words.join(' '));
  const fitting = found.filter(({ name }) => {
    const inName = listWords(name);
    return words.every((word) => inName.some((one) => one.startsWith(word)));
  });
  const only = [found, named, fitting].find((list) => list.length === 1);
  return only?.[0] ?? null;
}

/** Words without accents, in lower case. */
function listWords(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
