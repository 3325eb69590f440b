import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createTemporaryFolderName,
  sweepTemporaryFolders,
  withTemporaryFolder,
} from '../../../pipeline/effects/temporary-folders.ts';
import { compileProgram } from '../../support/fakes/compiled-program.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';

const now = Date.parse('2026-03-16T12:00:00Z');

async function makeFolder(parent: string, name: string, hoursAgo: number): Promise<void> {
  await mkdir(path.join(parent, name, 'spill'), { recursive: true });
  const instant = new Date(now - hoursAgo * 3_600_000);
  await utimes(path.join(parent, name), instant, instant);
}

describe('withTemporaryFolder', () => {
  it('provides an empty folder and removes it, whatever happened', async () => {
    const parent = await temporaryFolder();
    const seen = await withTemporaryFolder(parent, async (folder) => {
      await writeFile(path.join(folder, 'a.txt'), 'a');
      return readdir(parent);
    });
    expect(seen).toHaveLength(1);
    await expect(withTemporaryFolder(parent, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await readdir(parent)).toEqual([]);
  });
});

describe('sweepTemporaryFolders', () => {
  it('removes folders of dead processes, and those of unknown processes after a day', async () => {
    const parent = await temporaryFolder();
    const mine = await createTemporaryFolderName();
    const [host, pid, start, chance] = mine.split('-');
    const earlier = `${host}-${pid}-${Number(start) + 1}-${chance}`;
    const foreign = (of: string) => `${of.repeat(8)}-${pid}-${start}-${chance}`;
    const kept: [name: string, hoursAgo: number][] = [
      [mine, 1000],
      [foreign('0'), 23],
      ['replay-1', 23],
      [foreign('1'), -5],
    ];
    const gone: [name: string, hoursAgo: number][] = [
      // Process ids are reused; the start time distinguishes the two.
      [earlier, 0],
      [foreign('2'), 25],
      ['mhz3k2ab-0123456789ab', 25],
    ];
    for (const [name, hoursAgo] of [...kept, ...gone]) await makeFolder(parent, name, hoursAgo);
    expect(await sweepTemporaryFolders(parent, now)).toEqual([]);
    expect((await readdir(parent)).sort()).toEqual(kept.map(([name]) => name).sort());
    expect(await sweepTemporaryFolders(path.join(parent, 'none'), now)).toEqual([]);
  });

  it('keeps the folder of a living process, and removes it once that is killed', async () => {
    const program = await compileProgram('test/pipeline/effects/temporary-folder-program.ts');
    const parent = path.join(await temporaryFolder(), 'tmp');
    const folders = [await startWorking(program, parent), await startWorking(program, parent)];
    expect(await sweepTemporaryFolders(parent, now)).toEqual([]);
    expect((await readdir(parent)).sort()).toEqual(folders.map(({ name }) => name).sort());
    await kill(folders[0]!.child);
    expect(await readdir(parent)).toHaveLength(2);
    expect(await sweepTemporaryFolders(parent, now)).toEqual([]);
    expect(await readdir(parent)).toEqual([folders[1]!.name]);
  });
});

async function startWorking(program: string, parent: string): Promise<{ child: ChildProcess; name: string }> {
  const notes = await temporaryFolder();
  const watcher = watch(notes);
  const noted = once(watcher, 'change');
  const child = spawn(process.execPath, [program, parent, path.join(notes, 'note')], { stdio: 'inherit' });
  onTestFinished(() => kill(child));
  await noted;
  watcher.close();
  return { child, name: path.basename(await readNote(path.join(notes, 'note'))) };
}

/** The file exists before it has contents. */
async function readNote(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  return text === '' ? new Promise(setImmediate).then(() => readNote(file)) : text;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
