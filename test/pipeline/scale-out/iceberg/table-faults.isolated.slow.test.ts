import { cp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { expireTable } from '../../../../pipeline/scale-out/iceberg/expire-table.ts';
import { readManifests } from '../../../../pipeline/scale-out/iceberg/open-table.ts';
import { metadataFolder, type TableFolder, toPath } from '../../../../pipeline/scale-out/iceberg/table-folder.ts';
import { findCurrentSnapshot, type TableMetadata } from '../../../../pipeline/scale-out/iceberg/table-metadata.ts';
import {
  HOUR,
  NOON,
  placeTrips,
  publishTrips,
  readFilesOf,
  readHint,
  tableAt,
} from '../../../support/worlds/iceberg-table.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';

/** Counts every step that changes the disk; the one that the test selects fails, as on a full disk. */
const disk = vi.hoisted(() => ({
  steps: [] as string[],
  failAt: Number.POSITIVE_INFINITY,
  take(step: string): void {
    this.steps.push(step);
    if (this.steps.length === this.failAt) throw Object.assign(new Error(`ENOSPC: ${step}`), { code: 'ENOSPC' });
  },
}));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const counted =
    <Name extends 'mkdir' | 'rename' | 'rm' | 'link'>(name: Name) =>
    async (...arguments_: Parameters<(typeof real)[Name]>) => {
      disk.take(`${name} ${String(arguments_[0])}`);
      return (real[name] as (...all: unknown[]) => Promise<unknown>)(...arguments_);
    };
  const open = async (...arguments_: Parameters<typeof real.open>) => {
    disk.take(`open ${String(arguments_[0])}`);
    const handle = await real.open(...arguments_);
    const writeFile = handle.writeFile.bind(handle);
    handle.writeFile = async (...content: Parameters<typeof handle.writeFile>) => {
      // A full disk contains the beginning of a file.
      const bytes = Buffer.from(content[0] as string);
      if (disk.steps.length + 1 === disk.failAt) await writeFile(bytes.subarray(0, bytes.length / 2));
      disk.take(`write ${String(arguments_[0])}`);
      return writeFile(...content);
    };
    return handle;
  };
  const mocked = { mkdir: counted('mkdir'), rename: counted('rename'), rm: counted('rm'), link: counted('link'), open };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

afterEach(() => {
  disk.failAt = Number.POSITIVE_INFINITY;
});

const day = '2026-01-15';

/** The version found by a reader that starts at the hint, as engines do; every file exists. */
async function readFromHint(table: TableFolder): Promise<string> {
  const file = path.join(metadataFolder(table), `v${await readHint(table)}.metadata.json`);
  const metadata = JSON.parse(await readFile(file, 'utf8')) as TableMetadata;
  const names: string[] = [];
  for (const { entries } of await readManifests(table, metadata, findCurrentSnapshot(metadata))) {
    for (const { file: data } of entries) {
      await readFile(toPath(table, data.path));
      names.push(path.basename(data.path, '.parquet'));
    }
  }
  return names.sort().join(' ');
}

/** Runs a step as often as it has instructions, with a fault at each of them in turn. */
async function failEverywhere(
  prepared: TableFolder,
  step: (table: TableFolder) => Promise<unknown>,
  afterFault: (table: TableFolder) => Promise<void>,
): Promise<number> {
  const copyTable = async () => {
    const table = { folder: path.join(await temporaryFolder(), 'trips'), location: prepared.location };
    await cp(prepared.folder, table.folder, { recursive: true, preserveTimestamps: true });
    return table;
  };
  const whole = await copyTable();
  disk.steps = [];
  await step(whole);
  const steps = disk.steps.length;
  for (let n = 1; n <= steps; n++) {
    const table = await copyTable();
    disk.steps = [];
    disk.failAt = n;
    await expect(step(table)).rejects.toMatchObject({ code: 'ENOSPC' });
    disk.failAt = Number.POSITIVE_INFINITY;
    await afterFault(table);
    await rm(table.folder, { recursive: true });
  }
  return steps;
}

it('a crash at any step of a commit leaves the day as before or after, and the next run completes it', async () => {
  const table = tableAt(path.join(await temporaryFolder(), 'trips'));
  const other = await placeTrips(table, '2026-01-16', 'other', ['t']);
  await publishTrips(table, [await placeTrips(table, day, 'old', ['t1']), other]);
  const rebuilt = await placeTrips(table, day, 'new', ['t1', 't2']);
  const found = new Set<string>();
  const publish = (one: TableFolder) => publishTrips(one, [rebuilt, other], NOON + HOUR);
  const steps = await failEverywhere(table, publish, async (one) => {
    found.add(await readFromHint(one));
    await publish(one);
    expect(await readFromHint(one)).toBe('new other');
  });
  expect(steps).toBeGreaterThan(10);
  expect([...found].sort()).toEqual(['new other', 'old other'].sort());
});

it('a crash at any step of the expiry keeps every snapshot that remains readable', async () => {
  const table = tableAt(path.join(await temporaryFolder(), 'trips'));
  for (const [i, name] of ['a', 'b', 'c'].entries()) {
    await publishTrips(table, [await placeTrips(table, day, name, [name])], NOON + i * HOUR);
  }
  const expire = (one: TableFolder) =>
    expireTable({ table: one, now: NOON + 9 * HOUR, expireBefore: NOON + 9 * HOUR, keep: 2, isDryRun: false });
  const steps = await failEverywhere(table, expire, async (one) => {
    expect(await readFromHint(one)).toBe('c');
    await expire(one);
    expect(await readFromHint(one)).toBe('c');
    expect(await readFilesOf(one, ([former]) => former!)).toEqual(['b']);
  });
  expect(steps).toBeGreaterThan(8);
});
