import { describe, expect, it } from 'vitest';
import { countDays } from '../../../../pipeline/history/stop-events/count-days.ts';
import { findStopEventManifest } from '../../../../pipeline/history/stop-events/stop-event-manifest.ts';
import { type SourceId, toSourceId } from '../../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { listLakehouseTables } from '../../../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { type LakehouseLocation, locateTables } from '../../../../pipeline/scale-out/lakehouse/locate-tables.ts';
import { publishLakehouseTable } from '../../../../pipeline/scale-out/lakehouse/publish-lakehouse.ts';
import { openRemoteMarts } from '../../../../pipeline/scale-out/lakehouse/remote-marts.ts';
import { silentLog, temporaryFolder } from '../../../support/worlds/ingest.ts';
import { publishDay } from '../../../support/worlds/marts.ts';

const date = '2026-01-15' as ServiceDate;
const sources = ['live', 'other'].map(toSourceId);
const trino = { catalog: 'a "lake"', stream: () => expect.fail('asks nothing') };

async function count(dataDir: string): Promise<void> {
  await countDays({ dataDir, settings: { memoryLimit: '256MB', threads: 1 }, from: null, to: null, log: silentLog });
}

async function publish(dataDir: string, location: LakehouseLocation = null): Promise<number> {
  const table = listLakehouseTables().find(({ kind }) => kind === 'stopEvents')!;
  const published = await publishLakehouseTable(
    { dataDir, location, now: Date.now, whileUnwritten: (_, task) => task(), onRefused: expect.fail },
    table,
  );
  return published.snapshotId!;
}

async function listInputs(dataDir: string): Promise<Map<SourceId, string>> {
  const found = sources.map(async (source) => [source, (await findStopEventManifest(dataDir, source, date))!.rowsHash]);
  return new Map((await Promise.all(found)) as [SourceId, string][]);
}

async function find(
  dataDir: string,
  inputs?: Map<SourceId, string>,
  location: LakehouseLocation = null,
): Promise<string> {
  const share = await openRemoteMarts(trino, { dataDir, location, timeLimitSeconds: 1 });
  return share(undefined).findStopEvents(date, inputs ?? (await listInputs(dataDir)));
}

async function openLake(): Promise<string> {
  const dataDir = await temporaryFolder();
  for (const source of sources) await publishDay(dataDir, source, date, [{ trip_id: 't', position: 0 }]);
  await count(dataDir);
  return dataDir;
}

const behind = { code: 'iceberg_behind', isRetryable: true, message: expect.stringContaining('run publish-iceberg') };

it('stop events are read at the table snapshot with the files of the lake', async () => {
  const dataDir = await openLake();
  const id = await publish(dataDir);
  expect(await find(dataDir)).toBe(`"a ""lake"""."lake"."stop_events" for version as of ${id}`);
});

it('rejects a table that does not exist, or has other rows than the manifests', async () => {
  const dataDir = await openLake();
  await expect(find(dataDir)).rejects.toMatchObject(behind);
  await publish(dataDir);
  const before = await listInputs(dataDir);
  await publishDay(dataDir, 'live', date, [{ trip_id: 'another', position: 0 }]);
  await expect(find(dataDir)).rejects.toMatchObject(behind);
  await count(dataDir);
  await publish(dataDir);
  // Planned before the day was replaced.
  await expect(find(dataDir, before)).rejects.toMatchObject(behind);
  await expect(find(dataDir)).resolves.toContain('for version as of');
});

it('rejects a day whose calls are not counted together', async () => {
  const dataDir = await openLake();
  await publishDay(dataDir, 'live', date, [{ trip_id: 'another', position: 0 }]);
  await publish(dataDir);
  await expect(find(dataDir)).rejects.toMatchObject({ ...behind, message: expect.stringContaining('is_counted') });
});

describe('a source without rows on a day', () => {
  it.each([
    ['in an object store', locateTables(null, 's3://bucket/test')],
    ['in a folder', null],
  ])('does not prevent a rebuild of the day, once its former rows have left the table %s', async (_where, location) => {
    const dataDir = await openLake();
    await publishDay(dataDir, 'other', date, [{ trip_id: 'other', position: 0 }]);
    await count(dataDir);
    await publish(dataDir, location);
    await publishDay(dataDir, 'other', date, []);
    await count(dataDir);
    await expect(find(dataDir, undefined, location)).rejects.toMatchObject(behind);
    const id = await publish(dataDir, location);
    expect(await find(dataDir, undefined, location)).toContain(`for version as of ${id}`);
    const before = new Map([...(await listInputs(dataDir)), [toSourceId('other'), 'of other rows']]);
    await expect(find(dataDir, before, location)).rejects.toMatchObject(behind);
  });

  it('leaves a table over content without files, which can be queried', async () => {
    const dataDir = await temporaryFolder();
    for (const source of sources) await publishDay(dataDir, source, date, []);
    await count(dataDir);
    const location = locateTables(null, 's3://bucket/test');
    const id = await publish(dataDir, location);
    expect(await find(dataDir, undefined, location)).toContain(`for version as of ${id}`);
    expect(await publish(dataDir, location)).toBe(id);
  });
});
