import { useEffect, useState } from 'preact/hooks';

export type QueryChanges = Readonly<Record<string, string | null>>;

/**
 * Stores the state of the page in the query of the URL, so that every state has a link and the back button works.
 * @returns the query, and a function that changes parts of it (null removes one); `replace` adds no history entry
 */
export function useQuery(): [URLSearchParams, (changes: QueryChanges, how?: 'push' | 'replace') => void] {
  const [search, setSearch] = useState(location.search);
  useEffect(() => {
    const follow = () => setSearch(location.search);
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const change = (changes: QueryChanges, how: 'push' | 'replace' = 'push') => {
    const address = changeQuery(location.href, changes);
    if (address === location.href) return;
    history[how === 'push' ? 'pushState' : 'replaceState'](null, '', address);
    setSearch(location.search);
  };
  return [new URLSearchParams(search), change];
}

/** Returns the URL with changed query parameters; null removes one. */
export function changeQuery(address: string, changes: QueryChanges): string {
  const changed = new URL(address);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.searchParams.delete(name);
    else changed.searchParams.set(name, value);
  }
  return changed.href;
}
