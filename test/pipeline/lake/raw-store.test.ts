import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRaw, listRaw, storeRaw, toFeedVersion } from '../../../pipeline/lake/raw-store.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { parseTimestamp } from '../../../pipeline/model/service-time.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';

const id = toSourceId('test');
const HELLO_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

async function store(dataDir: string, content: string, fetchedAt: string, source = id) {
  const file = path.join(dataDir, 'tmp', 'feed.zip');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  return storeRaw(dataDir, source, file, { location: 'here', fetchedAt: parseTimestamp(fetchedAt)! });
}

describe('the raw store', () => {
  it('names a version by its content', async () => {
    const dataDir = await temporaryFolder();
    const raw = await store(dataDir, 'hello', '2026-03-01T12:00:00Z');
    expect(raw).toMatchObject({
      version: '2cf24dba5fb0a30e',
      facts: {
        source: 'test',
        location: 'here',
        fetchedAt: '2026-03-01T12:00:00.000Z',
        bytes: 5,
        sha256: HELLO_SHA256,
      },
    });
    expect(await readFile(raw.file, 'utf8')).toBe('hello');
  });

  it('keeps content where it was first stored', async () => {
    const dataDir = await temporaryFolder();
    const first = await store(dataDir, 'hello', '2026-03-01T12:00:00Z');
    expect(await store(dataDir, 'hello', '2026-03-05T12:00:00Z')).toEqual(first);
    expect(await listRaw(dataDir, id)).toEqual([first]);
  });

  it('lists the versions of a source, oldest first', async () => {
    const dataDir = await temporaryFolder();
    const late = await store(dataDir, 'late', '2026-03-05T12:00:00Z');
    const early = await store(dataDir, 'early', '2026-03-01T12:00:00Z');
    await store(dataDir, 'of another', '2026-03-01T12:00:00Z', toSourceId('other'));
    expect(await listRaw(dataDir, id)).toEqual([early, late]);
    expect(await findRaw(dataDir, id, early.version)).toEqual(early);
    expect(await findRaw(dataDir, id, toFeedVersion('0'.repeat(64)))).toBeNull();
    expect(await listRaw(dataDir, toSourceId('nobody'))).toEqual([]);
  });
});
