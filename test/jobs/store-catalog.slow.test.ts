import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { startPostgres, type TestPostgres } from '../support/fakes/embedded-postgres.ts';
import { type S3Server, startS3Server, storeVariables } from '../support/fakes/s3-server.ts';
import { publishDay } from '../support/worlds/marts.ts';
import { runCommand, temporaryFolder } from './fake-world.ts';

let postgres: TestPostgres;
let database: string;
let server: S3Server;

beforeAll(async () => {
  const started = await startPostgres();
  if (typeof started === 'string') throw new Error(started);
  postgres = started;
});
afterAll(() => postgres?.stop());

beforeEach(async () => {
  database = await postgres.createDatabase();
  server = await startS3Server();
});
afterEach(() => server.close());

const rows = (trip: string) => [{ trip_id: trip, utc_offset_minutes: 60 }];
const METADATA = 's3://taktgeber/test/iceberg/lake/stop_events/metadata';

function publishIceberg(dataDir: string) {
  const environment = {
    ...storeVariables(server),
    TAKTGEBER_STORE_RETRY_SECONDS: '0',
    TAKTGEBER_ICEBERG_CATALOG_POSTGRES_URL: database,
  };
  return runCommand(['run', 'publish-iceberg'], { dataDir, environment });
}

/** The location of the stop events in the catalog; null: none. */
async function findLocation(): Promise<string | null> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const found = await client.query("select metadata_location from iceberg_tables where table_name = 'stop_events'");
    return found.rows[0]?.metadata_location ?? null;
  } finally {
    await client.end();
  }
}

const isStored = (location: string) => server.objects.has(location.replace('s3://taktgeber/', ''));

it('the catalog names metadata in the object store, and none that is missing', async () => {
  const dataDir = await temporaryFolder();
  await publishDay(dataDir, 'live', '2026-01-15' as ServiceDate, rows('one'));
  expect(await publishIceberg(dataDir)).toMatchObject({ code: 0 });
  expect(await findLocation()).toBe(`${METADATA}/v1.metadata.json`);
  expect(isStored(`${METADATA}/v1.metadata.json`)).toBe(true);

  await publishDay(dataDir, 'live', '2026-01-16' as ServiceDate, rows('two'));
  server.fault = ({ method, key }) =>
    method === 'PUT' && key.endsWith('v2.metadata.json')
      ? { kind: 'status', status: 503, code: 'ServiceUnavailable' }
      : null;
  expect(await publishIceberg(dataDir)).toMatchObject({ code: 1 });
  expect(await findLocation()).toBe(`${METADATA}/v1.metadata.json`);

  server.fault = () => null;
  expect(await publishIceberg(dataDir)).toMatchObject({ code: 0 });
  expect(await findLocation()).toBe(`${METADATA}/v2.metadata.json`);
  expect(isStored(`${METADATA}/v2.metadata.json`)).toBe(true);
});
