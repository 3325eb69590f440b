/** Decides which keys are worth a place in a cache: those that are requested more than once. */
interface Doorkeeper {
  /** Notes a key. @returns whether it was noted before; rarely also for a new key with the same hash */
  sawBefore(key: string): boolean;
}

/** Keys that are remembered, unless later ones have taken their slots. */
const SLOTS = 2 ** 16;

/**
 * Creates the filter that the TinyLFU paper calls a doorkeeper. It keeps hashes instead of keys, so that a key that is
 * requested only once leaves nothing for the garbage collector.
 * @see https://arxiv.org/abs/1512.00727 section 3.4.2
 */
export function createDoorkeeper(): Doorkeeper {
  const hashes = new Int32Array(SLOTS);
  return {
    sawBefore(key) {
      const hash = hashText(key);
      const slot = hash & (SLOTS - 1);
      if (hashes[slot] === hash) return true;
      hashes[slot] = hash;
      return false;
    },
  };
}

/** FNV-1a over UTF-16 code units; the high half is mixed into the low one, which selects the slot. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 16);
}
