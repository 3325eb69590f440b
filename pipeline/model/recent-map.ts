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

/** Remembers a value that follows from an unchanging object, as long as the object exists. */
export function rememberPerObject<Owner extends object, Value extends {}>(
  make: (owner: Owner) => Value,
): (owner: Owner) => Value {
  const values = new WeakMap<Owner, Value>();
  return (owner) => {
    const known = values.get(owner);
    if (known !== undefined) return known;
    const value = make(owner);
    values.set(owner, value);
    return value;
  };
}

/** Creates one map of bounded size for each unchanging object; it exists as long as the object. */
export function createRecentMaps<Owner extends object, Key, Value>(
  limit: number,
): (owner: Owner) => RecentMap<Key, Value> {
  return rememberPerObject(() => createRecentMap<Key, Value>(limit));
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
