import { type AvroRow, decodeAvro, encodeAvro } from './avro-file.ts';
import type { DataFile } from './data-file.ts';
import type { IcebergPrimitive, IcebergSchema } from './iceberg-types.ts';
import { type PartitionSpec, type TypedPartitionField, typePartition } from './partition-spec.ts';

/** Of a file within a manifest: in the table before, added by the manifest's snapshot, or removed by it. */
export const EXISTING = 0;
export const ADDED = 1;
export const DELETED = 2;

export interface ManifestEntry {
  readonly status: typeof EXISTING | typeof ADDED | typeof DELETED;
  /** The snapshot that added the file, or removed it. */
  readonly snapshotId: number;
  /** That of the snapshot that added the file; null: the manifest's own. */
  readonly sequenceNumber: number | null;
  readonly file: DataFile;
}

/** What the files of a manifest have in common. */
export interface IcebergTableShape {
  readonly schema: IcebergSchema;
  readonly spec: PartitionSpec;
}

/** Writes a manifest of data files. @see Iceberg table spec, "Manifests" */
export async function encodeManifest(shape: IcebergTableShape, entries: readonly ManifestEntry[]): Promise<Buffer> {
  const { schema, spec } = shape;
  const partition = typePartition(spec, schema);
  const metadata = {
    schema: JSON.stringify(schema),
    'schema-id': String(schema['schema-id']),
    'partition-spec': JSON.stringify(spec.fields),
    'partition-spec-id': String(spec['spec-id']),
    'format-version': '2',
    content: 'data',
  };
  return encodeAvro(
    entrySchema(partition),
    metadata,
    entries.map((entry) => toRow(entry, partition)),
  );
}

/** Reads a manifest that `encodeManifest` has written. */
export async function decodeManifest(bytes: Uint8Array, { schema, spec }: IcebergTableShape): Promise<ManifestEntry[]> {
  const partition = typePartition(spec, schema);
  return (await decodeAvro(bytes)).map((row) => toEntry(row, partition));
}

// ---- Schema ------------------------------------------------------------------------------------

/** Types of partition values in Avro. */
const AVRO_TYPES: Readonly<Partial<Record<IcebergPrimitive, unknown>>> = {
  string: 'string',
  int: 'int',
  date: { type: 'int', logicalType: 'date' },
};

function entrySchema(partition: readonly TypedPartitionField[]): object {
  return record('manifest_entry', [
    field(0, 'status', 'int'),
    optional(1, 'snapshot_id', 'long'),
    optional(3, 'sequence_number', 'long'),
    optional(4, 'file_sequence_number', 'long'),
    field(2, 'data_file', dataFileSchema(partition)),
  ]);
}

function dataFileSchema(partition: readonly TypedPartitionField[]): object {
  const values = partition.map(({ id, name, type }) => optional(id, name, AVRO_TYPES[type]));
  return record('r2', [
    field(134, 'content', 'int'),
    field(100, 'file_path', 'string'),
    field(101, 'file_format', 'string'),
    field(102, 'partition', record('r102', values)),
    field(103, 'record_count', 'long'),
    field(104, 'file_size_in_bytes', 'long'),
    optional(108, 'column_sizes', mapOf(117, 118, 'long')),
    optional(109, 'value_counts', mapOf(119, 120, 'long')),
    optional(110, 'null_value_counts', mapOf(121, 122, 'long')),
    optional(125, 'lower_bounds', mapOf(126, 127, 'bytes')),
    optional(128, 'upper_bounds', mapOf(129, 130, 'bytes')),
    optional(132, 'split_offsets', { type: 'array', items: 'long', 'element-id': 133 }),
    optional(140, 'sort_order_id', 'int'),
  ]);
}

export function record(name: string, fields: readonly object[]): object {
  return { type: 'record', name, fields };
}

export function field(id: number, name: string, type: unknown): object {
  return { name, type, 'field-id': id };
}

export function optional(id: number, name: string, type: unknown): object {
  return { name, type: ['null', type], default: null, 'field-id': id };
}

/** A map from column ids: Avro's own maps have texts as keys, so that it is a list of pairs. */
function mapOf(keyId: number, valueId: number, valueType: string): object {
  const pair = record(`k${keyId}_v${valueId}`, [field(keyId, 'key', 'int'), field(valueId, 'value', valueType)]);
  return { type: 'array', logicalType: 'map', items: pair };
}

// ---- Rows --------------------------------------------------------------------------------------

function toRow({ status, snapshotId, sequenceNumber, file }: ManifestEntry, partition: readonly { name: string }[]) {
  return {
    status,
    snapshot_id: snapshotId,
    sequence_number: sequenceNumber,
    file_sequence_number: sequenceNumber,
    data_file: {
      content: 0,
      file_path: file.path,
      file_format: 'PARQUET',
      partition: Object.fromEntries(partition.map(({ name }, i) => [name, file.partition[i]!])),
      record_count: file.rows,
      file_size_in_bytes: file.bytes,
      column_sizes: toPairs(file.columnBytes),
      value_counts: toPairs(file.valueCounts),
      null_value_counts: toPairs(file.nullCounts),
      lower_bounds: toPairs(file.lowerBounds),
      upper_bounds: toPairs(file.upperBounds),
      split_offsets: file.splitOffsets,
      sort_order_id: 0,
    },
  };
}

function toEntry(row: AvroRow, partition: readonly { name: string }[]): ManifestEntry {
  const {
    status,
    snapshot_id: snapshotId,
    sequence_number: sequenceNumber,
    data_file: stored,
  } = row as never as {
    readonly status: ManifestEntry['status'];
    readonly snapshot_id: number;
    readonly sequence_number: number | null;
    readonly data_file: ReturnType<typeof toRow>['data_file'];
  };
  const file: DataFile = {
    path: stored.file_path,
    partition: partition.map(({ name }) => stored.partition[name]!),
    rows: stored.record_count,
    bytes: stored.file_size_in_bytes,
    columnBytes: toMap(stored.column_sizes),
    valueCounts: toMap(stored.value_counts),
    nullCounts: toMap(stored.null_value_counts),
    lowerBounds: toMap(stored.lower_bounds),
    upperBounds: toMap(stored.upper_bounds),
    splitOffsets: [...stored.split_offsets],
  };
  return { status, snapshotId, sequenceNumber, file };
}

interface Pair<Value> {
  readonly key: number;
  readonly value: Value;
}

function toPairs<Value>(map: ReadonlyMap<number, Value>): Pair<Value>[] {
  return [...map].sort(([a], [b]) => a - b).map(([key, value]) => ({ key, value }));
}

function toMap<Value>(pairs: readonly Pair<Value>[]): Map<number, Value> {
  return new Map(pairs.map(({ key, value }) => [key, value]));
}
