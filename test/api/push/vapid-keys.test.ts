import { createECDH } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { getVapidKeys } from '../../../api/push/vapid-keys.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';
import { VAPID_KEY } from './push-cases.ts';

const keyFile = (dataDir: string) => path.join(dataDir, 'secrets', 'vapid-key');

describe('created at the first start', () => {
  test('are readable by this user only, and stay the same', async () => {
    const dataDir = await temporaryFolder();
    const first = await getVapidKeys(null, dataDir);
    expect(await getVapidKeys(null, dataDir)).toEqual(first);
    expect(await readFile(keyFile(dataDir), 'utf8')).toBe(`${first.privateKey}\n`);
    expect((await stat(keyFile(dataDir))).mode & 0o777).toBe(0o600);
    expect(await readdir(path.dirname(keyFile(dataDir)))).toEqual(['vapid-key']);
  });

  test('are a pair of the curve, in the form that browsers expect', async () => {
    const { publicKey, privateKey } = await getVapidKeys(null, await temporaryFolder());
    const curve = createECDH('prime256v1');
    curve.setPrivateKey(privateKey, 'base64url');
    expect(curve.getPublicKey('base64url')).toBe(publicKey);
    expect(publicKey).toMatch(/^B[\w-]{86}$/);
  });

  test('are the same for starts at the same time', async () => {
    const dataDir = await temporaryFolder();
    const keys = await Promise.all(Array.from({ length: 8 }, () => getVapidKeys(null, dataDir)));
    expect(new Set(keys.map(({ privateKey }) => privateKey)).size).toBe(1);
  });
});

test('prefers a configured key, and creates no file', async () => {
  const dataDir = await temporaryFolder();
  expect((await getVapidKeys(VAPID_KEY, dataDir)).privateKey).toBe(VAPID_KEY);
  expect(await readdir(dataDir)).toEqual([]);
});

describe('rejects invalid keys with an explanation', () => {
  test.each([
    ['nothing', ''],
    ['too short', VAPID_KEY.slice(1)],
    ['too long', `${VAPID_KEY}A`],
    ['other characters', `%${VAPID_KEY.slice(1)}`],
    ['zero', Buffer.alloc(32).toString('base64url')],
    ['beyond the order of the curve', Buffer.alloc(32, 0xff).toString('base64url')],
  ])('%s', async (_what, text) => {
    const dataDir = await temporaryFolder();
    await mkdir(path.dirname(keyFile(dataDir)));
    await writeFile(keyFile(dataDir), `${text}\n`);
    const expected = 'is not a private key of the curve P-256 in 43 characters of base64url';
    await expect(getVapidKeys(null, dataDir)).rejects.toMatchObject({
      code: 'bad_vapid_key',
      message: `${keyFile(dataDir)} ${expected}`,
    });
    await expect(getVapidKeys(text, dataDir)).rejects.toMatchObject({
      message: `the configured VAPID key ${expected}`,
    });
  });
});
