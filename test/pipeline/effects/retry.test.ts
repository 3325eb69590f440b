import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { retry } from '../../../pipeline/effects/retry.ts';
import { backoffMilliseconds, HALF_JITTER, type RetryPolicy } from '../../../pipeline/model/retry-policy.ts';

const policy: RetryPolicy = { firstWaitMilliseconds: 1000, factor: 4, maxWaitMilliseconds: 10_000, maxAttempts: 4 };
const transient = new ExternalError('store_unreachable', 'no', { isRetryable: true });
const permanent = new ExternalError('store_unfit', 'no');

/** Attempts that fail with the listed errors, or succeed where it is null. */
function failing(errors: readonly (Error | null)[]) {
  const waits: number[] = [];
  let attempts = 0;
  return {
    waits,
    attempt: async () => {
      const error = errors[attempts++];
      if (error) throw error;
      return attempts;
    },
    sleep: async (milliseconds: number) => void waits.push(milliseconds),
  };
}

describe('retry', () => {
  it.each<[name: string, errors: (Error | null)[], result: number | Error, waits: number[]]>([
    ['does not wait after a success', [null], 1, []],
    [
      'waits longer after each failure, up to the limit',
      [transient, transient, transient, null],
      4,
      [1000, 4000, 10_000],
    ],
    ['throws an error that is not retryable at once', [permanent, null], permanent, []],
    [
      'stops after the last attempt',
      [transient, transient, transient, transient, null],
      transient,
      [1000, 4000, 10_000],
    ],
    ['stops at an error that is not retryable', [transient, permanent, null], permanent, [1000]],
  ])('%s', async (_name, errors, result, waits) => {
    const { attempt, sleep, waits: slept } = failing(errors);
    const outcome = await retry(policy, attempt, { sleep, random: () => 0 }).catch((error: unknown) => error);
    expect(outcome).toBe(result);
    expect(slept).toEqual(waits);
  });

  it('reports each failure with the wait that follows', async () => {
    const { attempt, sleep } = failing([transient, transient, null]);
    const reported: unknown[] = [];
    await retry(policy, attempt, { sleep, onRetry: ({ error }, wait) => reported.push([error, wait]) });
    expect(reported).toEqual([
      [transient, 1000],
      [transient, 4000],
    ]);
  });

  it('returns the last result that counts as a failure', async () => {
    let count = 0;
    const result = await retry(policy, async () => ++count, { sleep: async () => {}, isFailure: () => true });
    expect([result, count]).toEqual([4, 4]);
  });

  it('begins no attempt after its time limit', async () => {
    const short: RetryPolicy = { firstWaitMilliseconds: 0, factor: 1, maxWaitMilliseconds: 0, maxMilliseconds: -1 };
    const { attempt } = failing([transient, null]);
    await expect(retry(short, attempt)).rejects.toBe(transient);
  });

  it('ends a wait when the signal aborts', async () => {
    const controller = new AbortController();
    const { attempt } = failing([transient, null]);
    const ended = retry(policy, attempt, { signal: controller.signal, onRetry: () => controller.abort('stopping') });
    await expect(ended).rejects.toBe('stopping');
  });
});

describe('backoff', () => {
  it('grows up to the limit and stays within its jitter', () => {
    const jittered: RetryPolicy = { ...policy, jitter: HALF_JITTER };
    const failures = fc.integer({ min: 1, max: 10_000 });
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(failures, random, (n, r) => {
        const full = backoffMilliseconds(policy, n);
        expect(full).toBe(Math.min(1000 * 4 ** (n - 1), 10_000));
        expect(backoffMilliseconds(jittered, n, r)).toBeGreaterThanOrEqual(full / 2);
        expect(backoffMilliseconds(jittered, n, r)).toBeLessThanOrEqual(full);
      }),
    );
  });
});
