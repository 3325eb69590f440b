import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSharedFile, weighShared } from '../../../pipeline/effects/shared-memory.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-shared-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a file in shared memory', () => {
  test.each([0, 1, 4097, 3_000_000])('of %i bytes has the contents of the file', async (length) => {
    const content = randomBytes(length);
    const file = path.join(folder, `${length}`);
    await writeFile(file, content);
    const bytes = await readSharedFile(file);
    expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(Buffer.compare(Buffer.from(bytes), content)).toBe(0);
  });

  test('that does not exist is a system error', async () => {
    await expect(readSharedFile(path.join(folder, 'gone'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test.each([0, 1000, 100_000_000])('%i shared bytes count once for this thread', (bytes) => {
  const buffer: SharedArrayBuffer & { weight?: ArrayBuffer } = new SharedArrayBuffer(bytes);
  weighShared(buffer);
  const { weight } = buffer;
  expect(weight?.byteLength).toBe(bytes);
  weighShared(buffer);
  expect(buffer.weight).toBe(weight);
});
