import path from 'node:path';
import { ExternalError } from '../../effects/external-error.ts';
import {
  chooseOnlyFolder,
  chooseSelectedFolder,
  type FeedFolder,
  listFeedFolders,
  listInnerArchives,
  parseSelection,
  refuseSeveral,
} from './feed-folders.ts';
import { convertText, type QuoteFacts } from './feed-text.ts';
import type { GtfsTable } from './gtfs-tables.ts';
import { assertSizes, openZipArchive, type UnpackLimits, type ZipArchive, type ZipEntry } from './zip-archive.ts';
import { writeZonesText } from './zones-text.ts';

/** One table as a text file on disk, with LF line ends. */
export interface UnpackedTable {
  readonly table: GtfsTable;
  readonly file: string;
  readonly bytes: number;
  readonly quotes: QuoteFacts;
}

export interface UnpackedFeed {
  /** In the order of the archive. */
  readonly tables: readonly UnpackedTable[];
  /** The folder that was read, in the form after `#`; null for the top level. */
  readonly feedFolder: string | null;
  /** Files of the archive that are not tables of the feed and remain in raw only. */
  readonly otherFiles: readonly string[];
}

/** The largest table by far, unpacked last. */
export const LAST_TABLE = 'stop_times' satisfies GtfsTable;

/** With more inner archives than this, one must be selected. */
const MAX_INNER_ARCHIVES = 20;

/**
 * Streams the GTFS tables of a zip into a folder. The feed may be at the top level, in a folder, or in an inner archive;
 * tables of two folders are never joined.
 * @param selection the part after `#` in the location of the feed; null: the archive must contain a single feed
 * @param onOthers receives all tables but stop_times before that is unpacked, so that they can be read meanwhile
 * @throws ExternalError `feed_not_a_zip`, `feed_too_large` (a limit), `feed_broken` (damaged or encrypted entry, or one
 *   whose size or CRC-32 differs from the archive's), `feed_several`, `feed_scattered`, `feed_folder_unknown`
 */
export async function unpackFeed(
  zipFile: string,
  folder: string,
  limits: UnpackLimits,
  selection: string | null = null,
  onOthers: (tables: readonly UnpackedTable[]) => void = () => {},
): Promise<UnpackedFeed> {
  return withFeed({ zipFile, folder, limits, selection }, async ({ archive, feed, otherFiles }) => {
    const entries = [...(feed?.tables ?? [])].filter(([table]) => table !== 'locations' || !feed?.zones);
    const unpacked = new Map<GtfsTable, UnpackedTable>();
    for (const [table, entry] of entries) {
      if (table !== LAST_TABLE) unpacked.set(table, await unpackTable(archive, table, entry, folder));
    }
    if (feed?.zones) unpacked.set('locations', await unpackZones(archive, feed.zones, folder));
    onOthers([...unpacked.values()]);
    const last = feed?.tables.get(LAST_TABLE);
    if (last) unpacked.set(LAST_TABLE, await unpackTable(archive, LAST_TABLE, last, folder));
    const order = [...entries.map(([table]) => table), ...(feed?.zones ? (['locations'] as const) : [])];
    const feedFolder = feed === null || feed.name === '.' ? null : feed.name;
    return { tables: order.map((table) => unpacked.get(table)!), feedFolder, otherFiles };
  });
}

async function unpackTable(
  archive: ZipArchive,
  table: GtfsTable,
  entry: ZipEntry,
  folder: string,
): Promise<UnpackedTable> {
  const file = path.join(folder, `${table}.txt`);
  const text = convertText();
  await archive.extract(entry, file, text.convert);
  return { table, file, bytes: entry.uncompressedSize, quotes: text.quotes() };
}

async function unpackZones(archive: ZipArchive, entry: ZipEntry, folder: string): Promise<UnpackedTable> {
  const file = path.join(folder, 'locations.geojson');
  await archive.extract(entry, file);
  const text = path.join(folder, 'locations.txt');
  await writeZonesText(file, entry.uncompressedSize, text);
  return { table: 'locations', file: text, bytes: entry.uncompressedSize, quotes: { spanLines: false, openAt: null } };
}

/**
 * Checks that a zip contains one feed, or the selected one, within the limits, without unpacking tables.
 * @throws ExternalError as `unpackFeed`, except for damage within entries
 */
export async function inspectFeed(
  zipFile: string,
  folder: string,
  limits: UnpackLimits,
  selection: string | null,
): Promise<void> {
  await withFeed({ zipFile, folder, limits, selection }, async () => {});
}

interface FeedRequest {
  readonly zipFile: string;
  /** For inner archives. */
  readonly folder: string;
  readonly limits: UnpackLimits;
  readonly selection: string | null;
}

/** A feed and the open archive that holds it. */
interface LocatedFeed {
  readonly archive: ZipArchive;
  /** Null where the archive has no tables at all. */
  readonly feed: FeedFolder | null;
  readonly otherFiles: readonly string[];
}

