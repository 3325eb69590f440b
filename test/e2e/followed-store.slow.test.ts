import { expect, onTestFinished, test } from 'vitest';
import { openS3Store } from '../../pipeline/effects/object-store/s3-store.ts';
import { compileProgram } from '../support/fakes/compiled-program.ts';
import { requestOnce } from '../support/fakes/replica-load.ts';
import { prepareReplica } from '../support/fakes/running-replica.ts';
import { startS3Server, storeVariables } from '../support/fakes/s3-server.ts';
import { temporaryFolder } from '../support/worlds/ingest.ts';
import { openPublishingMachine } from '../support/worlds/published-store.ts';

const NOW = Date.parse('2026-03-03T06:30:07Z');
const BOARD = { path: '/v2/stops/at:a/departures' };
/** A failed fetch is retried within half a minute; a busy machine needs longer. */
const SOON = { timeout: 150_000, interval: 100 };

test('replicas on separate machines follow an object store, and keep serving without it', {
  timeout: 600_000,
}, async () => {
  const program = await compileProgram('test/support/fakes/cli-at-another-time.ts');
  const server = await startS3Server();
  onTestFinished(() => server.close());
  const settings = server.settings();
  const effects = { clock: { nowMilliseconds: () => Date.now() }, sleep: async () => {} };
  const machine = await openPublishingMachine(await openS3Store(settings, effects));
  const environment = {
    DEMO_STARTS_AT: new Date(NOW).toISOString(),
    DEMO_SPEED: '0',
    TAKTGEBER_REFERENCE_KEY: 'ab'.repeat(32),
    ...storeVariables(server),
  };
  const prepare = async (name: string) => {
    const replica = await prepareReplica(name, { program, dataDir: await temporaryFolder(), environment });
    onTestFinished(() => replica.signal('SIGKILL'));
    return replica;
  };
  const [x, y] = [await prepare('x'), await prepare('y')];
  await x.start();
  const unready = await fetch(x.readyUrl);
  expect([unready.status, await unready.text()]).toEqual([503, expect.stringContaining('no timetable')]);
  await machine.publishTimetable();
  await expect.poll(async () => (await fetch(x.readyUrl)).status, SOON).toBe(200);
  await y.start();
  const both = () => Promise.all([x, y].map(({ url }) => requestOnce(url, BOARD)));
  const untilBothServe = (id: string) =>
    expect
      .poll(async () => (await both()).map(({ dataVersion }) => dataVersion?.split('.')[1]), SOON)
      .toEqual([id, id]);
  await untilBothServe(await machine.publishDelay(3, NOW));

  server.fault = () => ({ kind: 'status', status: 503, code: 'ServiceUnavailable' });
  y.signal('SIGKILL');
  await y.ended;
  await y.start();
  expect((await both()).map(({ status }) => status)).toEqual([200, 200]);
  await expect.poll(() => x.output(), SOON).toContain('stays as it is');
  expect((await fetch(x.readyUrl)).status).toBe(200);
  server.fault = null;
  await untilBothServe(await machine.publishDelay(4, NOW + 1000));
  await expect.poll(async () => new Set((await both()).map(({ hash }) => hash)).size, SOON).toBe(1);
  expect(server.requests.filter((one) => one.includes('list-type'))).toEqual([]);
});
