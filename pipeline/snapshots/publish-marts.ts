import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../effects/clock.ts';
import { isSystemError } from '../effects/external-error.ts';
import { findPointedId, listNames, syncFolder, writeJsonAtomically } from '../effects/files.ts';
import { hashFile } from '../effects/hash-file.ts';
import { linkOrCopy } from '../effects/link-file.ts';
import type { Log } from '../effects/log.ts';
import { martFile, martsFolder } from '../lake/paths.ts';
import { isAhead } from '../model/clock-tolerance.ts';
import { type MartFile, type MartSnapshotKind, martSnapshotFile, readMartManifest } from './mart-snapshot.ts';

/** A request that began on a replaced snapshot still needs its files, so it is kept for a while. */
const REPLACED_STAYS_MILLISECONDS = 5 * 60_000;

interface PublishMartsOptions<Table extends string, Facts extends object> {
  readonly dataDir: string;
  readonly kind: MartSnapshotKind;
  /** Where the snapshots of this kind are. */
  readonly folder: string;
  readonly tables: readonly Table[];
  /** What makes a snapshot another one, besides its files. */
  readonly namedBy: unknown;
  /** Snapshots that are kept on disk, the current one included. */
  readonly keepSnapshots: number;
  /** Said while the snapshot is created. */
  readonly progress: string;
  /** Describes the files for the manifest; they are linked in `aside`. */
  describe(aside: string, files: readonly MartFile<Table>[]): Promise<Facts>;
}

export interface PublishedMarts {
  readonly id: string;
  /** Whether it was published before. */
  readonly isUnchanged: boolean;
}

/**
 * Publishes the current files of some marts as a snapshot that the api reads: linked aside, renamed, and only then
 * pointed at. Equal marts are the same snapshot, which is not created twice. The caller makes sure that no job writes
 * these marts meanwhile.
 * @throws Error when a file of the marts is damaged; the published snapshot is unchanged then
 */
export async function publishMarts<Table extends string, Facts extends object>(
  { dataDir, kind, folder, tables, namedBy, keepSnapshots, progress, describe }: PublishMartsOptions<Table, Facts>,
  effects: { readonly clock: Clock; readonly log: Log },
): Promise<PublishedMarts> {
  // A hidden name: readers ignore it until it is renamed.
  const aside = path.join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
  await mkdir(aside, { recursive: true });
  try {
    const files = await linkMarts(dataDir, aside, tables);
    const id = nameSnapshot(files, [kind.formatVersion, namedBy]);
    const before = await findPointedId(path.join(folder, 'current.json'));
    const isBuilt = await isComplete(folder, id, kind);
    if (isBuilt && before === id) return { id, isUnchanged: true };
    if (!isBuilt) {
      effects.log.progress(progress);
      const createdAt = new Date(effects.clock.nowMilliseconds()).toISOString();
      const facts = await describe(aside, files);
      const { kind: name, formatVersion } = kind;
      await writeJsonAtomically(path.join(aside, 'manifest.json'), {
        kind: name,
        formatVersion,
        id,
        createdAt,
        ...facts,
        files,
      });
      await rm(path.join(folder, id), { recursive: true, force: true });
      await rename(aside, path.join(folder, id));
      await syncFolder(folder);
    }
    await writeJsonAtomically(path.join(folder, 'current.json'), { id });
    const now = effects.clock.nowMilliseconds();
    if (before !== null && before !== id) await noteReplaced(path.join(folder, before), now);
    await dropOldSnapshots(folder, id, keepSnapshots, now);
    return { id, isUnchanged: false };
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

// ---- Files -------------------------------------------------------------------------------------

/** Linked before they are read, so that a file replaced later does not matter. */
async function linkMarts<Table extends string>(
  dataDir: string,
  aside: string,
  tables: readonly Table[],
): Promise<MartFile<Table>[]> {
  const files: MartFile<Table>[] = [];
  for (const table of tables) {
    for (const month of await listMonths(path.join(martsFolder(dataDir), table))) {
      const into = path.join(aside, martSnapshotFile({ table, month }));
      await mkdir(path.dirname(into), { recursive: true });
      await linkOrCopy(martFile(dataDir, table, month), into);
      files.push({ table, month, ...(await measureFile(into)) });
    }
  }
  return files;
}

async function listMonths(folder: string): Promise<string[]> {
  const names = await listNames(folder);
  return names.flatMap((name) => /^month=(\d{4}-\d{2})$/.exec(name)?.[1] ?? []).sort();
}

async function measureFile(file: string): Promise<{ bytes: number; hash: string }> {
  return { bytes: (await stat(file)).size, hash: await hashFile(file) };
}

function nameSnapshot(
  files: readonly MartFile<string>[],
  [formatVersion, namedBy]: readonly [number, unknown],
): string {
  const made = files.map(({ table, month, hash }) => [table, month, hash]);
  const hash = createHash('sha256').update(JSON.stringify([formatVersion, namedBy, made]));
  return hash.digest('hex').slice(0, 16);
}

async function isComplete(folder: string, id: string, kind: MartSnapshotKind): Promise<boolean> {
  try {
    await readMartManifest(folder, id, kind);
    return true;
  } catch {
    // Missing, damaged or unreadable: it is created again.
    return false;
  }
}

// ---- Removal -----------------------------------------------------------------------------------

/** The modification time of a snapshot's folder records when it was replaced. */
async function noteReplaced(folder: string, now: number): Promise<void> {
  try {
    await utimes(folder, now / 1000, now / 1000);
  } catch (error) {
    // The previous one may be removed already: then there is nothing to keep.
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}

/** Keeps the newest snapshots and those replaced recently; leftovers of a crash are removed at the same age. */
async function dropOldSnapshots(folder: string, currentId: string, keep: number, now: number): Promise<void> {
  const others: { name: string; time: number }[] = [];
  for (const name of await readdir(folder)) {
    if (name === currentId || name.endsWith('.json')) continue;
    const time = (await stat(path.join(folder, name))).mtimeMs;
    // Dated by a clock that was ahead: it would be kept until then, so it is dated as replaced now.
    if (isAhead(time / 1000, now / 1000)) await noteReplaced(path.join(folder, name), now);
    others.push({ name, time: Math.min(time, now) });
  }
  others.sort((a, b) => b.time - a.time);
  const isHalfWritten = (name: string) => name.startsWith('.') || name.endsWith('.tmp');
  const kept = others
    .filter(({ name }) => !isHalfWritten(name))
    .slice(0, keep - 1)
    .map(({ name }) => name);
  const old = others.filter(({ name, time }) => !kept.includes(name) && now - time > REPLACED_STAYS_MILLISECONDS);
  for (const { name } of old) await rm(path.join(folder, name), { recursive: true, force: true });
}
