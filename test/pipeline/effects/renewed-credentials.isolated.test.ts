import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openS3Store } from '../../../pipeline/effects/object-store/s3-store.ts';
import { startS3Server } from '../../support/fakes/s3-server.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';

const effects = { clock: { nowMilliseconds: () => 0 }, sleep: async () => {}, random: () => 0 };

/** A process with credentials in a file of the AWS tools, and a server that accepts one key. */
async function openWithFile() {
  const server = await startS3Server();
  const file = path.join(await temporaryFolder(), 'credentials');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file);
  vi.stubEnv('AWS_CONFIG_FILE', `${file}.config`);
  for (const name of ['AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });
  let known = 'first';
  server.fault = ({ accessKeyId }) =>
    accessKeyId === known ? null : { kind: 'status', status: 400, code: 'ExpiredToken' };
  const write = (key: string) =>
    writeFile(file, `[default]\naws_access_key_id=${key}\naws_secret_access_key=x\naws_session_token=t\n`);
  const expire = (next: string) => {
    known = next;
    server.requests.length = 0;
  };
  const open = () => openS3Store(server.settings({ accessKeyId: null, secretAccessKey: null }), effects);
  return { server, open, write, expire };
}

it('renewed credentials in their file are used without a restart', async () => {
  const { server, open, write, expire } = await openWithFile();
  await write('first');
  const store = await open();
  await store.put('key', Buffer.from('1'), null);
  expire('second');
  await expect(store.get('key')).rejects.toMatchObject({
    code: 'store_denied',
    message: expect.stringMatching(/renew/),
  });
  expect(server.requests).toHaveLength(2);
  await write('second');
  expect(await store.get('key')).toMatchObject({ bytes: Buffer.from('1') });
  server.requests.length = 0;
  await store.get('key');
  expect(server.requests).toHaveLength(1);
  store.close();
  // A client that the same process opens later, as each job does.
  expire('third');
  await write('third');
  const later = await open();
  expect(await later.get('key')).toMatchObject({ bytes: Buffer.from('1') });
  expect(server.requests).toHaveLength(1);
  later.close();
});
