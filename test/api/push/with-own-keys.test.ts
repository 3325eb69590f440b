import { expect, onTestFinished, test } from 'vitest';
import { withOwnKeys } from '../../../api/push/with-own-keys.ts';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { Log } from '../../../pipeline/effects/log.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { addWatch, NOW, pushOf, START } from './push-cases.ts';

const right = { 'watches.vapidKey': 'a', referenceKey: 'b' };

test.each([
  ['the same keys', right, 1, /^$/],
  [
    'another VAPID key',
    { ...right, 'watches.vapidKey': 'x' },
    0,
    /^watches\.vapidKey: .* left to replicas with the right/,
  ],
  [
    'another reference key',
    { ...right, referenceKey: 'x' },
    1,
    /^referenceKey: not as the other replicas have it; set/,
  ],
])('a replica with %s', async (_which, keys, claimed, warned) => {
  const clock = fixedClock(START);
  const store = await openWatchStore({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog });
  onTestFinished(() => store.close());
  await store.confirmKeys(right);
  await addWatch(store, pushOf().target, 'a');
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (sentence) => void warnings.push(sentence) };
  const own = withOwnKeys(store, keys, log);
  expect(await own.claim(NOW, 10)).toHaveLength(claimed);
  await own.claim(NOW, 10);
  // Once, however often it checks.
  expect(warnings.join('\n')).toMatch(warned);
  // Pushes that it did not take remain for another replica.
  expect(await withOwnKeys(store, right, log).claim(NOW, 10)).toHaveLength(1 - claimed);
});
