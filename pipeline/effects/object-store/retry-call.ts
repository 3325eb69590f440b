import { HALF_JITTER, type RetryPolicy } from '../../model/retry-policy.ts';
import { ExternalError, mayPass } from '../external-error.ts';
import { retry } from '../retry.ts';
import { isOfCredentials, toStoreError } from './store-errors.ts';

/** `RetryLimits.retrySeconds` may end them earlier. */
const storeCalls: RetryPolicy = {
  firstWaitMilliseconds: 200,
  factor: 3,
  maxWaitMilliseconds: 10_000,
  jitter: HALF_JITTER,
  maxAttempts: 6,
};

export interface RetryLimits {
  /** For one attempt, since its start or its last progress. */
  readonly timeoutSeconds: number;
  /** For all attempts: none begins later, but the one after a first timeout. */
  readonly retrySeconds: number;
  /** As readers name the store, for messages. */
  readonly url: string;
  /** Reloads the credentials; then a refused request is tried once more. Null: there are no others. */
  readonly renewCredentials: (() => Promise<void>) | null;
}

export interface RetryEffects {
  nowMilliseconds(): number;
  /** @throws the signal's reason */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** At least 0 and below 1. */
  random(): number;
}

/**
 * One try of a call, from the beginning.
 * @param signal also aborts at the time limit
 * @param noteProgress starts the time of the attempt again: a content may take as long as it arrives
 */
export type StoreCallAttempt<Result> = (signal: AbortSignal, noteProgress: () => void) => Promise<Result>;

/**
 * Runs one call until it succeeds, fails for good, or reaches its time limit. A request that hung is sent once more however long
 * it took, as a lost connection is the likely cause.
 * @throws ExternalError of the last attempt; the reason of `signal`
 */
export async function retryCall<Result>(
  what: string,
  attempt: StoreCallAttempt<Result>,
  limits: RetryLimits,
  effects: RetryEffects,
  signal?: AbortSignal,
): Promise<Result> {
  const giveUpAt = effects.nowMilliseconds() + limits.retrySeconds * 1000;
  const timeouts: unknown[] = [];
  let renew = limits.renewCredentials;
  const callOnce = async (): Promise<Result> => {
    signal?.throwIfAborted();
    const outcome = await attemptOnce(what, attempt, limits, signal);
    if ('result' in outcome) return outcome.result;
    const { failure, isTimeout } = outcome;
    if (isTimeout) timeouts.push(failure);
    if (renew === null || !isOfCredentials(failure.cause)) throw failure;
    await tryToRenew(renew);
    renew = null;
    return callOnce();
  };
  const isRetryable = (failure: unknown, wait: number) => {
    // The caller decides what a lost write means: the same request would lose again.
    if (!mayPass(failure) || (failure as ExternalError).code === 'write_lost') return false;
    const isFirstTimeout = timeouts.length === 1 && timeouts[0] === failure;
    return isFirstTimeout || effects.nowMilliseconds() + wait <= giveUpAt;
  };
  return retry(storeCalls, callOnce, { ...effects, signal, isRetryable });
}

/** Where there are no new ones, the next attempt is refused like the last, and says why. */
async function tryToRenew(renew: () => Promise<void>): Promise<void> {
  await renew().catch(() => {});
}

type AttemptOutcome<Result> =
  | { readonly result: Result }
  | { readonly failure: ExternalError; readonly isTimeout: boolean };

async function attemptOnce<Result>(
  what: string,
  attempt: StoreCallAttempt<Result>,
  { timeoutSeconds, url }: RetryLimits,
  signal: AbortSignal | undefined,
): Promise<AttemptOutcome<Result>> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutSeconds * 1000);
  // A request that is under way keeps the process alive by its socket.
  timer.unref();
  try {
    const either = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
    return { result: await attempt(either, () => timer.refresh()) };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (timeout.signal.aborted) {
      const sentence = `the object store ${url} (${what}) did not answer within ${timeoutSeconds} s`;
      const failure = new ExternalError('store_unreachable', sentence, { cause: error, isRetryable: true });
      return { failure, isTimeout: true };
    }
    return { failure: toStoreError(error, what, url), isTimeout: false };
  } finally {
    clearTimeout(timer);
  }
}
