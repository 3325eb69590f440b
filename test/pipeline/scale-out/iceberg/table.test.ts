import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { expireTable } from '../../../../pipeline/scale-out/iceberg/expire-table.ts';
import { listTableFiles, readManifestList } from '../../../../pipeline/scale-out/iceberg/open-table.ts';
import { publishTable } from '../../../../pipeline/scale-out/iceberg/publish-table.ts';
import { metadataFolder, readMetadata, type TableFolder } from '../../../../pipeline/scale-out/iceberg/table-folder.ts';
import { findCurrentSnapshot } from '../../../../pipeline/scale-out/iceberg/table-metadata.ts';
import {
  HOUR,
  NOON,
  placeTrips,
  publishTrips,
  readFilesOf,
  readHint,
  tableAt,
  trips,
} from '../../../support/worlds/iceberg-table.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';

async function newTable(): Promise<TableFolder> {
  return tableAt(path.join(await temporaryFolder(), 'iceberg', 'lake', 'trips'));
}

async function readManifestPaths(table: TableFolder): Promise<string[]> {
  const { metadata } = (await readMetadata(table))!;
  return (await readManifestList(table, findCurrentSnapshot(metadata))).map((manifest) => manifest.path);
}

describe('publishing', () => {
  it('creates no table without files', async () => {
    const table = await newTable();
    expect(await publishTrips(table, [])).toEqual({ snapshotId: null, added: 0, removed: 0, isUnchanged: true });
    expect(await readMetadata(table)).toBeNull();
  });

  it('creates a snapshot of new files, and none without changes', async () => {
    const table = await newTable();
    const first = await placeTrips(table, '2026-01-15', 'a', ['t1', 't2']);
    expect(await publishTrips(table, [first])).toMatchObject({ added: 1, removed: 0, isUnchanged: false });
    expect(await publishTrips(table, [first])).toMatchObject({ added: 0, removed: 0, isUnchanged: true });
    const second = await placeTrips(table, '2026-01-16', 'b', ['t3']);
    await publishTrips(table, [first, second]);
    expect(await readFilesOf(table)).toEqual(['a', 'b']);
    expect(await readHint(table)).toBe(2);
    const { metadata } = (await readMetadata(table))!;
    expect(findCurrentSnapshot(metadata)!.summary).toMatchObject({
      operation: 'append',
      'added-data-files': '1',
      'added-records': '1',
      'total-data-files': '2',
      'total-records': '3',
    });
  });

  it('shows a day before its rebuild to readers of the former snapshot, and after it to others', async () => {
    const table = await newTable();
    const [old, other] = [
      await placeTrips(table, '2026-01-15', 'old', ['t1']),
      await placeTrips(table, '2026-01-16', 'o', ['t']),
    ];
    await publishTrips(table, [old, other]);
    const manifests = await readManifestPaths(table);
    const rebuilt = await placeTrips(table, '2026-01-15', 'new', ['t1', 't2']);
    expect(await publishTrips(table, [rebuilt, other])).toMatchObject({ added: 1, removed: 1 });
    expect(await readFilesOf(table, ([former]) => former!)).toEqual(['o', 'old']);
    expect(await readFilesOf(table)).toEqual(['new', 'o']);
    // The manifest of the other day is the same file.
    expect((await readManifestPaths(table)).filter((manifest) => manifests.includes(manifest))).toHaveLength(1);
  });

  it('keeps its files of an unsettled day', async () => {
    const table = await newTable();
    const [old, other] = [
      await placeTrips(table, '2026-01-15', 'old', ['t1']),
      await placeTrips(table, '2026-01-16', 'o', ['t']),
    ];
    await publishTrips(table, [old, other]);
    const half = await placeTrips(table, '2026-01-15', 'half', ['t1']);
    const listFiles = async () => ({ files: [half], unsettled: [half.partition] });
    await publishTable({ table, definition: trips, now: () => NOON, listFiles, onRefused: () => {} });
    expect(await readFilesOf(table)).toEqual(['old']);
  });

  it('excludes a damaged file or one of other types, and names it', async () => {
    const table = await newTable();
    const sound = await placeTrips(table, '2026-01-15', 'sound', ['t1']);
    const broken = await placeTrips(table, '2026-01-16', 'broken', ['t1']);
    await writeFile(path.join(table.folder, broken.name), 'PAR1 and nothing more');
    const refused: string[] = [];
    const definition = { ...trips, columns: { ...trips.columns, delay_seconds: ['VARCHAR', 'Text.'] as const } };
    const request = { table, now: () => NOON, onRefused: (file: string) => refused.push(path.basename(file)) };
    await publishTable({
      ...request,
      definition: trips,
      listFiles: async () => ({ files: [sound, broken], unsettled: [] }),
    });
    expect([await readFilesOf(table), refused]).toEqual([['sound'], ['broken.parquet']]);
    const later = await placeTrips(table, '2026-01-17', 'later', ['t1']);
    const listFiles = async () => ({ files: [sound, later], unsettled: [] });
    await publishTable({ ...request, definition, listFiles });
    expect(refused).toEqual(['broken.parquet', 'sound.parquet', 'later.parquet']);
    expect(await readFilesOf(table)).toEqual([]);
  });

  it('keeps files that fit changed columns, in a new snapshot; they are read once', async () => {
    const table = await newTable();
    const file = await placeTrips(table, '2026-01-15', 'a', ['t1']);
    await publishTrips(table, [file]);
    const manifests = await readManifestPaths(table);
    const { delay_seconds: _, ...others } = trips.columns;
    const definition = { ...trips, columns: { ...others, headsign: ['VARCHAR', 'The destination.'] as const } };
    expect(await publishTrips(table, [file], NOON + 1, definition)).toMatchObject({ added: 0, isUnchanged: false });
    expect([await readFilesOf(table), await readManifestPaths(table)]).toEqual([['a'], manifests]);
    const { metadata } = (await readMetadata(table))!;
    expect(findCurrentSnapshot(metadata)!['schema-id']).toBe(metadata['current-schema-id']);
    // Earlier snapshots have the column.
    expect(JSON.parse(metadata.properties['schema.name-mapping.default']!)).toContainEqual({
      'field-id': 4,
      names: ['delay_seconds'],
    });
    await writeFile(path.join(table.folder, file.name), 'no longer read');
    expect(await publishTrips(table, [file], NOON + 2, definition)).toMatchObject({ isUnchanged: true });
  });

  it('dates a snapshot, and the end of the previous one, by its commit', async () => {
    const table = await newTable();
    await publishTrips(table, [await placeTrips(table, '2026-01-15', 'old', ['t1'])]);
    let now = NOON + 1;
    const listFiles = async () => {
      const files = [await placeTrips(table, '2026-01-15', 'new', ['t1'])];
      now = NOON + HOUR;
      return { files, unsettled: [] };
    };
    await publishTable({ table, definition: trips, now: () => now, listFiles, onRefused: () => {} });
    const { metadata } = (await readMetadata(table))!;
    expect(findCurrentSnapshot(metadata)!['timestamp-ms']).toBe(NOON + HOUR);
    expect(metadata['last-updated-ms']).toBe(NOON + HOUR);
  });

  it('retries on the newer state if another writer was faster, and requests the files again', async () => {
    const table = await newTable();
    const old = await placeTrips(table, '2026-01-15', 'old', ['t1']);
    await publishTrips(table, [old]);
    const rebuilt = await placeTrips(table, '2026-01-15', 'new', ['t1']);
    let requests = 0;
    const listFiles = async () => {
      requests += 1;
      // The other writer commits after this one has read the table.
      if (requests === 1) await publishTrips(table, [rebuilt], NOON + 1);
      return { files: [requests === 1 ? old : rebuilt], unsettled: [] };
    };
    const more = { ...trips, about: 'Changed, so that there is something to commit.' };
    await publishTable({ table, definition: more, now: () => NOON + 2, listFiles, onRefused: () => {} });
    expect(requests).toBe(2);
    expect(await readFilesOf(table)).toEqual(['new']);
    expect(await readHint(table)).toBe(3);
  });

  it('gives up with a reason if others are always faster', async () => {
    const table = await newTable();
    const file = await placeTrips(table, '2026-01-15', 'a', ['t1']);
    let n = 0;
    const listFiles = async () => {
      await publishTrips(table, [file], NOON, { ...trips, about: `Other words, ${n++}.` });
      return { files: [file], unsettled: [] };
    };
    const request = { table, definition: trips, now: () => NOON, listFiles, onRefused: () => {} };
    await expect(publishTable(request)).rejects.toMatchObject({ code: 'commit_lost', isRetryable: true });
  });

  it('repairs the hint that a killed process left behind', async () => {
    const table = await newTable();
    const file = await placeTrips(table, '2026-01-15', 'a', ['t1']);
    await publishTrips(table, [file]);
    await rm(path.join(metadataFolder(table), 'version-hint.text'));
    expect(await publishTrips(table, [file])).toMatchObject({ isUnchanged: true });
    expect(await readHint(table)).toBe(1);
  });

  it.each([
    ['of the newest version', '3'],
    ['of an older one', '1'],
    ['that is damaged', 'three'],
    ['of a version that never existed', '7'],
  ])('is found by a hint %s', async (_of, hint) => {
    const table = await newTable();
    for (const name of ['a', 'b', 'c'])
      await publishTrips(table, [await placeTrips(table, '2026-01-15', name, ['t1'])]);
    await writeFile(path.join(metadataFolder(table), 'version-hint.text'), hint);
    expect(await readMetadata(table)).toMatchObject({ version: 3 });
  });

  it('is found by the names that follow the hint, without listing the folder', async () => {
    const table = await newTable();
    for (const name of ['a', 'b']) await publishTrips(table, [await placeTrips(table, '2026-01-15', name, ['t1'])]);
    // A list would contain it; expiry lists, and removes nothing then.
    await copyFile(
      path.join(metadataFolder(table), 'v2.metadata.json'),
      path.join(metadataFolder(table), 'v9.metadata.json'),
    );
    expect(await readMetadata(table)).toMatchObject({ version: 2 });
    expect(await expireTable({ table, now: NOON, expireBefore: NOON, keep: 1, isDryRun: false })).toBeNull();
  });

  it('starts again at another location, with the ids of its columns', async () => {
    const table = await newTable();
    const file = await placeTrips(table, '2026-01-15', 'a', ['t1']);
    await publishTrips(table, [file]);
    const moved = { ...table, location: 's3://bucket/trips' };
    expect(await listTableFiles(moved)).toEqual([]);
    expect(await publishTrips(moved, [file])).toMatchObject({ added: 1, removed: 0 });
    const { metadata } = (await readMetadata(moved))!;
    expect([metadata.snapshots.length, metadata['metadata-log'], metadata.schemas.length]).toEqual([1, [], 1]);
    const text = await readFile(path.join(metadataFolder(table), 'v2.metadata.json'), 'utf8');
    expect(text).not.toContain('file://');
  });
});

