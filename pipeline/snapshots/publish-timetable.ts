import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../effects/clock.ts';
import { syncFolder, writeJsonAtomically } from '../effects/files.ts';
import type { Log } from '../effects/log.ts';
import { readProjectFile } from '../effects/project-files.ts';
import { WorldError } from '../effects/world-error.ts';
import type { FeedManifest } from '../lake/feed-manifest.ts';
import { localDate, parseTimestamp, type ServiceDate } from '../model/service-time.ts';
import type { WalkRouter } from '../streets/walk-router.ts';
import { readPublished, writeArrowTable } from './arrow-table.ts';
import type { ColumnsOf, FileFacts, TableShape } from './column.ts';
import { TIMETABLE_FORMAT_VERSION, type TimetableManifest, type TimetableTables, timetableTables } from './contract.ts';
import { type BuildSettings, buildTimetable } from './timetable/build-timetable.ts';
import { checkTimetable } from './timetable/check-timetable.ts';
import { parsePlaces } from './timetable/places.ts';
import {
  findCurrentTimetableId,
  readTimetableManifest,
  readTimetableSnapshot,
  tableFile,
  timetableSnapshotsFolder,
} from './timetable-files.ts';

/** To be raised with every change of how tables are built from the lake. */
export const BUILD_RULES_VERSION = 1;

const PLACES = 'data/lookups/places.csv';

export interface PublishSettings extends BuildSettings {
  /** Snapshots that stay on disk, the current one included. */
  readonly keepSnapshots: number;
}

/**
 * Builds the snapshot of some feeds and makes it the current one: written aside, read back and checked, renamed, and
 * only then pointed at. The same feeds under the same rules are the same snapshot, which is not built twice.
 * @param effects `walks` measures ways between stops; without it they are the straight line and a third of it
 * @throws WorldError `timetable_unusable` when no trip of any feed ever runs
 */
export async function publishTimetable(
  feeds: readonly FeedManifest[],
  dataDir: string,
  settings: PublishSettings,
  effects: { clock: Clock; log: Log; walks?: WalkRouter | null },
): Promise<{ id: string; isUnchanged: boolean }> {
  const placesText = await readProjectFile(PLACES);
  const walks = effects.walks ?? null;
  const id = nameSnapshot(feeds, placesText, walks);
  const isBuilt = await isComplete(dataDir, id);
  if (isBuilt && (await findCurrentTimetableId(dataDir)) === id) return { id, isUnchanged: true };
  const folder = timetableSnapshotsFolder(dataDir);
  if (!isBuilt) {
    effects.log.progress('building the snapshot');
    const period = findPeriod(feeds);
    const tables = await buildTimetable(feeds, dataDir, parsePlaces(placesText), settings, { ...effects, walks });
    await writeSnapshot(dataDir, id, tables, { feeds, period, createdAt: effects.clock.nowMilliseconds() });
  }
  await writeJsonAtomically(path.join(folder, 'current.json'), { id });
  await dropOldSnapshots(folder, id, settings.keepSnapshots);
  return { id, isUnchanged: false };
}

/**
 * Builds the tables of one feed alone, and forgets them.
 * @throws what building or checking them throws
 */
export async function assertBuildable(
  feed: FeedManifest,
  dataDir: string,
  settings: PublishSettings,
  effects: { log: Log; walks?: WalkRouter | null },
): Promise<void> {
  effects.log.progress(`${feed.sourceId}: building it alone`);
  findPeriod([feed]);
  const places = parsePlaces(await readProjectFile(PLACES));
  checkTimetable(await buildTimetable([feed], dataDir, places, settings, { ...effects, walks: effects.walks ?? null }));
}

function nameSnapshot(feeds: readonly FeedManifest[], placesText: string, walks: WalkRouter | null): string {
  const inputs = feeds.map((feed) => [feed.sourceId, feed.feedVersion, feed.rulesVersion]);
  const made = [TIMETABLE_FORMAT_VERSION, BUILD_RULES_VERSION, inputs, walks?.id ?? null];
  const hash = createHash('sha256').update(JSON.stringify(made));
  return hash.update(placesText).digest('hex').slice(0, 16);
}

