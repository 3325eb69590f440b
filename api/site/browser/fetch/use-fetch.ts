import { useEffect, useState } from 'preact/hooks';
import { type ApiError, fetchJson, toApiError } from './fetch-json.ts';

/** What is known of something that is asked for once. */
export interface Answered<Answer> {
  readonly answer: Answer | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
}

interface AnswerOptions {
  /** The answer to the path before stays while that to the next one is awaited. */
  readonly keepsLast?: boolean;
}

/**
 * Asks once for each path.
 * @param path null asks for nothing
 * @returns what is known of this path, and a function that asks again; until then the answer stays
 */
export function useAnswer<Answer>(
  path: string | null,
  { keepsLast = false }: AnswerOptions = {},
): readonly [Answered<Answer>, () => void] {
  const [turn, setTurn] = useState(0);
  const [held, setHeld] = useState<Answered<Answer> & { readonly path: string | null }>(nothingOf(path));
  const mayStay = keepsLast && path !== null;
  useEffect(() => {
    setHeld((before) => {
      if (before.path === path) return { ...before, isLoading: path !== null };
      return { ...nothingOf(path), answer: mayStay ? before.answer : null };
    });
    if (path === null) return;
    const abort = new AbortController();
    fetchJson<Answer>(path, { signal: abort.signal })
      .then(({ answer }) => setHeld({ path, answer, error: null, isLoading: false }))
      .catch((cause: unknown) => {
        if (!abort.signal.aborted) setHeld({ ...nothingOf(path), error: toApiError(cause), isLoading: false });
      });
    return () => abort.abort();
  }, [path, turn]);
  // Else the answer to another path is not shown for this one, not even once.
  return [held.path === path || mayStay ? held : nothingOf(path), () => setTurn(turn + 1)];
}

function nothingOf(path: string | null) {
  return { path, answer: null, error: null, isLoading: path !== null };
}
