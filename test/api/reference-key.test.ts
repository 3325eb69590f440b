import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { getReferenceKey } from '../../api/reference-key.ts';
import { temporaryFolder } from '../support/worlds/ingest.ts';

const KEY = '0123456789abcdefABCDEF0123456789'.repeat(2);
const keyFile = (dataDir: string) => path.join(dataDir, 'secrets', 'reference-key');
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex');

describe('a generated key', () => {
  test('stays the same', async () => {
    const dataDir = await temporaryFolder();
    const first = await getReferenceKey(null, dataDir);
    expect(first).toHaveLength(32);
    expect(hex(await getReferenceKey(null, dataDir))).toBe(hex(first));
    expect(await readFile(keyFile(dataDir), 'utf8')).toBe(`${hex(first)}\n`);
  });

  test('differs for every data folder', async () => {
    const keys = await Promise.all(
      Array.from({ length: 5 }, async () => hex(await getReferenceKey(null, await temporaryFolder()))),
    );
    expect(new Set(keys).size).toBe(5);
  });

  test('is readable only for this user, whatever the umask', async () => {
    const dataDir = await temporaryFolder();
    const before = process.umask(0);
    try {
      await getReferenceKey(null, dataDir);
    } finally {
      process.umask(before);
    }
    expect((await stat(keyFile(dataDir))).mode & 0o777).toBe(0o600);
  });

  test('is the same for concurrent starts, which leave no other files', async () => {
    const dataDir = await temporaryFolder();
    const keys = await Promise.all(Array.from({ length: 12 }, () => getReferenceKey(null, dataDir)));
    expect(new Set(keys.map(hex)).size).toBe(1);
    expect(await readdir(path.join(dataDir, 'secrets'))).toEqual(['reference-key']);
  });
});

describe('a configured key', () => {
  test('is used, and no file is created', async () => {
    const dataDir = await temporaryFolder();
    expect(hex(await getReferenceKey(KEY, dataDir))).toBe(KEY.toLowerCase());
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('takes precedence over the file, which is kept', async () => {
    const dataDir = await temporaryFolder();
    const made = await getReferenceKey(null, dataDir);
    expect(hex(await getReferenceKey(KEY, dataDir))).toBe(KEY.toLowerCase());
    expect(hex(await getReferenceKey(null, dataDir))).toBe(hex(made));
  });
});

describe('an invalid key is refused', () => {
  const wrong = [
    ['nothing', ''],
    ['too short', KEY.slice(1)],
    ['too long', `${KEY}0`],
    ['a key and more', `${KEY} and more`],
    ['not hexadecimal', `g${KEY.slice(1)}`],
  ] as const;

  test.each(wrong)('in the configuration: %s', async (_what, text) => {
    const dataDir = await temporaryFolder();
    await expect(getReferenceKey(text, dataDir)).rejects.toMatchObject({
      code: 'bad_reference_key',
      message: 'the configured reference key is not 64 hexadecimal characters',
    });
  });

  test.each(wrong)('in the file: %s, which is kept', async (_what, text) => {
    const dataDir = await temporaryFolder();
    await mkdir(path.dirname(keyFile(dataDir)));
    await writeFile(keyFile(dataDir), `${text}\n`);
    await expect(getReferenceKey(null, dataDir)).rejects.toMatchObject({
      code: 'bad_reference_key',
      message: `${keyFile(dataDir)} is not 64 hexadecimal characters`,
    });
    expect(await readFile(keyFile(dataDir), 'utf8')).toBe(`${text}\n`);
  });

  test('without repeating its text, which may be most of a key', async () => {
    await expect(getReferenceKey(KEY.slice(1), '')).rejects.not.toThrow(KEY.slice(1, 20));
  });
});

test('reports a file at the path of the secrets folder in one sentence', async () => {
  const dataDir = await temporaryFolder();
  await writeFile(path.join(dataDir, 'secrets'), 'a file where a folder should be');
  await expect(getReferenceKey(null, dataDir)).rejects.toMatchObject({ code: 'bad_reference_key' });
});
