import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { readManifests } from '../../pipeline/scale-out/iceberg/open-table.ts';
import { readMetadata, type TableFolder } from '../../pipeline/scale-out/iceberg/table-folder.ts';
import { findCurrentSnapshot } from '../../pipeline/scale-out/iceberg/table-metadata.ts';
import { listLakehouseTables, toTableFolder } from '../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { locateTables } from '../../pipeline/scale-out/lakehouse/locate-tables.ts';
import { type S3Server, startS3Server, storeVariables } from '../support/fakes/s3-server.ts';
import { publishDay } from '../support/worlds/marts.ts';
import { runCommand, temporaryFolder } from './fake-world.ts';

let server: S3Server;

beforeEach(async () => {
  server = await startS3Server();
});

afterEach(async () => {
  await server.close();
});

const DAY = '2026-01-15' as ServiceDate;
const OTHER = '2026-01-16' as ServiceDate;
const rows = (trip: string) => [{ trip_id: trip, utc_offset_minutes: 60 }];

function run(dataDir: string, ...argv: string[]) {
  return runWith({}, dataDir, ...argv);
}

function runWith(more: Record<string, string>, dataDir: string, ...argv: string[]) {
  const environment = {
    ...more,
    ...storeVariables(server),
  };
  return runCommand(argv, { dataDir, environment });
}

function tableOf(dataDir: string): TableFolder {
  const table = listLakehouseTables().find(({ definition }) => definition.name === 'stop_events')!;
  return toTableFolder(dataDir, locateTables(null, 's3://taktgeber/test'), table.definition);
}

async function listFiles(table: TableFolder): Promise<string[]> {
  const { metadata } = (await readMetadata(table))!;
  const manifests = await readManifests(table, metadata, findCurrentSnapshot(metadata));
  return manifests.flatMap(({ entries }) => entries.map(({ file }) => file.path)).sort();
}

const keys = (part: string) => [...server.objects.keys()].filter((key) => key.includes(part)).sort();

it('Iceberg tables reference contents of the store, stored once, and any machine can continue them', async () => {
  const [a, b] = [await temporaryFolder(), await temporaryFolder()];
  await publishDay(a, 'live', DAY, rows('one'));
  expect(await run(a, 'store', 'publish')).toMatchObject({ code: 0 });
  const before = keys('objects/');
  expect(await run(a, 'run', 'publish-iceberg')).toMatchObject({ code: 0 });
  // Nothing is stored twice.
  expect(keys('objects/')).toEqual(before);
  const files = await listFiles(tableOf(a));
  expect(files).toHaveLength(1);
  expect(files[0]).toMatch(/^s3:\/\/taktgeber\/test\/objects\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/);
  for (const file of files) expect(server.objects.has(file.replace('s3://taktgeber/', ''))).toBe(true);
  const metadata = 'test/iceberg/lake/stop_events/metadata/';
  expect(keys(metadata)).toContain(`${metadata}v1.metadata.json`);
  expect(server.objects.get(`${metadata}version-hint.text`)?.bytes.toString()).toBe('1');

  await publishDay(b, 'live', OTHER, rows('two'));
  await run(b, 'store', 'publish');
  expect(await run(b, 'run', 'publish-iceberg')).toMatchObject({ code: 0 });
  expect(server.objects.get(`${metadata}version-hint.text`)?.bytes.toString()).toBe('2');
  expect(await listFiles(tableOf(b))).toHaveLength(2);
  expect(await run(a, 'run', 'publish-iceberg', '--exit-code')).toMatchObject({ code: 3 });
  expect(await listFiles(tableOf(a))).toEqual(await listFiles(tableOf(b)));
});

it('expired metadata leave the store; contents that a snapshot needs remain', async () => {
  const a = await temporaryFolder();
  await publishDay(a, 'live', DAY, rows('one'));
  await run(a, 'run', 'publish-iceberg');
  expect(await run(a, 'run', 'expire-iceberg')).toMatchObject({ code: 0 });
  expect(await run(a, 'run', 'collect-objects')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('removed 0'),
  });
  for (const file of await listFiles(tableOf(a)))
    expect(server.objects.has(file.replace('s3://taktgeber/', ''))).toBe(true);
});

it('the history is stored although the tables of the marts could not be published, and they follow', async () => {
  const a = await temporaryFolder();
  for (const date of [DAY, '2026-02-01' as ServiceDate]) await publishDay(a, 'live', date, rows('one'));
  await runCommand(['run', 'build-marts'], { dataDir: a });
  const withTrino = { TAKTGEBER_ENGINE: 'trino', TAKTGEBER_TRINO_URL: 'http://127.0.0.1:9' };
  const isHistoryThere = () => keys('trees/snapshots/history').length > 0;
  server.fault = ({ method, key }) =>
    method === 'PUT' && key.includes('iceberg/marts/') && !isHistoryThere()
      ? { kind: 'status', status: 503, code: 'ServiceUnavailable' }
      : null;
  const range = ['--from', '2026-01-01', '--to', '2026-02-28'];
  const { code, stderr } = await runWith(withTrino, a, 'run', 'build-marts', ...range);
  expect(stderr).toMatch(/; the Iceberg tables of the marts are pending: .*; retrying in 2 s/);
  expect(code).toBe(0);
  expect(keys('iceberg/marts/line_daily/metadata/v1')).toHaveLength(1);
});

it('the command shows differences, and updates the store', async () => {
  const [a, b] = [await temporaryFolder(), await temporaryFolder()];
  await publishDay(a, 'live', DAY, rows('one'));
  const status = await run(a, 'store', 'status');
  expect(status).toMatchObject({ code: 0, stdout: expect.stringMatching(/stop events +2 +0/) });
  expect(await run(a, 'store', 'publish')).toMatchObject({ stdout: expect.stringContaining('published') });
  expect(await run(a, 'store', 'status')).toMatchObject({ stdout: expect.stringMatching(/stop events +0 +0/) });
  expect(await run(b, 'store', 'status')).toMatchObject({ stdout: expect.stringMatching(/stop events +0 +2/) });
  expect(await run(b, 'store', 'fetch')).toMatchObject({ stdout: expect.stringContaining('fetched') });
  expect(await run(b, 'store', 'nothing')).toMatchObject({ code: 2 });
  expect(await runCommand(['store', 'status'], { dataDir: a })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('set store.url'),
  });
  server.fault = () => ({ kind: 'status', status: 403, code: 'AccessDenied' });
  expect(await run(a, 'doctor', '--json')).toMatchObject({ stdout: expect.stringContaining('denies access') });
});
