import { useEffect, useRef, useState } from 'preact/hooks';
import { backoffMilliseconds } from '../../../../pipeline/model/retry-policy.ts';
import { type ApiError, fetchJson, toApiError } from '../fetch/fetch-json.ts';
import { takePageAnswer } from '../fetch/page-answers.ts';
import { nowMilliseconds, setServerClock } from './server-clock.ts';

/** State of a polled resource. */
export interface Polled<Answer> {
  /** The last answer; null before the first. */
  readonly answer: Answer | null;
  /** Time of that answer by the clock of the service, in milliseconds; null before the first. */
  readonly answeredAt: number | null;
  /** Error of the last attempt; null if it succeeded. */
  readonly error: ApiError | null;
}

const nothingYet = { answer: null, answeredAt: null, error: null };
const MAX_PAUSE_MILLISECONDS = 120_000;

/**
 * Polls a path every `seconds` while the page is visible, immediately when it becomes visible again, and less often while
 * requests fail. The first answer may be in the page.
 * @param path null polls nothing; a new path starts over
 */
export function usePolled<Answer>(path: string | null, seconds: number): Polled<Answer> {
  const [polled, setPolled] = useState<Polled<Answer>>(() => startWithPage(path));
  const held = useRef<{ path: string | null; polled: Polled<Answer> }>({ path, polled });
  useEffect(() => {
    const show = (next: Polled<Answer>) => {
      held.current = { path, polled: next };
      setPolled(next);
    };
    if (held.current.path !== path) show(nothingYet);
    if (path === null) return;
    const isAnswered = held.current.polled.answeredAt !== null;
    return pollWhileSeen(seconds, isAnswered, async (signal) => {
      try {
        const { answer, serverMilliseconds } = await fetchJson<Answer>(path, { signal });
        setServerClock(serverMilliseconds);
        show({ answer, answeredAt: nowMilliseconds(), error: null });
        return true;
      } catch (error) {
        if (!signal.aborted) show({ ...held.current.polled, error: toApiError(error) });
        return false;
      }
    });
  }, [path, seconds]);
  // The first render after a path changes still has the state of the previous path.
  return held.current.path === path ? polled : nothingYet;
}

function startWithPage<Answer>(path: string | null): Polled<Answer> {
  const taken = takePageAnswer<Answer>(path);
  if (taken === null) return nothingYet;
  setServerClock(taken.serverMilliseconds);
  return { answer: taken.answer, answeredAt: nowMilliseconds(), error: null };
}

/** @param isAnswered whether the first attempt waits for its time @returns a function that ends it */
function pollWhileSeen(
  seconds: number,
  isAnswered: boolean,
  attempt: (signal: AbortSignal) => Promise<boolean>,
): () => void {
  const abort = new AbortController();
  const interval = seconds * 1000;
  const policy = {
    firstWaitMilliseconds: interval,
    factor: 2,
    maxWaitMilliseconds: Math.max(interval, MAX_PAUSE_MILLISECONDS),
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isLoading = false;
  const poll = async () => {
    clearTimeout(timer);
    if (document.hidden || isLoading) return;
    isLoading = true;
    failures = (await attempt(abort.signal)) ? 0 : failures + 1;
    isLoading = false;
    if (abort.signal.aborted) return;
    timer = setTimeout(poll, backoffMilliseconds(policy, failures + 1));
  };
  document.addEventListener('visibilitychange', poll, { signal: abort.signal });
  addEventListener('online', poll, { signal: abort.signal });
  if (isAnswered) timer = setTimeout(poll, interval);
  else void poll();
  return () => {
    clearTimeout(timer);
    abort.abort();
  };
}
