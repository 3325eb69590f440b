import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { readPublished, writeArrowTable } from '../effects/arrow-table.ts';
import type { Clock } from '../effects/clock.ts';
import { forEachConcurrently } from '../effects/concurrency.ts';
import { ExternalError } from '../effects/external-error.ts';
import { syncFolder, writeJsonAtomically } from '../effects/files.ts';
import type { Log } from '../effects/log.ts';
import { readProjectFile } from '../effects/project-files.ts';
import type { ColumnsOf, FileFacts, TableShape } from '../model/column.ts';
import type { SourceId } from '../model/ids.ts';
import { localDate, parseTimestamp, type ServiceDate } from '../model/service-time.ts';
import {
  type MergeReport,
  type SnapshotSource,
  type SnapshotVersion,
  TIMETABLE_FORMAT_VERSION,
  type TimetableManifest,
  type TimetableTables,
  timetableTables,
} from '../snapshots/timetable-contract.ts';
import {
  findCurrentTimetableId,
  readTimetableManifest,
  readTimetableSnapshot,
  tableFile,
  timetableSnapshotsFolder,
} from '../snapshots/timetable-files.ts';
import type { WalkRouter } from '../streets/walk-router.ts';
import type { ServedSource, ServedVersion } from './feed/version-days.ts';
import type { MergeRules } from './merging/merge-rules.ts';
import { type BuildSettings, type BuiltTimetable, buildTimetable } from './snapshot/build-timetable.ts';
import { checkTimetable } from './snapshot/check-timetable.ts';
import { listFeeds } from './snapshot/feed-views.ts';
import { parsePlaces } from './snapshot/stop-tables.ts';

/** Raise it with every change of how tables are built from the lake. */
const BUILD_RULES_VERSION = 3;

const PLACES = 'data/lookups/places.csv';

export interface PublishSettings extends BuildSettings {
  /** Snapshots kept on disk, including the current one. */
  readonly keepSnapshots: number;
}

/**
 * Builds the snapshot of some sources and makes it the current one: it is written to a temporary folder, read back,
 * checked, renamed, and finally pointed to. Equal versions under equal rules are the same snapshot, which is not built
 * twice.
 * @param effects `walks` measures walks between stops; without it they are the straight-line distance plus a third
 * @throws ExternalError `timetable_unusable` if no trip of any feed ever runs
 */
async function publishTimetable(
  sources: readonly ServedSource[],
  dataDir: string,
  settings: PublishSettings,
  effects: { clock: Clock; log: Log; walks?: WalkRouter | null },
): Promise<{ id: string; isUnchanged: boolean }> {
  const placesText = await readProjectFile(PLACES);
  const walks = effects.walks ?? null;
  const id = nameSnapshot(sources, placesText, walks, settings.merging);
  const isBuilt = await isComplete(dataDir, id);
  if (isBuilt && (await findCurrentTimetableId(dataDir)) === id) return { id, isUnchanged: true };
  const folder = timetableSnapshotsFolder(dataDir);
  if (!isBuilt) {
    effects.log.progress('building the snapshot');
    const period = findPeriod(sources);
    const built = await buildTimetable(sources, dataDir, parsePlaces(placesText), settings, { ...effects, walks });
    await writeSnapshot(dataDir, id, built, { sources, period, createdAt: effects.clock.nowMilliseconds() });
  }
  await writeJsonAtomically(path.join(folder, 'current.json'), { id });
  await dropOldSnapshots(folder, id, settings.keepSnapshots);
  return { id, isUnchanged: false };
}

/**
 * Builds the tables of one source alone, and discards them.
 * @throws errors of building or checking them
 */
async function assertBuildable(
  source: ServedSource,
  dataDir: string,
  settings: PublishSettings,
  effects: { log: Log; walks?: WalkRouter | null },
): Promise<void> {
  effects.log.progress(`${source.sourceId}: building it alone`);
  findPeriod([source]);
  const places = parsePlaces(await readProjectFile(PLACES));
  const { tables } = await buildTimetable([source], dataDir, places, settings, {
    ...effects,
    walks: effects.walks ?? null,
  });
  checkTimetable(tables);
}

