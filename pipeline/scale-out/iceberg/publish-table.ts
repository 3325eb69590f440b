import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ExternalError } from '../../effects/external-error.ts';
import { type DataFile, describeDataFile } from './data-file.ts';
import { encodeManifest } from './manifest.ts';
import { encodeManifestList, type ManifestFile, summariseManifest, type Writing } from './manifest-list.ts';
import { readManifests, shapeOf } from './open-table.ts';
import type { PartitionTuple } from './partition-spec.ts';
import { type CurrentManifest, type ManifestPlan, planManifests } from './plan-manifests.ts';
import {
  commitMetadata,
  metadataName,
  readMetadata,
  repairHint,
  type StoredMetadata,
  type TableFolder,
  toUri,
  writeMetadataFile,
} from './table-folder.ts';
import {
  addSnapshot,
  currentSchema,
  defineTable,
  findCurrentSnapshot,
  noteChange,
  type Snapshot,
  type TableDefinition,
  type TableMetadata,
} from './table-metadata.ts';

/** A file at its place in the folder of the table, where it is never modified. */
export interface PlacedDataFile {
  /** Below the folder of the table, with forward slashes. */
  readonly name: string;
  readonly partition: PartitionTuple;
}

/** What the next snapshot of a table should hold. */
interface WantedFiles {
  readonly files: readonly PlacedDataFile[];
  /** Partitions that are left unchanged in the table: their current state is not valid. */
  readonly unsettled: readonly PartitionTuple[];
}

interface PublishRequest {
  readonly table: TableFolder;
  readonly definition: TableDefinition;
  /** Milliseconds since 1970: read when a snapshot is complete, as its age counts from its commit. */
  now(): number;
  /** Evaluated again after a lost race, since the other writer may have used newer files. */
  listFiles(): Promise<WantedFiles>;
  /** Receives a file that is left out, and why. */
  onRefused(file: string, reason: string): void;
  /** Further entries for the summary of a snapshot of these files, with those without rows that it does not list. */
  describe?(files: readonly DataFile[]): Readonly<Record<string, string>>;
}

export interface PublishedTable {
  /** Null where there is no table, because it never had a file. */
  readonly snapshotId: number | null;
  readonly added: number;
  readonly removed: number;
  readonly isUnchanged: boolean;
}

/** Other writers at the same time are rare: this is a limit, not a wait. */
const MAX_ATTEMPTS = 5;

/**
 * Makes the files of a table those that are wanted, in one step for its readers. Up to the commit nothing that a reader
 * sees has changed; a crash leaves files that no metadata name, which `expireTable` removes.
 * @throws ExternalError `commit_lost` when other writers were faster every time; `table_damaged`
 */
export async function publishTable(request: PublishRequest): Promise<PublishedTable> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const published = await tryToPublish(request);
    if (published) return published;
  }
  const { namespace, name } = request.definition;
  throw new ExternalError('commit_lost', `others were writing ${namespace}.${name} all the time`, {
    isRetryable: true,
  });
}

/** @returns null when another writer was faster */
async function tryToPublish(request: PublishRequest): Promise<PublishedTable | null> {
  const { table, definition } = request;
  const stored = await readMetadata(table);
  if (stored) await repairHint(table, stored.version);
  const metadata = defineTable(definition, table.location, stored?.metadata ?? null, randomUUID());
  const snapshot = findCurrentSnapshot(metadata);
  const current = await readManifests(table, metadata, snapshot);
  const { wanted, withoutRows } = await describeWanted(request, metadata, current);
  const entries = request.describe?.([...wanted, ...withoutRows]) ?? {};
  const writing = { snapshotId: nameSnapshot(), sequenceNumber: metadata['last-sequence-number'] + 1 };
  const plan = planManifests(shapeOf(metadata).spec, current, wanted, writing.snapshotId);
  const counts = { added: plan.added.length, removed: plan.removed.length };
  const isSnapshotUpToDate = snapshot
    ? hasEntries(snapshot, entries) && isOfPresentSchema(metadata)
    : wanted.length + withoutRows.length === 0;
  if (counts.added + counts.removed === 0 && isSnapshotUpToDate) {
    const isDefined = stored !== null && isDeepStrictEqual(stored.metadata, metadata);
    const isUnchanged = isDefined || (stored === null && snapshot === null);
    if (isUnchanged) return { snapshotId: snapshot?.['snapshot-id'] ?? null, ...counts, isUnchanged };
    const isCommitted = await commit(table, stored, metadata, request.now());
    return isCommitted ? { snapshotId: snapshot?.['snapshot-id'] ?? null, ...counts, isUnchanged } : null;
  }
  const next = await writeSnapshot(table, metadata, { plan, wanted, writing, now: request.now, entries });
  const isCommitted = await commit(table, stored, addSnapshot(metadata, next), next['timestamp-ms']);
  return isCommitted ? { snapshotId: writing.snapshotId, ...counts, isUnchanged: false } : null;
}

async function commit(table: TableFolder, stored: StoredMetadata | null, metadata: TableMetadata, now: number) {
  // A table at another location has no former metadata that a reader could open.
  const isSamePlace = stored?.metadata.location === metadata.location;
  const beforeFile = stored && isSamePlace ? toUri(table, `metadata/${metadataName(stored.version)}`) : null;
  return commitMetadata(table, {
    version: (stored?.version ?? 0) + 1,
    metadata: noteChange(metadata, now, beforeFile),
  });
}

