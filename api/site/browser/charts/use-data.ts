import { useEffect, useState } from 'preact/hooks';
import { AskError, ask } from '../ask/ask.ts';

export interface Loaded<Data> {
  /** The last answer, also while the next one is awaited; null before the first, and after a refusal. */
  readonly data: Data | null;
  readonly isLoading: boolean;
  readonly error: AskError | null;
}

/** The numbers of a page, loaded once for each address. @param path null: nothing is loaded */
export function useData<Data>(path: string | null): Loaded<Data> {
  const [loaded, setLoaded] = useState<Loaded<Data>>({ data: null, isLoading: path !== null, error: null });
  useEffect(() => {
    if (path === null) return setLoaded({ data: null, isLoading: false, error: null });
    const abort = new AbortController();
    setLoaded(({ data }) => ({ data, isLoading: true, error: null }));
    ask<Data>(path, { signal: abort.signal })
      .then(({ answer }) => setLoaded({ data: answer, isLoading: false, error: null }))
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        const told = error instanceof AskError ? error : new AskError('unreadable', String(error));
        setLoaded({ data: null, isLoading: false, error: told });
      });
    return () => abort.abort();
  }, [path]);
  return loaded;
}
