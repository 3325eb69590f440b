import { expect, test } from 'vitest';
import { getVapidKeys } from '../../api/push/vapid-keys.ts';
import { temporaryFolder } from '../support/worlds/ingest.ts';
import { runCommand } from './fake-world.ts';

test('push-key prints the public key of the service, and creates the key if there is none', async () => {
  const dataDir = await temporaryFolder();
  const { code, stdout, stderr } = await runCommand(['push-key'], { dataDir });
  const { publicKey } = await getVapidKeys(null, dataDir);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${publicKey}\n`, stderr: '' });
});

test('push-key prints that of a configured key, and never a private one', async () => {
  const dataDir = await temporaryFolder();
  const key = Buffer.alloc(32, 9).toString('base64url');
  const { publicKey } = await getVapidKeys(key, dataDir);
  const given = await runCommand(['push-key'], { dataDir, environment: { TAKTGEBER_WATCHES_VAPID_KEY: key } });
  expect(given).toEqual({ code: 0, stdout: `${publicKey}\n`, stderr: '' });
  const zero = Buffer.alloc(32).toString('base64url');
  const refused = await runCommand(['push-key'], { dataDir, environment: { TAKTGEBER_WATCHES_VAPID_KEY: zero } });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).not.toContain(zero);
});
