import { link, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Effects } from '../effects/effects.ts';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { REPLACED_PREFIX, RESTORE_MARK } from './restore-mark.ts';

/** A file of the data folder, kept by a hard link: removing it from the folder does not remove it here. */
export interface CapturedFile {
  /** Below the data folder, with forward slashes. */
  readonly path: string;
  /** Where its bytes are. */
  readonly held: string;
  /** Size when it was captured; a journal may have grown since. */
  readonly bytes: number;
  readonly mode: number;
  readonly modifiedNanoseconds: string;
  readonly inode: string;
}

interface CapturedFolder {
  readonly files: readonly CapturedFile[];
  /** SQLite files below the data folder. */
  readonly databases: readonly string[];
}

/** Ending of the files that SQLite keeps beside a database. */
const DATABASE_PART = /-(wal|shm|journal)$/;

/** Scans before a folder counts as always changing, and the waits between them. */
const MAX_WALKS = 40;
const WAIT_MILLISECONDS = 250;

/** Far deeper than any store; a link to a parent folder would be followed for ever. */
const MAX_DEPTH = 16;

/**
 * Stores that a backup leaves out: work in progress, rejected feeds, demands of serving processes, the realtime snapshot
 * that the poller soon replaces, hard links that `publish-iceberg` creates again, and the record of what the folder shares
 * with an object store. That record changes with each realtime snapshot and would be wrong in a restored folder: files
 * that the backup leaves out would count as removed, and running jobs as killed ones whose results wait.
 */
const LEFT_OUT = [
  /^tmp\//,
  /^rejected\//,
  /^lost\+found\//,
  /^realtime\/demands\//,
  /^iceberg\//,
  /^snapshots\/realtime\//,
  /^state\/object-store\//,
  /^locks\/[^/]+\.lock(\.|$)/,
  /\.[0-9a-f]{12}(\.tmp|\.stale)?$/,
];

