import { fromEpochDay } from '../../model/service-time.ts';
import type { DataFile } from './data-file.ts';
import { ADDED, DELETED, EXISTING, type ManifestEntry } from './manifest.ts';
import type { ManifestFile } from './manifest-list.ts';
import type { PartitionSpec, PartitionTuple } from './partition-spec.ts';

/** A manifest of the current snapshot. */
export interface CurrentManifest {
  readonly manifest: ManifestFile;
  /** Those of files that are in the table, each with its sequence number. */
  readonly entries: readonly (ManifestEntry & { readonly sequenceNumber: number })[];
}

export interface ManifestPlan {
  /** Manifests that the next snapshot shares with the current one. */
  readonly kept: readonly ManifestFile[];
  /** Entries of each new manifest; in order. */
  readonly written: readonly (readonly ManifestEntry[])[];
  readonly added: readonly DataFile[];
  readonly removed: readonly DataFile[];
}

/**
 * Days, back from the newest one, that have a manifest each. Those of older months share one per month: a table of years
 * has some twelve manifests a year, and a commit for a rebuilt day writes one of few files.
 */
export const DAYS_APART = 62;

/**
 * Divides the files that a table should have among manifests. Those of one day, or of one month, are together in one
 * manifest, which stays as it is for as long as its files do. Whether anything changed is in `added` and `removed`.
 * @param spec whose last field is the service date or its month
 * @param wanted all files of the next snapshot
 * @param snapshotId the next snapshot
 */
export function planManifests(
  spec: PartitionSpec,
  current: readonly CurrentManifest[],
  wanted: readonly DataFile[],
  snapshotId: number,
): ManifestPlan {
  const present = new Map(current.flatMap(({ entries }) => entries).map((entry) => [entry.file.path, entry]));
  const paths = new Set(wanted.map(({ path }) => path));
  const gone = [...present.values()].filter(({ file }) => !paths.has(file.path));
  const bundleOf = nameBundles(
    spec,
    wanted.map(({ partition }) => partition),
  );
  const bundles = groupBy(wanted, ({ partition }) => bundleOf(partition));
  const goneFrom = groupBy(gone, ({ file }) => bundleOf(file.partition));
  const kept: ManifestFile[] = [];
  for (const { manifest, entries } of current) {
    const name = entries[0] && bundleOf(entries[0].file.partition);
    const bundle = name === undefined ? undefined : bundles.get(name);
    if (!bundle || bundle.length !== entries.length) continue;
    const own = new Set(entries.map(({ file }) => file.path));
    if (!bundle.every(({ path }) => own.has(path))) continue;
    kept.push(manifest);
    bundles.delete(name!);
  }
  const names = [...new Set([...bundles.keys(), ...goneFrom.keys()])].sort();
  const written = names.map((name) => [
    ...(bundles.get(name) ?? []).map((file) => toNextEntry(file, present.get(file.path), snapshotId)),
    ...(goneFrom.get(name) ?? []).map((entry) => ({ ...entry, status: DELETED, snapshotId }) satisfies ManifestEntry),
  ]);
  return {
    kept,
    written,
    added: wanted.filter(({ path }) => !present.has(path)),
    removed: gone.map(({ file }) => file),
  };
}

function toNextEntry(file: DataFile, before: ManifestEntry | undefined, snapshotId: number): ManifestEntry {
  // A file that stays keeps the snapshot and the number of its addition.
  return before ? { ...before, status: EXISTING } : { status: ADDED, snapshotId, sequenceNumber: null, file };
}

/** The bundle of each partition: its day, or its month where that is long past or the table has no days. */
function nameBundles(spec: PartitionSpec, tuples: readonly PartitionTuple[]): (tuple: PartitionTuple) => string {
  const timeOf = (tuple: PartitionTuple) => Number(tuple.at(-1));
  if (spec.fields.at(-1)?.transform === 'month') return (tuple) => String(timeOf(tuple));
  const newest = tuples.reduce((latest, tuple) => Math.max(latest, timeOf(tuple)), 0);
  const firstMonthApart = fromEpochDay(newest - DAYS_APART).slice(0, 7);
  return (tuple) => {
    const day = fromEpochDay(timeOf(tuple));
    return day < firstMonthApart ? day.slice(0, 7) : day;
  };
}

function groupBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
