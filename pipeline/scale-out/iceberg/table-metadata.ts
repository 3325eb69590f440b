import type { IcebergSchema } from './iceberg-types.ts';
import { lastPartitionId, type PartitionField, type PartitionSpec, toPartitionSpec } from './partition-spec.ts';
import { evolveSchema, type LakeColumns, mapNames } from './schema.ts';

/** A table as the code defines it. */
export interface TableDefinition {
  readonly namespace: string;
  readonly name: string;
  readonly about: string;
  readonly columns: LakeColumns;
  /** The last one is the service date, or its month. */
  readonly partitionBy: readonly PartitionField[];
}

export interface Snapshot {
  readonly 'snapshot-id': number;
  readonly 'parent-snapshot-id'?: number;
  readonly 'sequence-number': number;
  readonly 'timestamp-ms': number;
  readonly 'manifest-list': string;
  readonly summary: Readonly<Record<string, string>>;
  readonly 'schema-id': number;
}

/** Metadata of a table, format version 2. @see Iceberg table spec, "Table Metadata Fields" */
export interface TableMetadata {
  readonly 'format-version': 2;
  readonly 'table-uuid': string;
  readonly location: string;
  readonly 'last-sequence-number': number;
  readonly 'last-updated-ms': number;
  readonly 'last-column-id': number;
  readonly 'current-schema-id': number;
  readonly schemas: readonly IcebergSchema[];
  readonly 'default-spec-id': number;
  readonly 'partition-specs': readonly PartitionSpec[];
  readonly 'last-partition-id': number;
  readonly properties: Readonly<Record<string, string>>;
  /** Absent before the first snapshot. */
  readonly 'current-snapshot-id'?: number;
  readonly snapshots: readonly Snapshot[];
  readonly 'snapshot-log': readonly { readonly 'timestamp-ms': number; readonly 'snapshot-id': number }[];
  readonly 'metadata-log': readonly { readonly 'timestamp-ms': number; readonly 'metadata-file': string }[];
  readonly 'sort-orders': readonly [{ readonly 'order-id': 0; readonly fields: readonly [] }];
  readonly 'default-sort-order-id': 0;
  readonly refs: Readonly<Record<string, { readonly 'snapshot-id': number; readonly type: 'branch' }>>;
}

/**
 * The metadata of a table as the code defines it now, with the snapshots that it has.
 * @param before null: a new table. A table at another location or with another partition spec starts over, without its
 * snapshots, whose paths are invalid now; its columns keep their ids
 * @param uuid of a new table
 */
export function defineTable(
  { columns, partitionBy, about }: TableDefinition,
  location: string,
  before: TableMetadata | null,
  uuid: string,
): TableMetadata {
  const schemas = before?.schemas ?? [];
  const { schema, lastColumnId } = evolveSchema(columns, { schemas, lastColumnId: before?.['last-column-id'] ?? 0 });
  const spec = toPartitionSpec(partitionBy, schema);
  const isKnown = schemas.some((one) => one['schema-id'] === schema['schema-id']);
  const isSame = before?.location === location && JSON.stringify(before['partition-specs'][0]) === JSON.stringify(spec);
  return {
    'format-version': 2,
    'table-uuid': before?.['table-uuid'] ?? uuid,
    location,
    'last-sequence-number': before?.['last-sequence-number'] ?? 0,
    'last-updated-ms': before?.['last-updated-ms'] ?? 0,
    'last-column-id': lastColumnId,
    'current-schema-id': schema['schema-id'],
    schemas: isKnown ? schemas : [...schemas, schema],
    'default-spec-id': spec['spec-id'],
    'partition-specs': [spec],
    'last-partition-id': lastPartitionId(spec),
    properties: {
      comment: about,
      'schema.name-mapping.default': mapNames(schema, schemas),
      'write.format.default': 'parquet',
    },
    ...(isSame ? pastOf(before!) : { snapshots: [], 'snapshot-log': [], 'metadata-log': [], refs: {} }),
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
  };
}

function pastOf(before: TableMetadata) {
  const current = before['current-snapshot-id'];
  return {
    ...(current === undefined ? {} : { 'current-snapshot-id': current }),
    snapshots: before.snapshots,
    'snapshot-log': before['snapshot-log'],
    'metadata-log': before['metadata-log'],
    refs: before.refs,
  };
}

export function currentSchema(metadata: TableMetadata): IcebergSchema {
  return metadata.schemas.find((schema) => schema['schema-id'] === metadata['current-schema-id'])!;
}

/** Null before the first one. */
export function findCurrentSnapshot(metadata: TableMetadata): Snapshot | null {
  const id = metadata['current-snapshot-id'];
  return metadata.snapshots.find((snapshot) => snapshot['snapshot-id'] === id) ?? null;
}

/** Adds a snapshot, which becomes the current one. */
export function addSnapshot(metadata: TableMetadata, snapshot: Snapshot): TableMetadata {
  const id = snapshot['snapshot-id'];
  return {
    ...metadata,
    'last-sequence-number': snapshot['sequence-number'],
    'current-snapshot-id': id,
    snapshots: [...metadata.snapshots, snapshot],
    'snapshot-log': [...metadata['snapshot-log'], { 'timestamp-ms': snapshot['timestamp-ms'], 'snapshot-id': id }],
    refs: { main: { 'snapshot-id': id, type: 'branch' } },
  };
}

/** Notes the time of a change, and the file of the metadata before it. */
export function noteChange(metadata: TableMetadata, now: number, beforeFile: string | null): TableMetadata {
  const before = metadata['last-updated-ms'];
  const log = metadata['metadata-log'];
  return {
    ...metadata,
    'last-updated-ms': Math.max(now, before),
    'metadata-log': beforeFile ? [...log, { 'timestamp-ms': before, 'metadata-file': beforeFile }] : log,
  };
}

/** Which snapshots of a table stay readable. */
export interface SnapshotLimits {
  /** Milliseconds since 1970: younger ones stay. */
  readonly expireBefore: number;
  /** So many stay in any case, the current one included. */
  readonly keep: number;
}

/** Drops snapshots, and names of former metadata files, that were replaced before the limits say. */
export function expireSnapshots(metadata: TableMetadata, { expireBefore, keep }: SnapshotLimits): TableMetadata {
  const replacements = timesOfReplacement(metadata);
  const isKept = (snapshot: Snapshot, place: number) =>
    place >= metadata.snapshots.length - keep ||
    snapshot['snapshot-id'] === metadata['current-snapshot-id'] ||
    (replacements.get(snapshot['snapshot-id']) ?? 0) >= expireBefore;
  const snapshots = metadata.snapshots.filter(isKept);
  const ids = new Set(snapshots.map((snapshot) => snapshot['snapshot-id']));
  const log = metadata['snapshot-log'];
  // The log has no gaps: what was before a snapshot that is gone is gone as well.
  const lastGone = log.map((entry) => ids.has(entry['snapshot-id'])).lastIndexOf(false);
  return {
    ...metadata,
    snapshots,
    'snapshot-log': log.slice(lastGone + 1),
    'metadata-log': metadata['metadata-log'].filter((_, i, all) => {
      const replacedAt = all[i + 1]?.['timestamp-ms'] ?? metadata['last-updated-ms'];
      return replacedAt >= expireBefore;
    }),
  };
}

/** When each snapshot stopped being the current one: a reader that opened it just before may still need it. */
function timesOfReplacement({ snapshots }: TableMetadata): ReadonlyMap<number, number> {
  return new Map(
    snapshots.slice(0, -1).map((snapshot, i) => [snapshot['snapshot-id'], snapshots[i + 1]!['timestamp-ms']]),
  );
}
