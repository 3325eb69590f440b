import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lakeFolder, martsFolder } from '../../../../pipeline/lake/paths.ts';
import { readManifests } from '../../../../pipeline/scale-out/iceberg/open-table.ts';
import { readMetadata, toPath } from '../../../../pipeline/scale-out/iceberg/table-folder.ts';
import { currentSchema, findCurrentSnapshot } from '../../../../pipeline/scale-out/iceberg/table-metadata.ts';
import {
  type LakehouseTable,
  listLakehouseTables,
  toTableFolder,
} from '../../../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import {
  countDueFiles,
  type LakehouseRequest,
  publishLakehouseTable,
} from '../../../../pipeline/scale-out/lakehouse/publish-lakehouse.ts';

import { NOON } from '../../../support/worlds/iceberg-table.ts';
import { writeObservedTables } from '../../../support/worlds/observed-tables.ts';

let dataDir: string;
const refused: string[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-iceberg-'));
  await writeObservedTables(dataDir);
}, 120_000);

afterAll(() => rm(dataDir, { recursive: true, force: true }));

const request = (): LakehouseRequest => ({
  dataDir,
  location: null,
  now: () => NOON,
  whileUnwritten: (_table, task) => task(),
  onRefused: (file, reason) => refused.push(`${file}: ${reason}`),
});

const tables = listLakehouseTables();

async function readTable({ definition }: LakehouseTable) {
  const table = toTableFolder(dataDir, null, definition);
  const { metadata } = (await readMetadata(table))!;
  const manifests = await readManifests(table, metadata, findCurrentSnapshot(metadata));
  const files = manifests.flatMap(({ entries }) => entries.map(({ file }) => file));
  return { metadata, files, paths: files.map((file) => toPath(table, file.path)) };
}

describe.each(tables.map((table) => [`${table.definition.namespace}.${table.definition.name}`, table] as const))(
  '%s',
  (_name, table) => {
    it('is published once, over the files of the lake', async () => {
      expect(await countDueFiles(request(), table)).toEqual({ added: 1, removed: 0 });
      expect(await publishLakehouseTable(request(), table)).toMatchObject({ added: 1, removed: 0, isUnchanged: false });
      expect(await countDueFiles(request(), table)).toEqual({ added: 0, removed: 0 });
      expect(await publishLakehouseTable(request(), table)).toMatchObject({ isUnchanged: true });
      const { paths } = await readTable(table);
      const { namespace, name } = table.definition;
      const root = path.join(namespace === 'marts' ? martsFolder(dataDir) : lakeFolder(dataDir), name);
      const names = (await readdir(root, { recursive: true })).filter((one) => one.endsWith('.parquet'));
      const inodes = await Promise.all(names.map(async (one) => (await stat(path.join(root, one))).ino));
      expect([(await stat(paths[0]!)).ino]).toEqual(inodes);
    });

    it('has every column with its description, and counts the rows', async () => {
      const { metadata, files } = await readTable(table);
      const { fields } = currentSchema(metadata);
      expect(fields.map(({ name, doc }) => [name, doc])).toEqual(
        Object.entries(table.definition.columns).map(([name, [, about]]) => [name, about]),
      );
      expect(files[0]!.rows).toBeGreaterThan(0);
      expect(files[0]!.columnBytes.size).toBeGreaterThan(3);
    });
  },
);

it('omits no file', () => {
  expect(refused).toEqual([]);
});

it('divides by source and day, or by month', async () => {
  const partitionOf = async (wanted: string) =>
    (await readTable(tables.find(({ definition }) => definition.name === wanted)!)).files[0]!.partition;
  expect(await partitionOf('stop_events')).toEqual(['live', 20_468]);
  expect(await partitionOf('line_daily')).toEqual([672]);
  expect(await partitionOf('worst_connections')).toEqual([672]);
});
