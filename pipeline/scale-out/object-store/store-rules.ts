/**
 * How a file of a store is read: `data` first, then `manifest`, which names data, then `pointer`, which names manifests.
 * Fetched in this order, so that a reader never sees a name of something that is not there.
 */
export type FileRank = (typeof fileRanks)[number];

export const fileRanks = ['data', 'manifest', 'pointer'] as const;

/** A store of the data folder whose files are in the object store. Names are those of docs/lake.md. */
interface PublishedStore {
  /** Folders below the data folder that hold its files, or the one file. */
  readonly roots: readonly string[];
  /** Paths below the data folder; captured parts become part of the tree's name. */
  readonly pattern: RegExp;
  /** Name of the tree, with `$1` for the first thing captured. */
  readonly tree: string;
  /** Its files do not refer to each other: no instant is needed at which all are looked at. */
  readonly isIndependent?: true;
  /** Files grow by whole lines, also while they are read. */
  readonly isAppended?: true;
}

const S = '([a-z0-9_-]+)';
const D = '(\\d{4}-\\d{2}-\\d{2})';
const MONTH_OF_DAY = '(\\d{4}-\\d{2})-\\d{2}';
const NAME = '[A-Za-z0-9_-][A-Za-z0-9._-]*';
const PATH = `${NAME}(?:/[A-Za-z0-9_=-][A-Za-z0-9._=-]*)*`;

const pattern = (text: string) => new RegExp(`^${text}$`);

/**
 * Which files lie in which tree. Data and their manifests are in one tree, so that they change together; a tree is small
 * enough to be written again for one file.
 */
export const publishedStores = {
  format: { roots: ['format.json'], pattern: pattern('format\\.json'), tree: 'format' },
  raw: {
    roots: ['lake/raw'],
    pattern: pattern(`lake/raw/source=${S}/fetch_date=${D}/[0-9a-f]+\\.(?:zip|json)`),
    tree: 'raw/$1/$2',
    isIndependent: true,
  },
  'raw answers': {
    roots: ['lake/raw'],
    pattern: pattern(`lake/raw/source=${S}/fetch_date=${D}/(\\d{2})\\d{4}-[a-z0-9.-]+\\.gz`),
    tree: 'raw/$1/$2-$3',
    isIndependent: true,
  },
  'index of raw answers': {
    roots: ['lake/raw'],
    pattern: pattern(`lake/raw/source=${S}/fetch_date=${D}/answers(?:-[0-9a-f]{8})?\\.ndjson`),
    tree: 'raw/$1/$2',
    isIndependent: true,
    isAppended: true,
  },
  'as published': {
    roots: ['lake/gtfs'],
    pattern: pattern(`lake/gtfs/${NAME}/source=${S}/feed_version=${NAME}/${NAME}`),
    tree: 'timetables/$1',
  },
  typed: {
    roots: ['lake/timetable'],
    pattern: pattern(`lake/timetable/${NAME}/source=${S}/feed_version=${NAME}/${NAME}`),
    tree: 'timetables/$1',
  },
  manifest: {
    roots: ['lake/manifests/timetable'],
    pattern: pattern(`lake/manifests/timetable/source=${S}/feed_version=${NAME}\\.json`),
    tree: 'timetables/$1',
  },
  publications: {
    roots: ['lake/manifests/timetable'],
    pattern: pattern(`lake/manifests/timetable/source=${S}/publications\\.json`),
    tree: 'timetables/$1',
  },
  observations: {
    roots: ['lake/observations'],
    pattern: pattern(`lake/observations/source=${S}/service_date=${MONTH_OF_DAY}/${NAME}`),
    tree: 'days/$1/$2',
    isIndependent: true,
  },
  predictions: {
    roots: ['lake/predictions'],
    pattern: pattern(`lake/predictions/source=${S}/service_date=${MONTH_OF_DAY}/${NAME}`),
    tree: 'days/$1/$2',
    isIndependent: true,
  },
  'stop events': {
    roots: ['lake/stop_events', 'lake/manifests/stop_events'],
    pattern: pattern(
      `lake/(?:stop_events/source=|manifests/stop_events/source=)${S}/service_date=${MONTH_OF_DAY}(?:/${NAME}|\\.json)`,
    ),
    tree: 'days/$1/$2',
  },
  imports: {
    roots: ['lake/manifests/imports'],
    pattern: pattern(`lake/manifests/imports/source=${S}/[^/]+\\.json`),
    tree: 'imports/$1',
  },
  'prediction metrics': {
    roots: ['lake/manifests/prediction_days'],
    pattern: pattern(`lake/manifests/prediction_days/source=${S}/service_date=${MONTH_OF_DAY}\\.json`),
    tree: 'days/$1/$2',
  },
  marts: { roots: ['marts'], pattern: pattern(`marts/${PATH}`), tree: 'marts' },
  features: {
    roots: ['lake/prediction_features', 'lake/manifests/prediction_features'],
    pattern: pattern(`lake/(?:prediction_features|manifests/prediction_features)/source=${S}(?:/${NAME}|\\.json)`),
    tree: 'learning/$1',
  },
  models: {
    roots: ['lake/prediction_models'],
    pattern: pattern(`lake/prediction_models/source=${S}/${PATH}`),
    tree: 'learning/$1',
  },
  credits: { roots: ['lake/manifests/sources.json'], pattern: pattern('lake/manifests/sources\\.json'), tree: 'lake' },
  guide: {
    roots: ['lake/README.md', 'lake/catalog.sql'],
    pattern: pattern('lake/(?:README\\.md|catalog\\.sql)'),
    tree: 'lake',
  },
  announcements: { roots: ['announcements.yaml'], pattern: pattern('announcements\\.yaml'), tree: 'announcements' },
  streets: { roots: ['streets'], pattern: pattern(`streets/${PATH}`), tree: 'streets' },
  snapshots: {
    roots: ['snapshots/timetable'],
    pattern: pattern(`snapshots/timetable/${PATH}`),
    tree: 'snapshots/timetable',
  },
  places: {
    roots: ['snapshots/places'],
    pattern: pattern(`snapshots/places/${PATH}`),
    tree: 'snapshots/places',
  },
  'history snapshots': {
    roots: ['snapshots/history'],
    pattern: pattern(`snapshots/history/${PATH}`),
    tree: 'snapshots/history',
  },
  'snapshots of these metrics': {
    roots: ['snapshots/predictions'],
    pattern: pattern(`snapshots/predictions/${PATH}`),
    tree: 'snapshots/predictions',
  },
  'network maps': { roots: ['network-maps'], pattern: pattern(`network-maps/${PATH}`), tree: 'network-maps' },
  'realtime snapshots': {
    roots: ['snapshots/realtime'],
    pattern: pattern('snapshots/realtime/(?:[A-Za-z0-9-]+\\.rt|current\\.json)'),
    tree: 'snapshots/realtime',
  },
  'Iceberg tables': {
    roots: ['iceberg'],
    pattern: pattern(`iceberg/(${NAME})/(${NAME})/data/(?:[^/]+/)*[0-9a-f]+\\.parquet`),
    tree: 'iceberg/$1/$2',
  },
} as const satisfies Readonly<Record<string, PublishedStore>>;

