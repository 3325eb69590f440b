/**
 * Items by a number of minutes, and within a minute by rank, the smallest first. A binary heap: the order of items that
 * are equal in both depends on what else is put there, but is the same each time.
 */
export interface MinuteQueue<Item> {
  /**
   * An item for a minute that has passed counts as one of the present minute.
   * @param rank 0 to `MAX_RANK`
   */
  push(minute: number, rank: number, item: Item): void;
  /** Takes the next item; undefined if there is none. */
  pop(): Item | undefined;
  /** Of the item that was taken last. */
  minute(): number;
  /** Of the item that would be taken next; infinite if there is none. */
  nextMinute(): number;
}

/** Minutes are multiplied by it, and both fit into a number. */
const RANKS = 2 ** 39;
export const MAX_RANK = RANKS - 1;

export function createMinuteQueue<Item>(): MinuteQueue<Item> {
  const keys: number[] = [];
  const items: Item[] = [];
  let present = 0;
  const put = (at: number, key: number, item: Item) => {
    keys[at] = key;
    items[at] = item;
  };
  const raise = (from: number, key: number, item: Item) => {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (keys[above]! <= key) break;
      put(at, keys[above]!, items[above]!);
      at = above;
    }
    put(at, key, item);
  };
  const lower = (key: number, item: Item) => {
    let at = 0;
    for (let below = 1; below < keys.length; below = 2 * at + 1) {
      if (below + 1 < keys.length && keys[below + 1]! < keys[below]!) below++;
      if (keys[below]! >= key) break;
      put(at, keys[below]!, items[below]!);
      at = below;
    }
    put(at, key, item);
  };
  return {
    push: (minute, rank, item) => raise(keys.length, Math.max(present, minute) * RANKS + rank, item),
    pop() {
      const top = items[0];
      if (top === undefined) return undefined;
      present = Math.floor(keys[0]! / RANKS);
      const [key, item] = [keys.pop()!, items.pop()!];
      if (keys.length > 0) lower(key, item);
      return top;
    },
    minute: () => present,
    nextMinute: () => (keys.length > 0 ? Math.floor(keys[0]! / RANKS) : Number.POSITIVE_INFINITY),
  };
}
