import path from 'node:path';
import { isThere, listNames } from '../../pipeline/effects/files.ts';
import { listHalfReplacedMonths, martNames } from '../../pipeline/history/marts/mart-manifest.ts';
import { isSwapping } from '../../pipeline/lake/observations/partition-files.ts';
import { isSwappingPredictions } from '../../pipeline/lake/predictions/prediction-files.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';

/** Data whose manifest is taken away before they are replaced or removed, and is written last. */
interface DescribedData {
  /** Folder of the manifests: `<folder>/<part>.json`, in which a part is e.g. `source=at/service_date=2026-01-15`. */
  readonly manifests: string;
  /** Captures the part of a file. */
  readonly pattern: RegExp;
  /** Folders of tables: `<table>/<part>/…`. */
  listTables(dataDir: string): Promise<readonly string[]>;
}

const described: readonly DescribedData[] = [
  {
    manifests: 'lake/manifests/stop_events',
    pattern: /^lake\/stop_events\/(.+)\/[^/]+$/,
    listTables: async () => ['lake/stop_events'],
  },
  {
    manifests: 'lake/manifests/prediction_features',
    pattern: /^lake\/prediction_features\/(.+)\/[^/]+$/,
    listTables: async () => ['lake/prediction_features'],
  },
  {
    manifests: 'lake/manifests/timetable',
    pattern: /^lake\/(?:gtfs|timetable)\/[^/]+\/(.+)\/[^/]+$/,
    listTables: listTimetableTables,
  },
];

async function listTimetableTables(dataDir: string): Promise<string[]> {
  const tables: string[] = [];
  for (const schema of ['lake/gtfs', 'lake/timetable']) {
    tables.push(...(await listNames(path.join(dataDir, schema))).map((table) => `${schema}/${table}`));
  }
  return tables;
}

/**
 * Finds partially replaced or removed output of a running or killed job: days of stop events, features, versions of
 * timetables, months of marts. Its job builds it again; the copy in the store is complete.
 */
export async function listHalfReplaced(dataDir: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const undescribed = await selectByPart(paths, findDescribed, ({ data, part }) => isHalfThere(dataDir, data, part));
  const months = paths.some((name) => findMonth(name)) ? await listHalfReplacedMonths(dataDir) : [];
  return new Set([...undescribed, ...paths.filter((name) => months.includes(findMonth(name)?.key ?? ''))]);
}

/** As `listHalfReplaced`, and days whose files a compaction is about to exchange: it has them elsewhere. */
export async function listUnfinished(dataDir: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const swapping = await selectByPart(paths, findCompacted, ({ isSwapped, source, date }) =>
    isSwapped(dataDir, source, date),
  );
  return new Set([...(await listHalfReplaced(dataDir, paths)), ...swapping]);
}

/** Selects paths by the partition or file that they belong to, which is checked once. */
async function selectByPart<Part extends { readonly key: string }>(
  paths: readonly string[],
  findPart: (path: string) => Part | null,
  isSelected: (part: Part) => Promise<boolean>,
): Promise<string[]> {
  const answers = new Map<string, boolean>();
  const selected: string[] = [];
  for (const name of paths) {
    const part = findPart(name);
    if (part === null) continue;
    const answer = answers.get(part.key) ?? (await isSelected(part));
    answers.set(part.key, answer);
    if (answer) selected.push(name);
  }
  return selected;
}

function findDescribed(name: string) {
  for (const data of described) {
    const isManifest = name.startsWith(`${data.manifests}/`) && name.endsWith('.json');
    const part = isManifest ? name.slice(data.manifests.length + 1, -'.json'.length) : data.pattern.exec(name)?.[1];
    if (part !== undefined) return { data, part, key: `${data.manifests}/${part}` };
  }
  return null;
}

/** Whether there are files without the manifest that describes them. */
async function isHalfThere(dataDir: string, { manifests, listTables }: DescribedData, part: string): Promise<boolean> {
  const manifest = path.join(dataDir, manifests, part);
  if (await isThere(`${manifest}.json`)) return false;
  // The former manifest of a day of stop events, of which even the rows may be away for an instant.
  if (await isThere(`${manifest}.replaced`)) return true;
  for (const table of await listTables(dataDir)) {
    if ((await listNames(path.join(dataDir, table, part))).length > 0) return true;
  }
  return false;
}

const MONTH = /^marts\/([^/]+)\/month=(\d{4}-\d{2})\//;
const MONTH_MANIFESTS = 'month-manifests';

/** @returns null for what is not of a month that build-marts makes, e.g. prediction metrics */
function findMonth(name: string): { readonly key: string } | null {
  const [, mart, month] = MONTH.exec(name) ?? [];
  const isBuilt = mart === MONTH_MANIFESTS || martNames.some((one) => one === mart);
  return month !== undefined && isBuilt ? { key: month } : null;
}

const COMPACTED = /^lake\/(observations|predictions)\/source=([^/]+)\/service_date=([^/]+)\//;

function findCompacted(name: string) {
  const [key, table, source, date] = COMPACTED.exec(name) ?? [];
  if (key === undefined) return null;
  const isSwapped = table === 'observations' ? isSwapping : isSwappingPredictions;
  return { key, isSwapped, source: source as SourceId, date: date as ServiceDate };
}
