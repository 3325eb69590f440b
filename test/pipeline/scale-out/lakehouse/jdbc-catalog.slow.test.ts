import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TableFolder } from '../../../../pipeline/scale-out/iceberg/table-folder.ts';
import { openJdbcCatalog } from '../../../../pipeline/scale-out/lakehouse/jdbc-catalog.ts';
import { listLakehouseTables, toTableFolder } from '../../../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { type LakehouseLocation, locateTables } from '../../../../pipeline/scale-out/lakehouse/locate-tables.ts';
import { publishLakehouseTable } from '../../../../pipeline/scale-out/lakehouse/publish-lakehouse.ts';
import { startPostgres, type TestPostgres } from '../../../support/fakes/embedded-postgres.ts';
import { silentLog, temporaryFolder } from '../../../support/worlds/ingest.ts';
import { publishDay } from '../../../support/worlds/marts.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  const started = await startPostgres();
  if (typeof started === 'string') throw new Error(started);
  postgres = started;
});
afterAll(() => postgres?.stop());

const { definition } = listLakehouseTables().find(({ kind }) => kind === 'stopEvents')!;

async function publish(dataDir: string, rows: number, location: LakehouseLocation = null): Promise<TableFolder> {
  await publishDay(
    dataDir,
    'live',
    '2026-01-15',
    Array.from({ length: rows }, (_, position) => ({ position })),
  );
  const table = listLakehouseTables().find(({ kind }) => kind === 'stopEvents')!;
  await publishLakehouseTable(
    { dataDir, location, now: Date.now, whileUnwritten: (_, task) => task(), onRefused: expect.fail },
    table,
  );
  return toTableFolder(dataDir, location, definition);
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const readEntries = (url: string) => query(url, 'select * from iceberg_tables order by table_name');

const entry = (location: string, version: number, before: number | null) => ({
  catalog_name: 'taktgeber',
  table_namespace: 'lake',
  table_name: 'stop_events',
  metadata_location: `${location}/metadata/v${version}.metadata.json`,
  previous_metadata_location: before === null ? null : `${location}/metadata/v${before}.metadata.json`,
  iceberg_type: 'TABLE',
});

it('an entry names the newest metadata, and never goes back', async () => {
  const url = await postgres.createDatabase();
  const dataDir = await temporaryFolder();
  const catalog = await openJdbcCatalog(url, silentLog);
  await catalog.pointAt(definition, toTableFolder(dataDir, null, definition));
  expect(await readEntries(url)).toEqual([]);
  const table = await publish(dataDir, 1);
  await catalog.pointAt(definition, table);
  await catalog.pointAt(definition, table);
  expect(await readEntries(url)).toEqual([entry(table.location, 1, null)]);
  await publish(dataDir, 2);
  // Concurrent publishers: each reads the newest version, and one of them writes it.
  await Promise.all(Array.from({ length: 6 }, () => catalog.pointAt(definition, table)));
  expect(await readEntries(url)).toEqual([entry(table.location, 2, 1)]);
  // Of a process whose folder is behind.
  const metadata = path.join(table.folder, 'metadata');
  const first = await readFile(path.join(metadata, 'v1.metadata.json'), 'utf8');
  const older: TableFolder = { ...table, folder: await temporaryFolder() };
  await mkdir(path.join(older.folder, 'metadata'));
  await writeFile(path.join(older.folder, 'metadata', 'v1.metadata.json'), first);
  await catalog.pointAt(definition, older);
  expect(await readEntries(url)).toEqual([entry(table.location, 2, 1)]);
  await catalog.close();
});

it.each([
  ['in a folder', null],
  ['in an object store', locateTables(null, 's3://bucket/test')],
])('an entry follows a table that was removed and started again %s', async (_where, location) => {
  const url = await postgres.createDatabase();
  const dataDir = await temporaryFolder();
  const catalog = await openJdbcCatalog(url, silentLog);
  await publish(dataDir, 1, location);
  const table = await publish(dataDir, 2, location);
  await catalog.pointAt(definition, table);
  await rm(table.folder, { recursive: true });
  await publish(dataDir, 3, location);
  await catalog.pointAt(definition, table);
  expect(await readEntries(url)).toEqual([entry(table.location, 1, 2)]);
  await publish(dataDir, 4, location);
  await catalog.pointAt(definition, table);
  expect(await readEntries(url)).toEqual([entry(table.location, 2, 1)]);
  await catalog.close();
});

it('an entry follows a folder that was set back to an earlier state', async () => {
  const url = await postgres.createDatabase();
  const dataDir = await temporaryFolder();
  const catalog = await openJdbcCatalog(url, silentLog);
  for (const rows of [1, 2, 3]) await publish(dataDir, rows);
  const table = toTableFolder(dataDir, null, definition);
  await catalog.pointAt(definition, table);
  const metadata = path.join(table.folder, 'metadata');
  for (const version of [2, 3]) await rm(path.join(metadata, `v${version}.metadata.json`));
  await writeFile(path.join(metadata, 'version-hint.text'), '1');
  await catalog.pointAt(definition, table);
  expect(await readEntries(url)).toEqual([entry(table.location, 1, 3)]);
  await catalog.close();
});

it('a catalog that another engine has initialised in V0 gets the type of its entries', async () => {
  const url = await postgres.createDatabase();
  await query(
    url,
    `create table iceberg_tables (
      catalog_name varchar(255) not null, table_namespace varchar(255) not null, table_name varchar(255) not null,
      metadata_location varchar(1000), previous_metadata_location varchar(1000),
      primary key (catalog_name, table_namespace, table_name))`,
  );
  await query(
    url,
    "insert into iceberg_tables values ('other', 'their', 'table', 's3://other/v1.metadata.json', null)",
  );
  const table = await publish(await temporaryFolder(), 1);
  for (let n = 0; n < 2; n++) {
    const catalog = await openJdbcCatalog(url, silentLog);
    await catalog.pointAt(definition, table);
    await catalog.close();
  }
  expect(await readEntries(url)).toEqual([
    entry(table.location, 1, null),
    expect.objectContaining({ catalog_name: 'other', iceberg_type: null }),
  ]);
});

it('a database that is away fails with a retryable error that names it', async () => {
  await expect(openJdbcCatalog('postgres://nobody@127.0.0.1:9/none', silentLog)).rejects.toMatchObject({
    code: 'iceberg_catalog_store_failed',
    isRetryable: true,
    message: expect.stringContaining('the catalog of the Iceberg tables'),
  });
});
