import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findJson, writeFileAtomically, writeJsonAtomically } from '../../../pipeline/effects/files.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';

describe('writeFileAtomically', () => {
  it('creates folders, replaces the file, and leaves nothing beside it', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'a', 'b', 'note.txt');
    await writeFileAtomically(file, 'old', 0o600);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await writeFileAtomically(file, Buffer.from('new'));
    expect(await readFile(file, 'utf8')).toBe('new');
    expect(await readdir(path.dirname(file))).toEqual(['note.txt']);
  });

  it('leaves nothing behind after a failure', async () => {
    const folder = await temporaryFolder();
    await writeFileAtomically(path.join(folder, 'note', 'inside.txt'), 'a file where a file is to be');
    await expect(writeFileAtomically(path.join(folder, 'note'), 'new')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['note']);
  });
});

describe('findJson', () => {
  it('reads what was written', async () => {
    const file = path.join(await temporaryFolder(), 'note.json');
    await writeJsonAtomically(file, { name: 'Größe', list: [1, null] });
    expect(await findJson(file)).toEqual({ name: 'Größe', list: [1, null] });
  });

  it('is null for a missing or damaged file', async () => {
    const folder = await temporaryFolder();
    expect(await findJson(path.join(folder, 'none.json'))).toBeNull();
    await writeFile(path.join(folder, 'half.json'), '{"a":');
    expect(await findJson(path.join(folder, 'half.json'))).toBeNull();
    expect(await findJson(folder)).toBeNull();
    expect(await findJson(path.join(folder, 'half.json', 'inside.json'))).toBeNull();
    for (const other of ['null', '[]', '5', '"text"', '']) {
      await writeFile(path.join(folder, 'other.json'), other);
      expect(await findJson(path.join(folder, 'other.json')), other).toBeNull();
    }
  });
});
