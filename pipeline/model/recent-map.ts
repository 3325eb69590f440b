/** A map of bounded size that forgets what was neither set nor found for the longest time. */
export interface RecentMap<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
}

/**
 * Keeps at least the last half of `limit` keys. They are in two halves: when the newer one is full, the older one is
 * forgotten, so that neither finding nor forgetting moves entries one by one.
 */
export function createRecentMap<Key, Value>(limit: number): RecentMap<Key, Value> {
  let newer = new Map<Key, Value>();
  let older = new Map<Key, Value>();
  const set = (key: Key, value: Value) => {
    if (newer.size >= limit / 2 && !newer.has(key)) {
      older = newer;
      newer = new Map();
    }
    newer.set(key, value);
  };
  return {
    get(key) {
      const recent = newer.get(key);
      if (recent !== undefined) return recent;
      const old = older.get(key);
      if (old !== undefined) set(key, old);
      return old;
    },
    set,
  };
}