function nameSnapshot(
  sources: readonly ServedSource[],
  placesText: string,
  walks: WalkRouter | null,
  merging: MergeRules,
): string {
  const inputs = listFeeds(sources).map(({ manifest, from, until }) => {
    return [manifest.sourceId, manifest.feedVersion, manifest.rulesVersion, manifest.repairs, from, until];
  });
  const made = [TIMETABLE_FORMAT_VERSION, BUILD_RULES_VERSION, inputs, walks?.id ?? null, merging];
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
    // Missing, damaged or unreadable: build it again.
    return false;
  }
}

interface Description {
  readonly sources: readonly ServedSource[];
  readonly period: { begin: ServiceDate; end: ServiceDate };
  readonly createdAt: number;
}

async function writeSnapshot(
  dataDir: string,
  id: string,
  { tables, merges }: BuiltTimetable,
  about: Description,
): Promise<void> {
  const folder = timetableSnapshotsFolder(dataDir);
  // A hidden name: not a snapshot until it is renamed.
  const asideId = `.${id}.${randomBytes(6).toString('hex')}.tmp`;
  const aside = path.join(folder, asideId);
  await mkdir(aside, { recursive: true });
  try {
    const files = await writeTables(aside, tables);
    await writeJsonAtomically(path.join(aside, 'manifest.json'), describe(id, about, merges, countRows(tables), files));
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

const tableNames = Object.keys(timetableTables) as readonly (keyof typeof timetableTables)[];

/** Most tables are small, and then nearly all of the time is waiting for the disk. */
const WRITE_CONCURRENCY = 4;

async function writeTables(folder: string, tables: TimetableTables): Promise<Record<string, FileFacts>> {
  const files = new Map<string, FileFacts>();
  await forEachConcurrently(tableNames, WRITE_CONCURRENCY, async (name) => {
    const shape: TableShape = timetableTables[name];
    const file = tableFile(name);
    files.set(file, await writeArrowTable(path.join(folder, file), shape, tables[name] as ColumnsOf<TableShape>));
  });
  return Object.fromEntries(tableNames.map((name) => [tableFile(name), files.get(tableFile(name))!]));
}

function countRows(tables: TimetableTables): Record<string, number> {
  return Object.fromEntries(
    tableNames.map((name) => [name, Object.values(tables[name] as ColumnsOf<TableShape>)[0]!.length]),
  );
}

function describe(
  id: string,
  { sources, period, createdAt }: Description,
  merges: MergeReport,
  rows: Record<string, number>,
  files: Record<string, FileFacts>,
): TimetableManifest {
  const fetched = sources.flatMap(({ versions }) => versions.map(({ manifest }) => manifest.raw.fetchedAt));
  return {
    kind: 'timetable',
    formatVersion: TIMETABLE_FORMAT_VERSION,
    id,
    createdAt: new Date(createdAt).toISOString(),
    beginDate: period.begin,
    endDate: period.end,
    dataDate: localDate(parseTimestamp(fetched.sort().at(-1)!)!, 'Europe/Vienna'),
    sources: sources.map(describeSource),
    merges,
    rows,
    files,
  };
}

function describeSource({ sourceId, versions, inForce: { manifest } }: ServedSource): SnapshotSource {
  const described = versions.map((version) => ({
    feedVersion: version.manifest.feedVersion,
    ...findDays(version),
    from: version.from,
    until: version.until,
    feedEndDate: version.manifest.feedEndDate,
    timeZone: version.manifest.timeZone,
    fetchedAt: version.manifest.raw.fetchedAt,
  }));
  return {
    sourceId,
    feedVersion: manifest.feedVersion,
    publisherName: manifest.publisherName,
    publishedVersion: manifest.publishedVersion,
    beginDate: described.flatMap(({ beginDate }) => beginDate ?? [])[0] ?? null,
    endDate: described.flatMap(({ endDate }) => endDate ?? []).at(-1) ?? null,
    fetchedAt: manifest.raw.fetchedAt,
    versions: described,
    report: manifest.tables,
  };
}

/** The service dates of a version. */
function findDays({ manifest, from, until }: ServedVersion): Pick<SnapshotVersion, 'beginDate' | 'endDate'> {
  const { beginDate, endDate } = manifest;
  const none = { beginDate: null, endDate: null };
  if (beginDate === null || endDate === null) return none;
  const days = {
    beginDate: from !== null && from > beginDate ? from : beginDate,
    endDate: until !== null && until < endDate ? until : endDate,
  };
  return days.beginDate <= days.endDate ? days : none;
}

function findPeriod(sources: readonly ServedSource[]): { begin: ServiceDate; end: ServiceDate } {
  const days = sources.flatMap(({ versions }) => versions.map(findDays));
  const begin = days.flatMap(({ beginDate }) => beginDate ?? []).sort()[0];
  const end = days
    .flatMap(({ endDate }) => endDate ?? [])
    .sort()
    .at(-1);
  if (!begin || !end) throw new ExternalError('timetable_unusable', 'no trip of the timetable runs on any day');
  return { begin, end };
}

/** Keeps the newest snapshots, including the current one; removes unfinished ones after a crash. */
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

/** The versions of a source to publish, and the fallback. */
export interface VersionChoice {
  readonly wanted: ServedSource;
  /** The published versions, if different. */
  readonly before: ServedSource | null;
  /** Whether the source is in the published snapshot and must therefore be in the next. */
  readonly isPublished: boolean;
}

interface PublishedVersions {
  /** Id of the published snapshot; null without one. */
  readonly id: string | null;
  readonly isUnchanged: boolean;
  /** Sources whose wanted version failed to build, with the error. */
  readonly refused: ReadonlyMap<SourceId, unknown>;
}

type PublishEffects = { readonly clock: Clock; readonly log: Log; readonly walks?: WalkRouter | null };

/**
 * Publishes the wanted versions. If the build fails, each source is built alone: those that fail alone keep their
 * published versions, or are left out if they have none, and the others are published.
 * @throws the error of the build if no source fails alone
 */
export async function publishUsable(
  choices: readonly VersionChoice[],
  dataDir: string,
  settings: PublishSettings,
  effects: PublishEffects,
): Promise<PublishedVersions> {
  const wanted = choices.map((choice) => choice.wanted);
  try {
    return { ...(await publishTimetable(wanted, dataDir, settings, effects)), refused: new Map() };
  } catch (error) {
    settings.signal?.throwIfAborted();
    const refused = await findUnbuildable(wanted, error, dataDir, settings, effects);
    if (refused.size === 0) throw error;
    const usable = choices.map((choice) => (refused.has(choice.wanted.sourceId) ? choice.before : choice.wanted));
    const isAnyLost = choices.some(({ isPublished }, i) => isPublished && usable[i] === null);
    const versions = usable.filter((version) => version !== null);
    if (isAnyLost || versions.length === 0) {
      return { id: await findCurrentTimetableId(dataDir), isUnchanged: true, refused };
    }
    return { ...(await publishTimetable(versions, dataDir, settings, effects)), refused };
  }
}

/** A full disk fails all of them, so the published snapshot stays. A single source was already built alone. */
async function findUnbuildable(
  sources: readonly ServedSource[],
  failure: unknown,
  dataDir: string,
  settings: PublishSettings,
  effects: PublishEffects,
): Promise<Map<SourceId, unknown>> {
  const [only, ...others] = sources;
  if (only && others.length === 0) return new Map([[only.sourceId, failure]]);
  const refused = new Map<SourceId, unknown>();
  for (const source of sources) {
    try {
      await assertBuildable(source, dataDir, settings, effects);
    } catch (error) {
      settings.signal?.throwIfAborted();
      refused.set(source.sourceId, error);
    }
  }
  return refused;
}