export type StoreName = keyof typeof publishedStores;

export const storeNames = Object.keys(publishedStores) as readonly StoreName[];

/** Stores that never leave the machine, and why. */
export const localStores: Readonly<Record<string, string>> = {
  'work in progress': 'unfinished',
  'last backup': 'of the disk of one machine',
  restore: 'of the data folder of one machine',
  'runs of jobs': 'in PostgreSQL where several machines run jobs; locks as well',
  polling: 'of the machine that polls: what it has asked today, and what is paused there',
  'rejected feeds': 'kept for an operator to look at',
  'fetches of feeds': 'of the machine that fetches: what its servers last answered in full',
  deletions: 'reference times of one clock',
  demands: 'areas that apps request this second; never older than a minute',
  watches: 'personal data, in PostgreSQL where several machines serve',
  alerts: 'of the machine that alerts',
  secrets: 'never leave the machine; replicas get theirs by settings',
  'object store': 'what this data folder has in common with the object store',
};

/** The place of a file in the object store. */
interface StoredPlace {
  readonly store: StoreName;
  readonly tree: string;
}

/**
 * Finds the tree of a file.
 * @param path below the data folder, with forward slashes
 * @returns null for what stays on the machine, and for files that nobody knows
 */
export function findPlace(path: string): StoredPlace | null {
  if (UNFINISHED.test(path)) return null;
  for (const store of storeNames) {
    const rule: PublishedStore = publishedStores[store];
    const found = rule.pattern.exec(path);
    if (found) return { store, tree: rule.tree.replace(/\$(\d)/g, (_all, number) => found[Number(number)] ?? '') };
  }
  return null;
}

/** Written aside, to be renamed. */
const UNFINISHED = /\.[0-9a-f]{12}(\.tmp|\.stale)?$|\.tmp$/;

/** @returns the beginning that the names of all trees of a store have, e.g. `days/` or `marts` */
export function treePrefix(store: StoreName): string {
  return publishedStores[store].tree.replace(/\$.*$/, '');
}

export function isIndependent(store: StoreName): boolean {
  return (publishedStores[store] as PublishedStore).isIndependent === true;
}

export function isAppended(store: StoreName): boolean {
  return (publishedStores[store] as PublishedStore).isAppended === true;
}

/** When a file is moved to its path, relative to others. */
export function rankOf(path: string): FileRank {
  if (/(^|\/)(current\.json|publications\.json|checked\.json|format\.json)$/.test(path)) return 'pointer';
  return /(^|\/)manifest\.json$/.test(path) || path.startsWith('lake/manifests/') ? 'manifest' : 'data';
}

/**
 * Whether files of a tree may be below a folder: one of its source and its days.
 * @param place below the data folder
 */
export function isOfTree(place: string, tree: string): boolean {
  const [kind, first = '', second = ''] = tree.split('/');
  // Partitions of Iceberg tables have the same names, within one tree.
  if (kind === 'iceberg') return `${tree}/`.startsWith(`${place}/`) || place.startsWith(`${tree}/`);
  return place.split('/').every((part) => {
    const [, column, value = ''] = /^(source|service_date|fetch_date)=([^.]+)/.exec(part) ?? [];
    if (column === undefined) return true;
    if (column === 'source') return value === first;
    return column === 'service_date' ? value.startsWith(second) : second.startsWith(value);
  });
}
