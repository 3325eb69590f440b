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

/** Maps that belong to an object that never changes, and are forgotten with it. */
export function createRecentMaps<Owner extends object, Key, Value>(
  limit: number,
): (owner: Owner) => RecentMap<Key, Value> {
  const maps = new WeakMap<Owner, RecentMap<Key, Value>>();
  return (owner) => {
    const known = maps.get(owner);
    if (known) return known;
    const made = createRecentMap<Key, Value>(limit);
    maps.set(owner, made);
    return made;
  };
}

/**
 * Remembers values that follow from an unchanging object and a number.
 * @param limit values of one object
 */
export function rememberPer<Owner extends object, Value>(
  limit: number,
  make: (owner: Owner, key: number) => Value,
): (owner: Owner, key: number) => Value {
  const findMap = createRecentMaps<Owner, number, Value>(limit);
  return (owner, key) => {
    const known = findMap(owner);
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const value = make(owner, key);
    known.set(key, value);
    return value;
  };
}
