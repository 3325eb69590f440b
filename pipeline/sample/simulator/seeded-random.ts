import { variation } from '../feed/variation.ts';

/** The next number of a sequence, 0 up to, not including, 1. */
export type Random = () => number;

/**
 * A sequence of pseudo-random numbers that depends only on seed and key. The generator is Mulberry32: one word of
 * state, sufficient for a made-up country.
 */
export function seededRandom(seed: number, key: string): Random {
  let state = Math.floor(variation(seed, key) * 2 ** 32);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let hash = Math.imul(state ^ (state >>> 15), state | 1);
    hash ^= hash + Math.imul(hash ^ (hash >>> 7), hash | 61);
    return ((hash ^ (hash >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}

/** An integer between two inclusive limits. */
export function wholeBetween(random: Random, low: number, high: number): number {
  return Math.floor(between(random, low, high + 1));
}

/** Around 0 with a standard deviation of 1 and at most 3 away: the sum of three uniform numbers, roughly normal. */
export function bell(random: Random): number {
  return 2 * (random() + random() + random() - 1.5);
}

const LONGEST_TAIL = 25;

/** Mostly below the scale, rarely a multiple of it: half of the values are below 0.5, one in a hundred above 15. */
export function heavyTail(random: Random, scale: number): number {
  return scale * Math.min(LONGEST_TAIL, (1 - random()) ** -0.6 - 1);
}

/** @throws RangeError for an empty list */
export function pick<Item>(random: Random, list: readonly Item[]): Item {
  if (list.length === 0) throw new RangeError('nothing to pick from');
  return list[Math.floor(random() * list.length)]!;
}
