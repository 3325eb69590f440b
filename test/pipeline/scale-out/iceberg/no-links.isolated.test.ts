import { readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { metadataFolder, readMetadata, type TableFolder } from '../../../../pipeline/scale-out/iceberg/table-folder.ts';
import {
  NOON,
  placeTrips,
  publishTrips,
  readFilesOf,
  readHint,
  tableAt,
} from '../../../support/worlds/iceberg-table.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';

/** A disk without hard links, on which a copy or a rename of metadata can fail. */
const disk = vi.hoisted(() => ({ isFailing: false }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const fail = (code: string) => {
    throw Object.assign(new Error(code), { code });
  };
  const link = async () => fail('EPERM');
  const isMetadata = (file: unknown) => /v\d+\.metadata\.json$/.test(String(file));
  const copyFile = async (...[from, to, mode]: Parameters<typeof real.copyFile>) => {
    if (!disk.isFailing) return real.copyFile(from, to, mode);
    const content = await real.readFile(from);
    await real.writeFile(to, content.subarray(0, content.length / 2));
    fail('ENOSPC');
  };
  const rename = async (...[from, to]: Parameters<typeof real.rename>) =>
    disk.isFailing && isMetadata(to) ? fail('ENOSPC') : real.rename(from, to);
  const mocked = { link, copyFile, rename };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

afterEach(() => {
  disk.isFailing = false;
});

const place = (table: TableFolder, name: string) => placeTrips(table, '2026-01-15', name, ['t1']);

async function openTable(): Promise<TableFolder> {
  const table = tableAt(path.join(await temporaryFolder(), 'trips'));
  await publishTrips(table, [await place(table, 'old')]);
  return table;
}

it('without hard links, a failed commit leaves the newest version readable, and the next one succeeds', async () => {
  const table = await openTable();
  const rebuilt = await place(table, 'new');
  disk.isFailing = true;
  await expect(publishTrips(table, [rebuilt], NOON + 1)).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(await readFilesOf(table)).toEqual(['old']);
  disk.isFailing = false;
  expect(await publishTrips(table, [rebuilt], NOON + 2)).toMatchObject({ added: 1, removed: 1 });
  expect([await readFilesOf(table), await readHint(table)]).toEqual([['new'], 2]);
  const names = await readdir(metadataFolder(table));
  expect(names.filter((name) => name.startsWith('.'))).toEqual([]);
});

it('without hard links, each of several writers gets a separate version', async () => {
  const table = await openTable();
  const files = [await place(table, 'a'), await place(table, 'b')];
  const results = await Promise.allSettled(files.map((file, i) => publishTrips(table, [file], NOON + i)));
  const committed = results.filter(({ status }) => status === 'fulfilled').length;
  expect(committed).toBeGreaterThan(0);
  const names = await readdir(metadataFolder(table));
  expect(names.filter((name) => name.endsWith('.metadata.json'))).toHaveLength(1 + committed);
  expect(await readMetadata(table)).toMatchObject({ version: 1 + committed });
});

it('without hard links, a version is reserved for a writer that is about to take it, until that writer has ended', async () => {
  const table = await openTable();
  const rebuilt = await place(table, 'new');
  const lock = path.join(metadataFolder(table), '.v2.metadata.json.lock');
  await writeFile(lock, '');
  await expect(publishTrips(table, [rebuilt], NOON + 1)).rejects.toMatchObject({ code: 'commit_lost' });
  expect(await readFilesOf(table)).toEqual(['old']);
  const longAgo = Date.now() / 1000 - 120;
  await utimes(lock, longAgo, longAgo);
  expect(await publishTrips(table, [rebuilt], NOON + 2)).toMatchObject({ added: 1, removed: 1 });
  expect(await readFilesOf(table)).toEqual(['new']);
});
