import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../effects/clock.ts';
import { type DuckdbOptions, openDuckdb, sqlPath } from '../../effects/duckdb.ts';
import { listNames, syncFile, syncFolder, writeJsonAtomically } from '../../effects/files.ts';
import type { Log } from '../../effects/log.ts';
import { isSystemError } from '../../effects/world-error.ts';
import { martFile, martsFolder } from '../../lake/paths.ts';
import { isAhead } from '../../model/clock-tolerance.ts';
import { toSourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import {
  ALL_SOURCES,
  findCurrentHistoryId,
  HISTORY_FORMAT_VERSION,
  type HistoryFile,
  type HistoryManifest,
  historyFile,
  historySnapshotsFolder,
  historyTables,
  type PunctualityDefinition,
  readHistoryManifest,
} from './history-contract.ts';

/** A request that began on a replaced snapshot still needs its files, so it is kept for a while. */
const REPLACED_STAYS_MILLISECONDS = 5 * 60_000;

interface PublishHistoryOptions {
  readonly dataDir: string;
  readonly definition: PunctualityDefinition;
  /** Snapshots that are kept on disk, the current one included. */
  readonly keepSnapshots: number;
  readonly duckdb: Pick<DuckdbOptions, 'threads' | 'memoryLimit' | 'signal'>;
}

/**
 * Publishes the current marts as the history snapshot that the api reads: linked aside, renamed, and only then pointed
 * at. Equal marts are the same snapshot, which is not created twice. The caller makes sure that no job writes marts
 * meanwhile.
 * @throws Error when a file of the marts is damaged; the published snapshot is unchanged then
 */
export async function publishHistory(
  { dataDir, definition, keepSnapshots, duckdb }: PublishHistoryOptions,
  effects: { readonly clock: Clock; readonly log: Log },
): Promise<{ id: string; isUnchanged: boolean }> {
  const folder = historySnapshotsFolder(dataDir);
  // A hidden name: it is no snapshot until it is renamed.
  const aside = path.join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
  await mkdir(aside, { recursive: true });
  try {
    const files = await linkMarts(dataDir, aside);
    const id = nameSnapshot(files, definition);
    const before = await findCurrentHistoryId(dataDir);
    const isBuilt = await isComplete(dataDir, id);
    if (isBuilt && before === id) return { id, isUnchanged: true };
    if (!isBuilt) {
      effects.log.progress('publishing the history');
      const createdAt = new Date(effects.clock.nowMilliseconds()).toISOString();
      const facts = await readFacts(aside, files, definition, duckdb);
      const manifest: HistoryManifest = {
        kind: 'history',
        formatVersion: HISTORY_FORMAT_VERSION,
        id,
        createdAt,
        definition,
        ...facts,
        files,
      };
      await writeJsonAtomically(path.join(aside, 'manifest.json'), manifest);
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
async function linkMarts(dataDir: string, aside: string): Promise<HistoryFile[]> {
  const files: HistoryFile[] = [];
  for (const table of historyTables) {
    for (const month of await listMonths(path.join(martsFolder(dataDir), table))) {
      const into = path.join(aside, historyFile({ table, month }));
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

/** Published files are never modified, so a hard link is as good as a copy, and takes no space. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  try {
    await link(from, to);
  } catch (error) {
    // A file system without hard links, or the marts are on another one.
    const isImpossible = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES'].some((code) =>
      isSystemError(error, code),
    );
    if (!isImpossible) throw error;
    await copyFile(from, to);
    await syncFile(to);
  }
  await syncFolder(path.dirname(to));
}

async function measureFile(file: string): Promise<{ bytes: number; hash: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return { bytes: (await stat(file)).size, hash: hash.digest('hex') };
}

function nameSnapshot(files: readonly HistoryFile[], definition: PunctualityDefinition): string {
  const made = files.map(({ table, month, hash }) => [table, month, hash]);
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds } = definition;
  const limits = [onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds];
  const hash = createHash('sha256').update(JSON.stringify([HISTORY_FORMAT_VERSION, limits, made]));
  return hash.digest('hex').slice(0, 16);
}

async function isComplete(dataDir: string, id: string): Promise<boolean> {
  try {
    await readHistoryManifest(dataDir, id);
    return true;
  } catch {
    // Missing, damaged or unreadable: it is created again.
    return false;
  }
}

// ---- Manifest ----------------------------------------------------------------------------------

type Facts = Pick<HistoryManifest, 'sources' | 'isOnlyDefinition' | 'firstDate' | 'lastDate'>;

/** Reads the sources and days of the snapshot. */
async function readFacts(
  aside: string,
  files: readonly HistoryFile[],
  { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds }: PunctualityDefinition,
  options: Pick<DuckdbOptions, 'threads' | 'memoryLimit'>,
): Promise<Facts> {
  const hourly = files.filter(({ table }) => table === 'network_hourly');
  if (hourly.length === 0) return { sources: [], isOnlyDefinition: true, firstDate: null, lastDate: null };
  const list = hourly.map((file) => sqlPath(path.join(aside, historyFile(file)))).join(', ');
  const db = await openDuckdb(options);
  try {
    const rows = await db.query(
      `select
         source,
         min(service_date)::varchar as first_date,
         max(service_date)::varchar as last_date,
         bool_and(
           on_time_max_delay_seconds = $onTimeMaxDelaySeconds
           and late_min_delay_seconds = $lateMinDelaySeconds
           and early_min_seconds = $earlyMinSeconds
           and evidence = 'observed_actual'
         ) as is_only_definition
       from read_parquet([${list}], hive_partitioning = false) group by source order by source`,
      { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds },
    );
    const sources = rows
      .map((row) => String(row.source))
      .filter((source) => source !== ALL_SOURCES)
      .map(toSourceId);
    const dates = (name: string) => rows.map((row) => String(row[name]) as ServiceDate).sort();
    const isOnlyDefinition = rows.every((row) => row.is_only_definition === true);
    return {
      sources,
      isOnlyDefinition,
      firstDate: dates('first_date')[0] ?? null,
      lastDate: dates('last_date').at(-1) ?? null,
    };
  } finally {
    db.close();
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
