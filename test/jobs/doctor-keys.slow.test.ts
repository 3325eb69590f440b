import { expect, it, onTestFinished } from 'vitest';
import { fingerprint } from '../../api/shared-keys.ts';
import { openWatchStore } from '../../api/watches/store/sql-store.ts';
import type { Finding } from '../../jobs/doctor/finding.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { vapidKeys } from '../api/push/push-cases.ts';
import { usePostgres } from '../support/fakes/use-postgres.ts';
import { silentLog } from '../support/worlds/ingest.ts';
import { runCommand, temporaryFolder } from './fake-world.ts';

const server = usePostgres();

it('doctor names a key that differs from that of other replicas', async () => {
  const postgresUrl = await server().createDatabase();
  const examine = async (vapidKey?: string) => {
    const environment = {
      TAKTGEBER_WATCHES_POSTGRES_URL: postgresUrl,
      ...(vapidKey && { TAKTGEBER_WATCHES_VAPID_KEY: vapidKey }),
    };
    const setting = { dataDir: await temporaryFolder(), environment };
    const { stdout } = await runCommand(['doctor', '--json', '--port', '0'], setting);
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
    return findings.find(({ about }) => about === 'keys of replicas')?.sentence;
  };
  const other = Buffer.alloc(32, 9).toString('base64url');
  // Before the first replica there are no tables.
  expect(await examine(other)).toBeUndefined();
  const store = await openWatchStore({ file: '', postgresUrl }, { clock: systemClock, log: silentLog });
  onTestFinished(() => store.close());
  await store.confirmKeys({ 'watches.vapidKey': fingerprint(vapidKeys.publicKey), referenceKey: 'r' });
  expect(await examine(vapidKeys.privateKey)).toBeUndefined();
  expect(await examine(other)).toMatch(/^watches\.vapidKey differs from the replicas/);
  // A machine that does not serve has none.
  expect(await examine()).toBeUndefined();
});
