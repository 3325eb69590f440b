import { expect, it } from 'vitest';
import { fixedClock } from '../../../../pipeline/effects/clock.ts';
import { readMetadata } from '../../../../pipeline/scale-out/iceberg/table-folder.ts';
import { findCurrentSnapshot } from '../../../../pipeline/scale-out/iceberg/table-metadata.ts';
import { listLakehouseTables, toTableFolder } from '../../../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { type LakehouseLocation, locateTables } from '../../../../pipeline/scale-out/lakehouse/locate-tables.ts';
import { countDueFiles, publishLakehouseTable } from '../../../../pipeline/scale-out/lakehouse/publish-lakehouse.ts';
import { type HistoryFile, readHistoryManifest } from '../../../../pipeline/snapshots/history-contract.ts';
import { MART_CONTENT, nameMartContent } from '../../../../pipeline/snapshots/mart-content.ts';
import { publishHistory } from '../../../../pipeline/snapshots/publish-history.ts';
import { silentLog, temporaryFolder } from '../../../support/worlds/ingest.ts';
import { build, limits, publishDay } from '../../../support/worlds/marts.ts';

async function publishAsHistory(dataDir: string): Promise<readonly HistoryFile[]> {
  const duckdb = { threads: 1, memoryLimit: '256MB' };
  const options = { dataDir, definition: limits, keepSnapshots: 1, duckdb };
  const { id } = await publishHistory(options, { clock: fixedClock('2026-03-01T12:00:00.000Z'), log: silentLog });
  return (await readHistoryManifest(dataDir, id)).files;
}

/** Publishes the Iceberg table of a mart, and reads the name from its snapshot. */
async function nameTable(dataDir: string, location: LakehouseLocation, mart: string): Promise<string | undefined> {
  const table = listLakehouseTables().find(({ definition }) => definition.name === mart)!;
  const whileUnwritten = <Result>(_: unknown, task: () => Promise<Result>) => task();
  const request = { dataDir, location, now: Date.now, whileUnwritten, onRefused: expect.fail };
  await publishLakehouseTable(request, table);
  expect(await publishLakehouseTable(request, table)).toMatchObject({ isUnchanged: true });
  expect(await countDueFiles(request, table)).toEqual({ added: 0, removed: 0 });
  const stored = await readMetadata(toTableFolder(dataDir, location, table.definition));
  return stored ? findCurrentSnapshot(stored.metadata)?.summary[MART_CONTENT] : undefined;
}

it.each([
  ['in an object store', locateTables(null, 's3://bucket/test')],
  ['in a folder', null],
])(
  'tables of marts %s are named as in the history, including those with months without rows',
  async (_where, location) => {
    const dataDir = await temporaryFolder();
    const months: string[] = [];
    // The following months have no rows.
    for (const rows of [1, 0, 0]) {
      const month = `2026-0${months.length + 1}`;
      months.push(month);
      const trips = Array.from({ length: rows }, () => ({ trip_id: 'a', utc_offset_minutes: 60 }));
      await publishDay(dataDir, 'live', `${month}-15`, trips);
      await build(dataDir);
      const history = await publishAsHistory(dataDir);
      expect([...new Set(history.map((file) => file.month))].sort()).toEqual(months);
      for (const mart of new Set(history.map(({ table }) => table))) {
        const wanted = nameMartContent(history.filter(({ table }) => table === mart));
        expect([mart, month, await nameTable(dataDir, location, mart)]).toEqual([mart, month, wanted]);
      }
    }
  },
);
