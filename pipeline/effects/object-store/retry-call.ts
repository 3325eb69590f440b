import { mayPass, WorldError } from '../world-error.ts';
import { toStoreError } from './store-errors.ts';

/** Waits before the second attempt and those after it; each is shortened by chance, so that clients do not march. */
const WAITS_MILLISECONDS: readonly number[] = [200, 600, 2000, 5000, 10_000];

export interface RetryLimits {
  /** For one attempt. */
  readonly timeoutSeconds: number;
  /** For all attempts: none begins later. */
  readonly retrySeconds: number;
  /** As readers name the store, for messages. */
  readonly url: string;
}

export interface RetryEffects {
  nowMilliseconds(): number;
  /** @throws the signal's reason */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** At least 0 and below 1. */
  random(): number;
}

/**
 * Runs one call until it succeeds, fails for good, or its time is over.
 * @param attempt receives a signal that also aborts when its time is over; runs from the beginning each time
 * @throws WorldError of the last attempt; the reason of `signal`
 */
export async function retryCall<Result>(
  what: string,
  attempt: (signal: AbortSignal) => Promise<Result>,
  limits: RetryLimits,
  effects: RetryEffects,
  signal?: AbortSignal,
): Promise<Result> {
  const giveUpAt = effects.nowMilliseconds() + limits.retrySeconds * 1000;
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    const error = await attemptOnce(what, attempt, limits, signal);
    if ('result' in error) return error.result;
    const wait = WAITS_MILLISECONDS[failures];
    // The caller decides what a lost write means: the same request would lose again.
    const isFinal = !mayPass(error.failure) || error.failure.code === 'write_lost' || wait === undefined;
    if (isFinal || effects.nowMilliseconds() + wait > giveUpAt) throw error.failure;
    await effects.sleep(wait * (0.5 + effects.random() / 2), signal);
  }
}

async function attemptOnce<Result>(
  what: string,
  attempt: (signal: AbortSignal) => Promise<Result>,
  { timeoutSeconds, url }: RetryLimits,
  signal: AbortSignal | undefined,
): Promise<{ readonly result: Result } | { readonly failure: WorldError }> {
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    return { result: await attempt(signal ? AbortSignal.any([signal, timeout]) : timeout) };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (timeout.aborted) {
      const sentence = `the object store ${url} (${what}) did not answer within ${timeoutSeconds} s`;
      return { failure: new WorldError('store_unreachable', sentence, { cause: error, isRetryable: true }) };
    }
    return { failure: toStoreError(error, what, url) };
  }
}
