import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import type { WatchStore } from '../../../api/watches/store/watch-store.ts';
import { NOTHING_EMITTED } from '../../../api/watches/watch.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { usePostgres } from '../../support/fakes/use-postgres.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';
import { describeStore, LIMITS, NOW, orderOf } from './store-cases.ts';

const effects = { clock: fixedClock('2026-03-16T07:30:00Z'), log: silentLog };

async function open(file: string, postgresUrl: string | null): Promise<WatchStore> {
  const store = await openWatchStore({ file, postgresUrl }, effects);
  onTestFinished(() => store.close().catch(() => {}));
  return store;
}

const putOne = (store: WatchStore, id: string | null = null) =>
  store.put(orderOf({ id }), LIMITS, NOW, () => ({ memory: NOTHING_EMITTED, events: [], expiresAt: NOW }));

/** Holds for two replicas on one store, in any engine. */
function describeShared(openBoth: () => Promise<readonly [WatchStore, WatchStore]>): void {
  test('two replicas share their changes in one order, and one limit', async () => {
    const stores = await openBoth();
    const limits = { ...LIMITS, maxTotal: 30 };
    const verdict = { memory: NOTHING_EMITTED, events: [], expiresAt: (NOW + 60) as typeof NOW };
    const created = await Promise.all(
      Array.from({ length: 50 }, (_, i) => stores[i % 2]!.put(orderOf(), limits, NOW, () => verdict)),
    );
    expect(created.filter((one) => one !== null)).toHaveLength(30);
    const [ours, theirs] = await Promise.all(stores.map((store) => store.listChanged(0, 100)));
    expect(ours).toEqual(theirs);
    expect(new Set(ours!.map(({ change }) => change)).size).toBe(30);
  });

  test('of two replicas that judge one watch, only one emits', async () => {
    const [first, second] = await openBoth();
    const verdict = { memory: NOTHING_EMITTED, events: [], expiresAt: (NOW + 60) as typeof NOW };
    const put = await first.put(orderOf(), LIMITS, NOW, () => verdict);
    const judged = [{ watch: put!.watch, verdict: { ...verdict, events: [{ kind: 'delay' as const, text: 'a' }] } }];
    const stored = await Promise.all([first, second].map((store) => store.commit(judged, 0, NOW)));
    expect(stored.flatMap((one) => one ?? []).filter((one) => one !== null)).toHaveLength(1);
  });

  test('of two replicas that record other keys at once, one detects the difference', async () => {
    const stores = await openBoth();
    const found = await Promise.all(
      stores.map((store, i) => store.confirmKeys({ 'watches.vapidKey': `v${i}`, referenceKey: 'r' })),
    );
    expect(found.filter((differing) => differing.length === 0)).toHaveLength(1);
    expect(found).toContainEqual(['watches.vapidKey']);
  });

  test('two replicas that start at once create the tables once', async () => {
    const stores = await openBoth();
    for (const store of stores) expect(await putOne(store)).not.toBeNull();
  });
}

describe('SQLite in a file', () => {
  const fileHere = async () => path.join(await temporaryFolder(), 'deep', 'watches.sqlite');
  describeStore(async () => open(await fileHere(), null));
  describeShared(async () => {
    const file = await fileHere();
    return [await open(file, null), await open(file, null)];
  });

  test('keeps its watches across a restart', async () => {
    const file = await fileHere();
    const store = await open(file, null);
    const put = await putOne(store);
    await store.close();
    expect(await (await open(file, null)).listChanged(0, 10)).toEqual([put!.watch]);
  });

  test('reports a file that cannot be opened', async () => {
    await expect(open('/dev/null/watches.sqlite', null)).rejects.toMatchObject({ code: 'watch_store_failed' });
  });
});

describe('PostgreSQL', () => {
  const server = usePostgres();
  describeStore(async () => open('', await server().createDatabase()));
  describeShared(async () => {
    const url = await server().createDatabase();
    return Promise.all([open('', url), open('', url)]);
  });

  test('fails while the server is away, and recovers when it is back', async () => {
    const store = await open('', await server().createDatabase());
    const put = await putOne(store);
    await server().crash();
    await expect(putOne(store)).rejects.toMatchObject({ code: 'watch_store_failed' });
    await server().restart();
    expect(await store.listChanged(0, 10)).toEqual([put!.watch]);
    expect(await putOne(store)).not.toBeNull();
  });

  test('never reveals its password', async () => {
    const failing = open('', 'postgres://taktgeber:very-secret@127.0.0.1:1/none');
    await expect(failing).rejects.toThrow(expect.not.stringContaining('very-secret'));
  });
});