describe('expiry', () => {
  const limits = { isDryRun: false, keep: 1 };

  /** Three states of one day: `a`, an hour later `b`, another hour later `c`. */
  async function threeStates(): Promise<TableFolder> {
    const table = await newTable();
    for (const [i, name] of ['a', 'b', 'c'].entries()) {
      await publishTrips(table, [await placeTrips(table, '2026-01-15', name, [name])], NOON + i * HOUR);
    }
    return table;
  }

  it('removes what only expired snapshots need', async () => {
    const table = await threeStates();
    const now = NOON + 5 * HOUR;
    // The first state was replaced four hours ago, the second one three.
    const expired = await expireTable({ table, now, expireBefore: now - 3.5 * HOUR, ...limits });
    // The file, its manifest, the list, and the metadata of that state.
    expect(expired).toMatchObject({ snapshots: 1, files: 4 });
    const { metadata } = (await readMetadata(table))!;
    expect(metadata.snapshots).toHaveLength(2);
    expect(metadata['snapshot-log']).toHaveLength(2);
    expect(await readFilesOf(table, ([former]) => former!)).toEqual(['b']);
    expect(await readFilesOf(table)).toEqual(['c']);
    expect(await publishTrips(table, [await placeTrips(table, '2026-01-15', 'c', ['c'])], now)).toMatchObject({
      isUnchanged: true,
    });
  });

  it('keeps the current snapshot, and the configured number, however old', async () => {
    const table = await threeStates();
    const now = NOON + 1000 * HOUR;
    expect(await expireTable({ table, now, expireBefore: now, isDryRun: false, keep: 2 })).toMatchObject({
      snapshots: 1,
    });
    expect(await expireTable({ table, now, expireBefore: now, ...limits })).toMatchObject({ snapshots: 1 });
    expect(await readFilesOf(table)).toEqual(['c']);
    expect(await expireTable({ table, now, expireBefore: now, ...limits })).toMatchObject({ snapshots: 0 });
  });

  it('only counts in a dry run', async () => {
    const table = await threeStates();
    const now = NOON + 1000 * HOUR;
    const before = await readdir(table.folder, { recursive: true });
    const counted = await expireTable({ table, now, expireBefore: now, keep: 1, isDryRun: true });
    expect(counted).toMatchObject({ snapshots: 2 });
    expect(counted!.files).toBeGreaterThan(4);
    expect(await readdir(table.folder, { recursive: true })).toEqual(before);
  });

  it.each(['-m0.avro', 'snap-'])('removes nothing if metadata are truncated: %s', async (part) => {
    const table = await newTable();
    for (const file of ['first', 'second'])
      await publishTrips(table, [await placeTrips(table, '2026-01-15', file, ['t'])]);
    const names = (await readdir(metadataFolder(table))).filter((name) => name.includes(part));
    const file = path.join(metadataFolder(table), names[0]!);
    const bytes = await readFile(file);
    for (const length of [0, 3, Math.floor(bytes.length / 2), bytes.length - 16, bytes.length - 1]) {
      await writeFile(file, bytes.subarray(0, length));
      const expired = expireTable({ table, now: NOON + HOUR * 2, expireBefore: 0, keep: 1, isDryRun: false });
      await expect(expired).rejects.toMatchObject({ code: 'table_damaged', message: expect.stringContaining(file) });
    }
    await writeFile(file, bytes);
    expect(await readFilesOf(table, ([former]) => former!)).toEqual(['first']);
    expect(await readFilesOf(table)).toEqual(['second']);
  });

  it('keeps recent unreferenced files: a writer may be about to reference them', async () => {
    const table = await threeStates();
    await placeTrips(table, '2026-01-16', 'young', ['t']);
    const justNow = Date.now();
    expect(await expireTable({ table, now: justNow, expireBefore: 0, ...limits })).toMatchObject({ files: 0 });
    expect(await expireTable({ table, now: justNow + 2 * HOUR, expireBefore: 0, ...limits })).toMatchObject({
      files: 1,
    });
    expect(await readFilesOf(table)).toEqual(['c']);
  });
});
