import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { silentLog } from '../../../pipeline/effects/log.ts';
import type { ObjectStore } from '../../../pipeline/effects/object-store/object-store.ts';
import type { StoreContext } from '../../../pipeline/scale-out/object-store/store-context.ts';
import { temporaryFolder } from './ingest.ts';

/** A data folder of a machine, with its object store. */
export async function storedFolder(store: ObjectStore, warnings: string[] = []): Promise<StoreContext> {
  return {
    store,
    dataDir: await temporaryFolder(),
    concurrency: 3,
    keepGarbageHours: 48,
    effects: {
      clock: { nowMilliseconds: () => Date.now() },
      sleep: async () => {},
      log: { ...silentLog, warn: (sentence) => warnings.push(sentence) },
    },
  };
}

type Files = Readonly<Record<string, string>>;

/** Writes files as a job does: aside, then renamed. Null removes a file. */
export async function writeFiles(dataDir: string, files: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dataDir, name);
    await rm(file, { force: true });
    if (content === null) continue;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** Contents of a data folder, without files that only concern this machine. */
export async function readFiles(dataDir: string, folder = ''): Promise<Files> {
  const files: Record<string, string> = {};
  for (const name of (await readdir(path.join(dataDir, folder))).sort()) {
    const place = folder === '' ? name : `${folder}/${name}`;
    if (place === 'state' || place === 'tmp') continue;
    if ((await stat(path.join(dataDir, place))).isDirectory()) Object.assign(files, await readFiles(dataDir, place));
    else files[place] = await readFile(path.join(dataDir, place), 'utf8');
  }
  return files;
}
