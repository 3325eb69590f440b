import { useEffect, useState } from 'preact/hooks';
import { AskError, ask } from './ask.ts';

/** What is known of something that is asked for once. */
export interface Answered<Answer> {
  readonly answer: Answer | null;
  readonly error: AskError | null;
  readonly isAsking: boolean;
}

/**
 * Asks once for each path.
 * @param path null asks for nothing
 * @returns what is known of this path, and a function that asks again; until then the answer stays
 */
export function useAnswer<Answer>(path: string | null): readonly [Answered<Answer>, () => void] {
  const [turn, setTurn] = useState(0);
  const [held, setHeld] = useState<Answered<Answer> & { readonly path: string | null }>(nothingOf(path));
  useEffect(() => {
    setHeld((before) => ({ ...(before.path === path ? before : nothingOf(path)), isAsking: path !== null }));
    if (path === null) return;
    const abort = new AbortController();
    ask<Answer>(path, { signal: abort.signal })
      .then(({ answer }) => setHeld({ path, answer, error: null, isAsking: false }))
      .catch((cause: unknown) => {
        if (abort.signal.aborted) return;
        const error = cause instanceof AskError ? cause : new AskError('unreadable', String(cause));
        setHeld({ ...nothingOf(path), error, isAsking: false });
      });
    return () => abort.abort();
  }, [path, turn]);
  // The answer to another path is not shown for this one, not even once.
  return [held.path === path ? held : nothingOf(path), () => setTurn(turn + 1)];
}

function nothingOf(path: string | null) {
  return { path, answer: null, error: null, isAsking: path !== null };
}
