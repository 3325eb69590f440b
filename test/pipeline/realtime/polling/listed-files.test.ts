import { expect, it } from 'vitest';
import type { PolledSource } from '../../../../pipeline/realtime/polling/open-sources.ts';
import { type FakeAnswer, fakeSource, virtualWorld } from './virtual-world.ts';

const file = (part: string) => ({ part, url: `https://a.example/${part}` });

/** A source whose answers may list further files. */
function listingSource(intervals: Readonly<Record<string, number>>): PolledSource {
  const polled = fakeSource('a', { parts: { list: intervals.list! } });
  const [request] = polled.source.listRequests(0 as never);
  const toFileRequest = ({ part, url }: { part: string; url: string }) =>
    ({ ...request!, part, url, intervalSeconds: intervals[part]! }) as const;
  return { ...polled, source: { ...polled.source, toFileRequest } };
}

const describeRequested = (requested: readonly { at: number; part: string }[]) =>
  requested.map(({ at, part }) => `${at} ${part}`);

it('requests the files that an answer lists, each at its interval', async () => {
  const world = virtualWorld(({ part }) => (part === 'list' ? { body: { listedFiles: [file('stock')] } } : {}));
  void world.start([listingSource({ list: 100, stock: 30 })]);
  await world.run(65);
  expect(describeRequested(world.requested)).toEqual(['0 list', '0 stock', '30 stock', '60 stock']);
});

it('requests each of them once in a single round', async () => {
  const world = virtualWorld(({ part }) =>
    part === 'list' ? { body: { listedFiles: [file('stock'), file('zones')] } } : {},
  );
  void world.start([listingSource({ list: 100, stock: 30, zones: 30 })], { rounds: 1 });
  await world.run(90);
  expect(describeRequested(world.requested)).toEqual(['0 list', '0 stock', '0 zones']);
});

it('stops requesting files that are no longer listed', async () => {
  const answers: readonly FakeAnswer[] = [{ body: { listedFiles: [file('stock')] } }, { body: { listedFiles: [] } }];
  let lists = 0;
  const world = virtualWorld(({ part }) => (part === 'list' ? answers[Math.min(lists++, 1)]! : {}));
  void world.start([listingSource({ list: 40, stock: 30 })]);
  await world.run(110);
  expect(describeRequested(world.requested)).toEqual(['0 list', '0 stock', '30 stock', '40 list', '80 list']);
});

it('keeps requesting them while the list cannot be fetched', async () => {
  const world = virtualWorld(({ part, at }) => {
    if (part !== 'list') return {};
    return at === 0 ? { body: { listedFiles: [file('stock')] } } : { status: 500 };
  });
  void world.start([listingSource({ list: 40, stock: 30 })]);
  await world.run(70);
  expect(describeRequested(world.requested)).toEqual(['0 list', '0 stock', '30 stock', '40 list', '60 stock']);
});

it('waits for the time to live of an answer', async () => {
  const world = virtualWorld((_, count) => ({ body: { validSeconds: count === 0 ? 70 : 0 } }));
  void world.start([fakeSource('a', { parts: { main: 30 } })]);
  await world.run(140);
  expect(describeRequested(world.requested)).toEqual(['0 main', '70 main', '100 main', '130 main']);
});
