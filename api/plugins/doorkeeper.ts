/** Decides which keys are worth a place in a cache: those that are requested more than once. */
interface Doorkeeper {
  /** Notes a key. @returns whether it was noted before; rarely also for a new key with the same hash */
  sawBefore(key: string): boolean;
}

/** Keys that are remembered, unless later ones of the same set have taken their places. */
const SETS = 2 ** 14;
/** With one key per set, two keys that come in turn would displace each other forever. */
const KEYS_PER_SET = 4;

/**
 * Creates the filter that the TinyLFU paper calls a doorkeeper. It keeps hashes instead of keys, so that a key that is
 * requested only once leaves nothing for the garbage collector.
 * @see https://arxiv.org/abs/1512.00727 section 3.4.2
 */
export function createDoorkeeper(): Doorkeeper {
  const hashes = new Int32Array(SETS * KEYS_PER_SET);
  return {
    sawBefore(key) {
      const hash = hashText(key);
      const first = (hash & (SETS - 1)) * KEYS_PER_SET;
      for (let i = first; i < first + KEYS_PER_SET; i++) {
        if (hashes[i] === hash) return true;
      }
      // The oldest key of the set is replaced.
      hashes.copyWithin(first + 1, first, first + KEYS_PER_SET - 1);
      hashes[first] = hash;
      return false;
    },
  };
}

/** FNV-1a over UTF-16 code units; the high half is mixed into the low one, which selects the set. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 16);
}
