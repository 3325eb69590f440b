import { expect, it } from 'vitest';
import { endSoonAfter } from '../../../jobs/job/end-soon-after.ts';

const reason = new Error('stopped');
const never = new Promise<never>(() => {});

it('work that ends within the grace time has its result, and its own error', async () => {
  const stop = new AbortController();
  const work = new Promise((resolve) => stop.signal.addEventListener('abort', () => resolve('done')));
  const ended = endSoonAfter(work, stop.signal, 60_000);
  stop.abort(reason);
  expect(await ended).toBe('done');
  await expect(endSoonAfter(Promise.reject(new Error('its own')), stop.signal, 60_000)).rejects.toThrow('its own');
});

it.each(['before it begins', 'meanwhile'])('work that does not end is abandoned: stopped %s', async (when) => {
  const stop = new AbortController();
  if (when === 'before it begins') stop.abort(reason);
  const ended = endSoonAfter(never, stop.signal, 1);
  stop.abort(reason);
  await expect(ended).rejects.toBe(reason);
});