function hasEntries({ summary }: Snapshot, entries: Readonly<Record<string, string>>): boolean {
  return Object.entries(entries).every(([key, value]) => summary[key] === value);
}

function isOfPresentSchema(metadata: TableMetadata): boolean {
  return findCurrentSnapshot(metadata)?.['schema-id'] === metadata['current-schema-id'];
}

/** Below 2^53, so that all JSON readers read it exactly; different from those of other tables, and of lost races. */
function nameSnapshot(): number {
  return randomBytes(6).readUIntBE(0, 6) + 1;
}

interface DescribedFiles {
  readonly wanted: readonly DataFile[];
  /** Files that the table does not list. */
  readonly withoutRows: readonly DataFile[];
}

/**
 * Files that the table has keep their description. The footer is read of others, and of all where the columns have
 * changed since the current snapshot: of those in the table, some may have other types than the columns now.
 */
async function describeWanted(
  { table, listFiles, onRefused }: PublishRequest,
  metadata: TableMetadata,
  current: readonly CurrentManifest[],
): Promise<DescribedFiles> {
  const { files, unsettled } = await listFiles();
  const present = current.flatMap(({ entries }) => entries.map(({ file }) => file));
  const byPath = new Map(present.map((file) => [file.path, file]));
  const isChecked = isOfPresentSchema(metadata);
  const stay = new Set(unsettled.map((tuple) => JSON.stringify(tuple)));
  const isUnsettled = ({ partition }: { readonly partition: PartitionTuple }) => stay.has(JSON.stringify(partition));
  const wanted = present.filter(isUnsettled);
  const withoutRows: DataFile[] = [];
  for (const placed of files) {
    if (isUnsettled(placed)) continue;
    const known = byPath.get(toUri(table, placed.name));
    const described = known && isChecked ? known : await describePlaced(table, metadata, placed, onRefused);
    if (described === null) continue;
    // Contents without rows are equal, and would be one file in several partitions.
    const into = described.rows > 0 || table.objects === undefined ? wanted : withoutRows;
    into.push(known ?? described);
  }
  return { wanted, withoutRows };
}

/** @returns null for a file that is refused */
async function describePlaced(
  table: TableFolder,
  metadata: TableMetadata,
  { name, partition }: PlacedDataFile,
  onRefused: PublishRequest['onRefused'],
): Promise<DataFile | null> {
  try {
    const facts = await describeDataFile(`${table.folder}/${name}`, currentSchema(metadata));
    return { path: toUri(table, name), partition, ...facts };
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    onRefused(name, error.message);
    return null;
  }
}

// ---- Snapshot ----------------------------------------------------------------------------------

interface NextSnapshot {
  readonly plan: ManifestPlan;
  readonly wanted: readonly DataFile[];
  readonly writing: Writing;
  now(): number;
  /** Of the summary, besides those of the standard. */
  readonly entries: Readonly<Record<string, string>>;
}

async function writeSnapshot(table: TableFolder, metadata: TableMetadata, next: NextSnapshot): Promise<Snapshot> {
  const { plan, writing } = next;
  const { snapshotId, sequenceNumber } = writing;
  const unique = randomUUID();
  const shape = shapeOf(metadata);
  const manifests: ManifestFile[] = [...plan.kept];
  for (const [i, entries] of plan.written.entries()) {
    const content = await encodeManifest(shape, entries);
    const path = await writeMetadataFile(table, `${unique}-m${i}.avro`, content);
    manifests.push(summariseManifest({ path, bytes: content.length }, entries, shape, writing));
  }
  const parentId = metadata['current-snapshot-id'] ?? null;
  const list = await encodeManifestList(manifests, { ...writing, parentId });
  const listPath = await writeMetadataFile(table, `snap-${snapshotId}-${unique}.avro`, list);
  return {
    'snapshot-id': snapshotId,
    ...(parentId === null ? {} : { 'parent-snapshot-id': parentId }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': Math.max(next.now(), metadata['last-updated-ms']),
    'manifest-list': listPath,
    summary: summarise(next),
    'schema-id': shape.schema['schema-id'],
  };
}

/** @see Iceberg table spec, appendix F: optional snapshot summary fields */
function summarise({ plan: { added, removed }, wanted, entries }: NextSnapshot): Record<string, string> {
  const rows = (files: readonly DataFile[]) => String(files.reduce((sum, file) => sum + file.rows, 0));
  const bytes = (files: readonly DataFile[]) => String(files.reduce((sum, file) => sum + file.bytes, 0));
  const operation = removed.length === 0 ? 'append' : added.length === 0 ? 'delete' : 'overwrite';
  return {
    operation,
    'added-data-files': String(added.length),
    'added-records': rows(added),
    'added-files-size': bytes(added),
    'deleted-data-files': String(removed.length),
    'deleted-records': rows(removed),
    'removed-files-size': bytes(removed),
    'total-data-files': String(wanted.length),
    'total-records': rows(wanted),
    'total-files-size': bytes(wanted),
    'total-delete-files': '0',
    'total-position-deletes': '0',
    'total-equality-deletes': '0',
    ...entries,
  };
}
