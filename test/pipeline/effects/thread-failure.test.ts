import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { describeError } from '../../../jobs/job/exit-code.ts';
import { ExternalError, isOfTheSystem } from '../../../pipeline/effects/external-error.ts';
import { toError, toFailure } from '../../../pipeline/effects/thread-failure.ts';

/** As from one thread to another. */
const pass = (error: unknown) => toError(structuredClone(toFailure(error)));

it('a system error remains one in the receiving thread, not a bug', async () => {
  const error = await readFile('/nowhere/at/all').catch((reason: unknown) => reason);
  const passed = pass(error);
  expect(isOfTheSystem(passed)).toBe(true);
  expect(passed).toMatchObject({ code: 'ENOENT', syscall: 'open', path: '/nowhere/at/all' });
  expect(describeError(passed)).toEqual(describeError(error));
});

it('an I/O error keeps its code and whether it is retryable', () => {
  const error = new ExternalError('disk_failed', 'the disk is away', { isRetryable: true });
  const passed = pass(error);
  expect(passed).toBeInstanceOf(ExternalError);
  expect(passed).toMatchObject({ code: 'disk_failed', isRetryable: true, message: 'the disk is away' });
});

it('a bug remains one, with the stack of its thread', () => {
  const error = new TypeError('x is no function');
  expect(describeError(pass(error)).isBug).toBe(true);
  expect(pass(error).stack).toBe(error.stack);
  expect(pass('thrown').message).toBe('thrown');
});
