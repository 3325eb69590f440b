import { expect, test } from 'vitest';
import { settleTogether } from '../../../api/push/settle-together.ts';
import type { Outbox, Settlement } from '../../../api/watches/outbox.ts';
import { pushOf } from './push-cases.ts';

/** An outbox that settles when the test says so. */
function slowOutbox() {
  const stored: (readonly string[])[] = [];
  const ends: ((failure?: Error) => void)[] = [];
  const outbox: Outbox = {
    claim: async () => [],
    settle: (settlements) => {
      stored.push(settlements.map(({ id }) => id));
      return new Promise((resolve, reject) => {
        ends.push((failure) => (failure ? reject(failure) : resolve()));
      });
    },
  };
  return { outbox, stored, ends };
}

const settlementOf = (id: string): Settlement => ({ ...pushOf({ id }), outcome: 'delivered' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('outcomes that arrive while others are being stored are stored together, each once', async () => {
  const { outbox, stored, ends } = slowOutbox();
  const settle = settleTogether(outbox);
  const first = settle(settlementOf('a'));
  await turn();
  const others = ['b', 'c', 'd'].map((id) => settle(settlementOf(id)));
  await turn();
  expect(stored).toEqual([['a']]);
  ends[0]!();
  await first;
  await turn();
  expect(stored).toEqual([['a'], ['b', 'c', 'd']]);
  ends[1]!();
  await Promise.all(others);
});

test('a failure concerns only the outcomes that were stored together', async () => {
  const { outbox, stored, ends } = slowOutbox();
  const settle = settleTogether(outbox);
  const failing = ['a', 'b'].map((id) => settle(settlementOf(id)));
  await turn();
  const good = settle(settlementOf('c'));
  ends[0]!(new Error('the disk is full'));
  for (const settled of failing) await expect(settled).rejects.toThrow('the disk is full');
  await turn();
  ends[1]!();
  await good;
  expect(stored).toEqual([['a', 'b'], ['c']]);
});
