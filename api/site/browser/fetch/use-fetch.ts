import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, fetchJson, toApiError } from './fetch-json.ts';
import { takePageAnswer } from './page-answers.ts';

/** State of a single request. */
interface FetchState<Answer> {
  readonly answer: Answer | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
}

interface FetchStateOptions {
  /** Whether the answer for the previous path stays visible until that for the next one arrives. */
  readonly keepsLast?: boolean;
}

/**
 * Fetches each path once, unless the page has its answer.
 * @param path null fetches nothing
 * @returns the state of the request, and a function that repeats it; the answer stays until the new one arrives
 */
export function useFetch<Answer>(
  path: string | null,
  { keepsLast = false }: FetchStateOptions = {},
): readonly [FetchState<Answer>, () => void] {
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<PathState<Answer>>(() => startWithPage(path));
  const isInPage = useRef(state.answer !== null);
  const mayStay = keepsLast && path !== null;
  useEffect(() => {
    if (isInPage.current) {
      isInPage.current = false;
      return;
    }
    setState((before) => {
      if (before.path === path) return { ...before, isLoading: path !== null };
      return { ...initialState(path), answer: mayStay ? before.answer : null };
    });
    if (path === null) return;
    const abort = new AbortController();
    fetchJson<Answer>(path, { signal: abort.signal })
      .then(({ answer }) => setState({ path, answer, error: null, isLoading: false }))
      .catch((cause: unknown) => {
        if (!abort.signal.aborted) setState({ ...initialState(path), error: toApiError(cause), isLoading: false });
      });
    return () => abort.abort();
  }, [path, attempt]);
  // The first render after a path changes still has the state of the previous path.
  return [state.path === path || mayStay ? state : initialState(path), () => setAttempt(attempt + 1)];
}

type PathState<Answer> = FetchState<Answer> & { readonly path: string | null };

function startWithPage<Answer>(path: string | null): PathState<Answer> {
  const taken = takePageAnswer<Answer>(path);
  return taken ? { path, answer: taken.answer, error: null, isLoading: false } : initialState(path);
}

function initialState(path: string | null) {
  return { path, answer: null, error: null, isLoading: path !== null };
}
