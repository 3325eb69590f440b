import { expect, it } from 'vitest';
import { startLease } from '../../../jobs/locks/lease.ts';
import type { LockStore } from '../../../pipeline/scale-out/leases/lock-store.ts';
import { silentLog } from '../../support/worlds/ingest.ts';

const store: LockStore = {
  acquire: async () => 1,
  renew: async () => true,
  isHeld: async () => true,
  release: async () => {},
  list: async () => [],
  close: async () => {},
};

it('a lease that has ended confirms nothing, and is not lost', async () => {
  const lease = await startLease(store, 60, silentLog, async () => 1);
  await lease.confirm();
  await lease.end();
  await expect(lease.confirm()).rejects.toMatchObject({ code: 'lock_lost', isRetryable: true });
  expect(lease.lost.aborted).toBe(false);
});

it('a lease that ends during a query of the database confirms nothing', async () => {
  let answer = (_isHeld: boolean) => {};
  const requested = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  const lease = await startLease({ ...store, isHeld: () => requested }, 0, silentLog, async () => 1);
  const confirmed = lease.confirm();
  await lease.end();
  answer(true);
  await expect(confirmed).rejects.toMatchObject({ code: 'lock_lost' });
});
