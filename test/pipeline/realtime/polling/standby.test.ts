import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import { readStandby, setStandby } from '../../../../pipeline/realtime/polling/standby.ts';

const NOW = Date.parse('2026-03-02T07:00:00Z');

async function dataFolder(content?: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-standby-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  if (content !== undefined) {
    await mkdir(path.join(folder, 'realtime'));
    await writeFile(path.join(folder, 'realtime', 'standby.json'), content);
  }
  return folder;
}

it('stores a switch for each source, with its start', async () => {
  const dataDir = await dataFolder();
  expect(await readStandby(dataDir)).toEqual({});
  await setStandby(dataDir, toSourceId('a'), true, NOW);
  await setStandby(dataDir, toSourceId('b'), false, NOW + 1000);
  await setStandby(dataDir, toSourceId('a'), true, NOW + 2000);
  expect(await readStandby(dataDir)).toEqual({
    a: { isStandby: true, since: '2026-03-02T07:00:00.000Z' },
    b: { isStandby: false, since: '2026-03-02T07:00:01.000Z' },
  });
});

it.each(['', '{', '[]', 'null', '{"a": true}', '{"a": null}', '{"a": {"isStandby": 1}}'])(
  'rejects %j, and does not change it',
  async (content) => {
    const dataDir = await dataFolder(content);
    await expect(readStandby(dataDir)).rejects.toMatchObject({ code: 'standby_unreadable' });
    await expect(setStandby(dataDir, toSourceId('a'), true, NOW)).rejects.toMatchObject({ code: 'standby_unreadable' });
  },
);
