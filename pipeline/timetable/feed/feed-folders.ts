import path from 'node:path';
import { ExternalError } from '../../effects/external-error.ts';
import { type GtfsTable, isGtfsTable } from './gtfs-tables.ts';
import type { ZipEntry } from './zip-archive.ts';

/** Name of an archive's top level. */
const TOP = '.';

/** A folder of an archive that holds tables of GTFS. */
export interface FeedFolder {
  /** Its selection after `#`: `.`, `alt`, `a/b`; in an inner archive `inner.zip`, `inner.zip/alt`. */
  readonly name: string;
  readonly tables: ReadonlyMap<GtfsTable, ZipEntry>;
  /** `locations.geojson`, the zones of on-demand service; null if absent. */
  readonly zones: ZipEntry | null;
  /** Whether it has all required tables. */
  readonly isFeed: boolean;
}

/** Required of every feed; stops may be zones instead. */
const ESSENTIAL = ['routes', 'trips', 'stop_times'] as const satisfies readonly GtfsTable[];

const ZONES = 'locations.geojson';

/** Metadata that Apple's archiver adds beside every file: `__MACOSX/`, `._stops.txt`. */
const APPLE_METADATA = /(^|\/)(__MACOSX\/|\._)/i;

/**
 * Finds the folders with tables, the top level included. If a table occurs twice in a folder (`stops.txt` and
 * `STOPS.TXT`), the first is used.
 * @param archive name of the inner archive that holds the entries; null for the outer one
 */
export function listFeedFolders(entries: readonly ZipEntry[], archive: string | null = null): FeedFolder[] {
  const folders = new Map<string, { tables: Map<GtfsTable, ZipEntry>; zones: ZipEntry | null }>();
  for (const entry of entries) {
    if (APPLE_METADATA.test(entry.fileName)) continue;
    const file = path.posix.normalize(entry.fileName);
    const name = path.posix.basename(file).toLowerCase();
    const table = /^([a-z_]+)\.txt$/.exec(name)?.[1];
    const isTable = table !== undefined && isGtfsTable(table);
    if (!isTable && name !== ZONES) continue;
    const folder = folders.get(path.posix.dirname(file)) ?? { tables: new Map(), zones: null };
    folders.set(path.posix.dirname(file), folder);
    if (!isTable) folder.zones ??= entry;
    else if (!folder.tables.has(table)) folder.tables.set(table, entry);
  }
  return [...folders]
    .filter(([, { tables }]) => tables.size > 0)
    .map(([folder, { tables, zones }]) => ({
      name: nameFolder(folder, archive),
      tables,
      zones,
      isFeed: ESSENTIAL.every((table) => tables.has(table)) && (zones !== null || hasStops(tables)),
    }));
}

function hasStops(tables: ReadonlyMap<GtfsTable, ZipEntry>): boolean {
  return tables.has('stops') || tables.has('location_groups');
}

function nameFolder(folder: string, archive: string | null): string {
  if (archive === null) return folder;
  return folder === TOP ? archive : `${archive}/${folder}`;
}

/** Archives inside an archive, by the name that selects them. */
export function listInnerArchives(entries: readonly ZipEntry[]): ReadonlyMap<string, ZipEntry> {
  const inner = entries.filter(({ fileName }) => /\.zip$/i.test(fileName) && !APPLE_METADATA.test(fileName));
  return new Map(inner.map((entry) => [path.posix.normalize(entry.fileName), entry]));
}

/**
 * Chooses the only folder that holds a feed. Tables of two folders are never joined.
 * @returns null without any tables
 * @throws ExternalError `feed_several`, `feed_scattered`, both with the names
 */
export function chooseOnlyFolder(folders: readonly FeedFolder[]): FeedFolder | null {
  const feeds = folders.filter(({ isFeed }) => isFeed);
  if (feeds.length > 1) throw refuseSeveral(feeds.map(({ name }) => name));
  if (feeds.length === 0 && folders.length > 1) {
    const parts = sortNames(folders).map(({ name, tables }) => `${name} has ${[...tables.keys()].sort().join(', ')}`);
    const rule = 'tables of different folders are never joined';
    throw new ExternalError(
      'feed_scattered',
      `no folder of the archive contains a whole feed, and ${rule}: ${list(parts, '; ')}`,
    );
  }
  return feeds[0] ?? folders[0] ?? null;
}

/**
 * Chooses the selected folder, or the only folder with tables below it. Case matters only between names that differ in
 * case alone.
 * @throws ExternalError `feed_folder_unknown`, `feed_several`
 */
export function chooseSelectedFolder(folders: readonly FeedFolder[], selection: string): FeedFolder {
  const compare = [(name: string) => name.normalize('NFC'), (name: string) => name.normalize('NFC').toLowerCase()];
  for (const fold of compare) {
    const wanted = fold(selection);
    const exact = folders.filter(({ name }) => fold(name) === wanted);
    const found = exact.length > 0 ? exact : folders.filter(({ name }) => fold(name).startsWith(`${wanted}/`));
    if (found.length === 1) return found[0]!;
    if (found.length > 1) throw refuseSeveral(found.map(({ name }) => name));
  }
  const known = folders.length === 0 ? 'it has none' : `it has ${list(sortNames(folders).map(({ name }) => name))}`;
  throw new ExternalError('feed_folder_unknown', `the archive has no folder "${selection}" with tables; ${known}`);
}

/** @param names what selects each */
export function refuseSeveral(names: readonly string[]): ExternalError {
  const choices = list([...names].sort().map((name) => `#${name}`));
  return new ExternalError(
    'feed_several',
    `the archive holds several feeds; add the one to use to its path or address: ${choices}`,
  );
}

/** Further names are only counted. */
const SHOWN_NAMES = 20;

function list(names: readonly string[], separator = ', '): string {
  const more = names.length - SHOWN_NAMES;
  return `${names.slice(0, SHOWN_NAMES).join(separator)}${more > 0 ? ` and ${more} more` : ''}`;
}

function sortNames(folders: readonly FeedFolder[]): FeedFolder[] {
  return [...folders].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Normalises the text after `#`: `/Alt/` is `Alt`, empty is the top level, `a.zip#b` is `a.zip/b`. */
export function parseSelection(typed: string): string {
  return path.posix.normalize(typed.replaceAll('\\', '/').replaceAll('#', '/')).replace(/^(\.?\/)+|\/$/g, '') || TOP;
}
