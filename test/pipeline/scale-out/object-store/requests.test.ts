import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { servedTrees } from '../../../../pipeline/scale-out/object-store/follow-trees.ts';
import { publishTrees } from '../../../../pipeline/scale-out/object-store/publish-trees.ts';
import { memoryObjectStore } from '../../../support/fakes/memory-object-store.ts';
import { storedFolder, writeFiles } from '../../../support/worlds/stored-folder.ts';

const DAY_SECONDS = 86_400;
const folder = 'lake/raw/source=wl/fetch_date=2026-01-15';

/** The numbers of docs/operations.md. */
it('requests of a poller: for a realtime snapshot, and for half a minute of one source', async () => {
  const store = memoryObjectStore();
  const { dataDir, ...rest } = await storedFolder(store);
  const context = { dataDir, ...rest };
  const publishRealtime = async (id: string) => {
    await writeFiles(dataDir, {
      [`snapshots/realtime/${id}.rt`]: id,
      'snapshots/realtime/current.json': `{"id":"${id}"}`,
    });
    await publishTrees(context, { stores: ['realtime snapshots'] });
  };
  const publishAnswers = async (second: number) => {
    for (const one of [0, 10, 20]) {
      const time = String(100_000 + second + one);
      await writeFiles(dataDir, { [`${folder}/${time}-a-00000000.pb.gz`]: time });
      await appendFile(path.join(dataDir, folder, 'answers.ndjson'), `{"n":${time}}\n`);
    }
    await publishTrees(context, { stores: ['raw answers', 'index of raw answers', 'observations', 'predictions'] });
  };
  await publishRealtime('a');
  await publishAnswers(0);
  store.calls.length = 0;
  await publishRealtime('b');
  expect(store.calls.map((call) => call.split(' ')[0]).sort()).toEqual(['get', 'put', 'upload']);
  store.calls.length = 0;
  await publishAnswers(30);
  const counts = { get: 0, put: 0, upload: 0 };
  for (const call of store.calls) counts[call.split(' ')[0] as keyof typeof counts]++;
  // Two trees, read and written; three responses and the index.
  expect(counts).toEqual({ get: 2, put: 2, upload: 4 });
});

it('requests of an API in a day without changes', () => {
  const requests = servedTrees.map(({ everySeconds }) => DAY_SECONDS / everySeconds);
  expect(requests.reduce((sum, one) => sum + one)).toBe(177_120);
});
