/**
 * A pseudo-random number that depends only on seed and key, not on earlier calls: adding or removing a line does not
 * change others.
 * @returns 0 up to, not including, 1
 */
export function variation(seed: number, key: string): number {
  // FNV-1a over the key, then the finaliser of MurmurHash3, which spreads neighbouring keys apart.
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** A whole number from 0 up to, not including, `limit`. */
export function variationBelow(limit: number, seed: number, key: string): number {
  return Math.floor(variation(seed, key) * limit);
}