/** A folder with tables, and its archive. */
interface Candidate {
  readonly feed: FeedFolder;
  readonly archive: ZipArchive;
  /** Name of the inner archive; null for the outer one. */
  readonly inner: string | null;
}

async function withFeed<Result>(
  { zipFile, folder, limits, selection: typed }: FeedRequest,
  task: (located: LocatedFeed) => Promise<Result>,
): Promise<Result> {
  const selection = typed === null ? null : parseSelection(typed);
  const outer = await openZipArchive(zipFile, limits);
  const inner = await openInnerArchives(outer, folder, limits, selection);
  try {
    const candidates = [{ name: null, archive: outer }, ...inner.archives].flatMap(({ name, archive }): Candidate[] =>
      listFeedFolders(archive.entries, name).map((feed) => ({ feed, archive, inner: name })),
    );
    if (candidates.length === 0 && inner.failure !== null) throw inner.failure;
    const folders = candidates.map(({ feed }) => feed);
    const feed = selection === null ? chooseOnlyFolder(folders) : chooseSelectedFolder(folders, selection);
    const chosen = candidates.find((candidate) => candidate.feed === feed);
    if (feed !== null) assertSizes(listEntries(feed), limits, inner.bytes);
    return await task({ archive: chosen?.archive ?? outer, feed, otherFiles: listOthers(outer, chosen) });
  } finally {
    for (const { archive } of [...inner.archives, { archive: outer }]) archive.close();
  }
}

interface InnerArchives {
  readonly archives: readonly { readonly name: string; readonly archive: ZipArchive }[];
  /** Why one of them is unreadable; null if all are readable. */
  readonly failure: ExternalError | null;
  /** Of all, unpacked. */
  readonly bytes: number;
}

/** Opens the inner archives that may contain the feed. A damaged one matters only if no feed is found elsewhere. */
async function openInnerArchives(
  outer: ZipArchive,
  folder: string,
  limits: UnpackLimits,
  selection: string | null,
): Promise<InnerArchives> {
  const archives: { name: string; archive: ZipArchive }[] = [];
  let [failure, bytes]: [ExternalError | null, number] = [null, 0];
  try {
    for (const [name, entry] of chooseInnerArchives(listInnerArchives(outer.entries), selection)) {
      bytes = assertSizes([entry], limits, bytes);
      const opened = await openInner(outer, entry, path.join(folder, `inner-${archives.length}.zip`), limits);
      if (opened instanceof ExternalError) failure ??= opened;
      else archives.push({ name, archive: opened });
    }
  } catch (error) {
    for (const { archive } of [...archives, { archive: outer }]) archive.close();
    throw error;
  }
  return { archives, failure, bytes };
}

/** @throws ExternalError `feed_several` for too many archives without a selection */
function chooseInnerArchives(
  all: ReadonlyMap<string, ZipEntry>,
  selection: string | null,
): (readonly [name: string, entry: ZipEntry])[] {
  if (selection === null) {
    if (all.size > MAX_INNER_ARCHIVES) throw refuseSeveral([...all.keys()]);
    return [...all];
  }
  const wanted = `${selection.toLowerCase()}/`;
  return [...all].filter(([name]) => {
    const inner = `${name.toLowerCase()}/`;
    return wanted.startsWith(inner) || inner.startsWith(wanted);
  });
}

/** @returns the reason why it is unreadable */
async function openInner(
  outer: ZipArchive,
  entry: ZipEntry,
  file: string,
  limits: UnpackLimits,
): Promise<ZipArchive | ExternalError> {
  try {
    await outer.extract(entry, file);
    return await openZipArchive(file, limits);
  } catch (error) {
    const isDamaged = error instanceof ExternalError && ['feed_not_a_zip', 'feed_broken'].includes(error.code);
    if (!isDamaged) throw error;
    return new ExternalError(error.code, `${entry.fileName}: ${error.message}`, { cause: error });
  }
}

function listEntries({ tables, zones }: FeedFolder): ZipEntry[] {
  return [...tables.values(), ...(zones === null ? [] : [zones])];
}

function listOthers(outer: ZipArchive, chosen: Candidate | undefined): string[] {
  const used = new Set((chosen ? listEntries(chosen.feed) : []).map(({ fileName }) => fileName));
  const listRest = (entries: readonly ZipEntry[]) =>
    entries.map(({ fileName }) => fileName).filter((name) => !used.has(name) && !name.endsWith('/'));
  if (!chosen || chosen.inner === null) return listRest(outer.entries);
  const { inner, archive } = chosen;
  const beside = outer.entries.map(({ fileName }) => fileName).filter((name) => path.posix.normalize(name) !== inner);
  return [
    ...beside.filter((name) => !name.endsWith('/')),
    ...listRest(archive.entries).map((name) => `${inner}/${name}`),
  ];
}