/** Stores that grow or change at any instant. Others refer to their files, so these are taken last. */
const INDEPENDENT = [/^lake\/raw\//, /^realtime\//, /^locks\//, /^state\/(deletions|backup)/];

/**
 * Files that grow: their beginning is a state that a crash could have left as well. A journal names answers that an index
 * lists.
 */
const JOURNAL = /^state\/observations\//;
const INDEX = /\.ndjson$/;
const isGrowing = (name: string) => JOURNAL.test(name) || INDEX.test(name);

/**
 * Captures a consistent state of the data folder while it is being written. All files are immutable or replaced by a
 * rename, so two walks that see the same files prove that the first one's were all there at the instant between the two.
 * @param staging an empty folder on the same disk, for links
 * @param isDatabase whether a path is an SQLite file, which is written in place: it is listed, and not captured
 * @returns files and databases, by path
 * @throws ExternalError `backup_unsettled` when the folder changes with every walk
 */
export async function captureFolder(
  dataDir: string,
  staging: string,
  isDatabase: (file: string) => boolean,
  { log, sleep }: Pick<Effects, 'log' | 'sleep'>,
): Promise<CapturedFolder> {
  await mkdir(staging, { recursive: true });
  const holder = { staging, links: new Map<string, string>() };
  let before: CapturedFolder | null = null;
  for (let walk = 1; walk <= MAX_WALKS; walk++) {
    log.progress(`backup: looking at the files, walk ${walk}`);
    const folder = await walkOnce(dataDir, isDatabase, holder);
    if (folder && before && describeState(folder.files) === describeState(before.files)) {
      return { ...folder, files: cutJournals(folder.files, before.files) };
    }
    // What has just been published is likely followed by more: pointers, then deletions.
    if (walk > 2) await sleep(WAIT_MILLISECONDS);
    before = folder;
  }
  const seconds = (MAX_WALKS * WAIT_MILLISECONDS) / 1000;
  throw new ExternalError('backup_unsettled', `${dataDir} kept changing for ${seconds} s. Try again later`, {
    isRetryable: true,
  });
}

/**
 * What journals have grown since the walk before is cut off again: by then they may name an answer that was stored after
 * its folder was looked at.
 */
function cutJournals(files: readonly CapturedFile[], before: readonly CapturedFile[]): CapturedFile[] {
  const sizes = new Map(before.map(({ path: name, inode, bytes }) => [`${name} ${inode}`, bytes]));
  return files.map((file) =>
    JOURNAL.test(file.path) ? { ...file, bytes: sizes.get(`${file.path} ${file.inode}`) ?? 0 } : file,
  );
}

/** Everything but what may change at any instant: equal texts are equal states. */
function describeState(files: readonly CapturedFile[]): string {
  return files
    .filter((file) => !INDEPENDENT.some((pattern) => pattern.test(file.path)))
    .map(({ path: name, inode, bytes, modifiedNanoseconds }) =>
      isGrowing(name) ? `${name} ${inode}` : `${name} ${inode} ${bytes} ${modifiedNanoseconds}`,
    )
    .join('\n');
}

interface Holder {
  readonly staging: string;
  /** Links by inode: a held inode is not given to another file. */
  readonly links: Map<string, string>;
}

/** @returns null when a file or folder vanished under way */
async function walkOnce(
  dataDir: string,
  isDatabase: (file: string) => boolean,
  holder: Holder,
): Promise<CapturedFolder | null> {
  const files: CapturedFile[] = [];
  const databases: string[] = [];
  const walk = async (folder: string, depth: number): Promise<void> => {
    const indexBytes = await measureIndexes(path.join(dataDir, folder));
    const entries = await readdir(path.join(dataDir, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isNoData(entry.name, depth) || LEFT_OUT.some((pattern) => pattern.test(`${name}/`) || pattern.test(name))) {
        continue;
      }
      const facts = await bigStat(path.join(dataDir, name)).catch((error: unknown) => {
        // A symbolic link to nothing holds nothing.
        if (entry.isSymbolicLink() && isSystemError(error, 'ENOENT')) return null;
        throw error;
      });
      if (facts?.isDirectory() && depth < MAX_DEPTH) await walk(name, depth + 1);
      if (!facts?.isFile() || isDatabase(name.replace(DATABASE_PART, ''))) {
        if (facts?.isFile() && !DATABASE_PART.test(name)) databases.push(name);
      } else {
        const file = await hold(dataDir, name, facts, holder);
        files.push(INDEX.test(name) ? { ...file, bytes: indexBytes.get(entry.name) ?? 0 } : file);
      }
    }
  };
  try {
    await walk('', 0);
    return { files, databases };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Sizes of the indexes in a folder, before its files are listed: so far, all that they name is among these. */
async function measureIndexes(folder: string): Promise<ReadonlyMap<string, number>> {
  const names = (await readdir(folder)).filter((name) => INDEX.test(name));
  const measured = names.map(async (name) => [name, (await stat(path.join(folder, name))).size] as const);
  return new Map(await Promise.all(measured));
}

function isNoData(name: string, depth: number): boolean {
  return depth === 0 && (name === RESTORE_MARK || name.startsWith(REPLACED_PREFIX));
}

const bigStat = (file: string) => stat(file, { bigint: true });
type Facts = Awaited<ReturnType<typeof bigStat>>;

async function hold(dataDir: string, name: string, seen: Facts, { staging, links }: Holder): Promise<CapturedFile> {
  let held = links.get(keyOf(seen));
  let facts = seen;
  if (held === undefined) {
    held = path.join(staging, String(links.size));
    try {
      await link(path.join(dataDir, name), held);
      // The file may have been replaced since it was seen: what counts is what is held.
      facts = await bigStat(held);
    } catch (error) {
      // A file of another disk, or a disk without links: it is read where it is.
      if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].some((code) => isSystemError(error, code))) throw error;
      held = path.join(dataDir, name);
    }
    links.set(keyOf(facts), held);
  }
  return {
    path: name,
    held,
    bytes: Number(facts.size),
    mode: Number(facts.mode) & 0o777,
    modifiedNanoseconds: String(facts.mtimeNs),
    inode: String(facts.ino),
  };
}

function keyOf({ dev, ino }: Facts): string {
  return `${dev}-${ino}`;
}
