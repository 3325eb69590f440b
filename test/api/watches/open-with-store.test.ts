import { expect, test } from 'vitest';
import type { Published } from '../../../api/engine/read/realtime.ts';
import { openWithStore } from '../../../api/watches/service/open-with-store.ts';
import type { WatchService } from '../../../api/watches/service/watch-service.ts';
import { orderOf } from './store-cases.ts';

const pair = 'a pair' as unknown as Published;
const instant = 0 as never;

/** A service that records its calls, behind one that opens it late. */
function openLate({ isStored = false } = {}) {
  const calls: string[] = [];
  const store = { isThere: isStored };
  const record = (name: string, answer: unknown) => async () => {
    calls.push(name);
    await new Promise(setImmediate);
    calls.push(`${name} done`);
    return answer;
  };
  const service = openWithStore(
    () => {
      calls.push('open');
      return {
        watch: record('watch', 'watched'),
        unwatch: record('unwatch', true),
        follow: record('follow', 3),
        tick: record('tick', 2),
        claim: record('claim', ['push']),
        close: record('close', undefined),
      } as unknown as WatchService;
    },
    async () => store.isThere,
  );
  return { service, calls, store };
}

test('without a store, nothing is opened but by a watch', async () => {
  const { service, calls } = openLate();
  expect(await service.follow(pair)).toBe(0);
  expect(await service.tick()).toBe(0);
  expect(await service.listWanted(1)).toEqual([]);
  expect(await service.claim(instant, 1)).toEqual([]);
  expect(await service.unwatch('id', 'trip', 'anna')).toBe(false);
  expect(await service.count()).toBe(0);
  await service.close();
  expect(calls).toEqual([]);
});

test('the first watch opens it once, and passes on the newest pair before', async () => {
  const { service, calls } = openLate();
  await service.follow(pair);
  const spec = {} as never;
  const watched = await Promise.all([service.watch(orderOf({ spec }), null), service.watch(orderOf({ spec }), null)]);
  expect(watched).toEqual(['watched', 'watched']);
  expect(await service.tick()).toBe(2);
  await service.close();
  expect(calls.slice(0, 5)).toEqual(['open', 'follow', 'follow done', 'watch', 'watch']);
  expect(calls.filter((call) => call === 'open')).toHaveLength(1);
  expect(calls.at(-1)).toBe('close done');
});

test('a store that is there, or that another process creates, opens it', async () => {
  const { service, calls } = openLate({ isStored: true });
  expect(await service.follow(pair)).toBe(3);
  expect(calls.slice(0, 2)).toEqual(['open', 'follow']);
  const other = openLate();
  await other.service.follow(pair);
  other.store.isThere = true;
  expect(await other.service.unwatch('id', 'trip', 'anna')).toBe(true);
  expect(await other.service.claim(instant, 1)).toEqual(['push']);
  expect(other.calls.slice(0, 3)).toEqual(['open', 'follow', 'unwatch']);
});
