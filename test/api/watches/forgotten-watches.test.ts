import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWatchService } from '../../../api/watches/service/watch-service.ts';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import { watchSchema } from '../../../api/watches/store/watch-schema.ts';
import { REMEMBERED_SECONDS } from '../../../api/watches/store/watch-store.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openSqlite } from '../../../pipeline/effects/sql-store/sqlite-database.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { TEST_KEY } from '../../support/worlds/board-world.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';
import { LIMITS, NOW, orderOf } from './store-cases.ts';

test('a replica that was paused for longer than removed watches are listed drops them as well', async () => {
  const clock = fixedClock(new Date(NOW * 1000).toISOString());
  const store = await openWatchStore({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog });
  onTestFinished(() => store.close());
  const [awake, paused] = [0, 1].map(() =>
    createWatchService({ store, referenceKey: TEST_KEY, limits: LIMITS, clock }),
  );
  const until = (NOW + 100_000) as Instant;
  const removed = await awake!.watch(orderOf(), until);
  const kept = await awake!.watch(orderOf(), until);
  await paused!.tick();
  expect(await paused!.count()).toBe(2);

  await awake!.unwatch(removed!.watchId, 'line', 'anna');
  clock.set(new Date((NOW + REMEMBERED_SECONDS) * 1000).toISOString());
  // A row is deleted with the next watch that ends.
  const short = await awake!.watch(orderOf(), (NOW + REMEMBERED_SECONDS + 1) as Instant);
  clock.set(new Date((NOW + 3 * REMEMBERED_SECONDS) * 1000).toISOString());
  await awake!.tick();
  await paused!.tick();
  expect([await awake!.count(), await paused!.count()]).toEqual([1, 1]);
  expect((await store.listChanged(0, 10)).filter(({ isRemoved }) => !isRemoved).map(({ id }) => id)).toEqual([
    kept!.watchId,
  ]);
  expect(short).not.toBeNull();
});

test('a watch that ends while a replica lists all at its start costs it no other watch', async () => {
  const clock = fixedClock(new Date(NOW * 1000).toISOString());
  const store = await openWatchStore({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog });
  onTestFinished(() => store.close());
  // More than one page.
  const limits = { maxTotal: 5000, maxPerAddress: 5000, maxPerToken: 5000 };
  const first = createWatchService({ store, referenceKey: TEST_KEY, limits, clock });
  const until = (NOW + 100_000) as Instant;
  const { watchId } = (await first.watch(orderOf(), until))!;
  for (let i = 0; i < 4500; i++) await first.watch(orderOf(), until);

  const starting = createWatchService({ store, referenceKey: TEST_KEY, limits, clock });
  const listed = starting.tick();
  await starting.unwatch(watchId, 'line', 'anna');
  await listed;
  await starting.tick();
  expect(await starting.count()).toBe(4500);
});

test('a replica whose store has lost its last transactions reads the current state', async () => {
  const clock = fixedClock(new Date(NOW * 1000).toISOString());
  const file = path.join(await temporaryFolder(), 'watches.sqlite');
  const store = await openWatchStore({ file, postgresUrl: null }, { clock, log: silentLog });
  onTestFinished(() => store.close());
  const [one, two] = [0, 1].map(() => createWatchService({ store, referenceKey: TEST_KEY, limits: LIMITS, clock }));
  const until = (NOW + 100_000) as Instant;
  const first = await one!.watch(orderOf(), until);
  await one!.watch(orderOf(), until);
  const before = await store.listChanged(0, 10);
  await one!.watch(orderOf({ id: first!.watchId }), (until + 1) as Instant);
  await two!.tick();

  // A standby that had not received the last change becomes the primary, and gives its number to another change.
  const database = await openSqlite(file, watchSchema);
  await database.query(`update watch_counters set value = value - 1 where name = 'change'`);
  await database.query('update watches set change = ? where id = ?', [before[0]!.change, first!.watchId]);
  await database.close();
  const other = createWatchService({ store, referenceKey: TEST_KEY, limits: LIMITS, clock });
  await other.watch(orderOf(), until);
  await other.watch(orderOf(), until);
  await two!.tick();
  expect(await two!.count()).toBe(4);
});