async function isComplete(dataDir: string, id: string): Promise<boolean> {
  try {
    const { files } = await readTimetableManifest(dataDir, id);
    const folder = path.join(timetableSnapshotsFolder(dataDir), id);
    for (const [file, facts] of Object.entries(files)) await readPublished(path.join(folder, file), facts);
    return true;
  } catch {
    // Whatever is missing, damaged or unreadable: it is built again.
    return false;
  }
}

interface Description {
  readonly feeds: readonly FeedManifest[];
  readonly period: { begin: ServiceDate; end: ServiceDate };
  readonly createdAt: number;
}

async function writeSnapshot(dataDir: string, id: string, tables: TimetableTables, about: Description): Promise<void> {
  const folder = timetableSnapshotsFolder(dataDir);
  // A hidden name: it is no snapshot until it is renamed.
  const asideId = `.${id}.${randomBytes(6).toString('hex')}.tmp`;
  const aside = path.join(folder, asideId);
  await mkdir(aside, { recursive: true });
  try {
    const files: Record<string, FileFacts> = {};
    const rows: Record<string, number> = {};
    for (const name of Object.keys(timetableTables) as (keyof typeof timetableTables)[]) {
      const shape: TableShape = timetableTables[name];
      const columns = tables[name] as ColumnsOf<TableShape>;
      files[tableFile(name)] = await writeArrowTable(path.join(aside, tableFile(name)), shape, columns);
      rows[name] = Object.values(columns)[0]!.length;
    }
    await writeJsonAtomically(path.join(aside, 'manifest.json'), describe(id, about, rows, files));
    checkTimetable((await readTimetableSnapshot(dataDir, asideId)).tables);
    await syncFolder(aside);
    await rm(path.join(folder, id), { recursive: true, force: true });
    await rename(aside, path.join(folder, id));
    await syncFolder(folder);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw error;
  }
}

function describe(
  id: string,
  { feeds, period, createdAt }: Description,
  rows: Record<string, number>,
  files: Record<string, FileFacts>,
): TimetableManifest {
  const newest = feeds
    .map((feed) => feed.raw.fetchedAt)
    .sort()
    .at(-1)!;
  return {
    kind: 'timetable',
    formatVersion: TIMETABLE_FORMAT_VERSION,
    id,
    createdAt: new Date(createdAt).toISOString(),
    beginDate: period.begin,
    endDate: period.end,
    dataDate: localDate(parseTimestamp(newest)!, 'Europe/Vienna'),
    sources: feeds.map((feed) => ({
      sourceId: feed.sourceId,
      feedVersion: feed.feedVersion,
      publisherName: feed.publisherName,
      publishedVersion: feed.publishedVersion,
      beginDate: feed.beginDate,
      endDate: feed.endDate,
      feedEndDate: feed.feedEndDate,
      timeZone: feed.timeZone,
      fetchedAt: feed.raw.fetchedAt,
      report: feed.tables,
    })),
    rows,
    files,
  };
}

function findPeriod(feeds: readonly FeedManifest[]): { begin: ServiceDate; end: ServiceDate } {
  const begin = feeds.flatMap((feed) => feed.beginDate ?? []).sort()[0];
  const end = feeds
    .flatMap((feed) => feed.endDate ?? [])
    .sort()
    .at(-1);
  if (!begin || !end) throw new WorldError('timetable_unusable', 'no trip of the timetable runs on any day');
  return { begin, end };
}

/** The newest stay, among them the current one; half-written ones of a crash go. */
async function dropOldSnapshots(folder: string, currentId: string, keep: number): Promise<void> {
  const isHalfWritten = (name: string) => name.startsWith('.') || name.endsWith('.tmp');
  const others: { name: string; time: number }[] = [];
  for (const name of await readdir(folder)) {
    if (name === currentId || name.endsWith('.json')) continue;
    others.push({ name, time: isHalfWritten(name) ? 0 : (await stat(path.join(folder, name))).mtimeMs });
  }
  others.sort((a, b) => b.time - a.time);
  const old = others.filter(({ name }, rank) => isHalfWritten(name) || rank >= keep - 1);
  for (const { name } of old) await rm(path.join(folder, name), { recursive: true, force: true });
}
