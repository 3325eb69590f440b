import { decodeAvro, encodeAvro } from './avro-file.ts';
import { toBounds } from './bounds.ts';
import {
  ADDED,
  DELETED,
  EXISTING,
  field,
  type IcebergTableShape,
  type ManifestEntry,
  optional,
  record,
} from './manifest.ts';
import { typePartition } from './partition-spec.ts';

/** A manifest as the list of its snapshot describes it. */
export interface ManifestFile {
  /** Where readers find it: a URI. */
  readonly path: string;
  readonly bytes: number;
  readonly specId: number;
  /** That of the snapshot that wrote it. */
  readonly sequenceNumber: number;
  /** The least of its files. */
  readonly minSequenceNumber: number;
  /** The snapshot that wrote it. */
  readonly snapshotId: number;
  readonly files: StatusCounts;
  readonly rows: StatusCounts;
  /** One per partition field. */
  readonly partitions: readonly { readonly lower: Buffer | null; readonly upper: Buffer | null }[];
}

interface StatusCounts {
  readonly added: number;
  readonly existing: number;
  readonly deleted: number;
}

/** The snapshot that writes a manifest. */
export interface Writing {
  readonly snapshotId: number;
  readonly sequenceNumber: number;
}

/** Describes a manifest for the list, so that readers skip it without opening it. */
export function summariseManifest(
  { path, bytes }: Pick<ManifestFile, 'path' | 'bytes'>,
  entries: readonly ManifestEntry[],
  { schema, spec }: IcebergTableShape,
  { snapshotId, sequenceNumber }: Writing,
): ManifestFile {
  const tuples = entries.map(({ file }) => file.partition);
  const count = (value: (entry: ManifestEntry) => number): StatusCounts => {
    const of = (wanted: number) =>
      entries.filter(({ status }) => status === wanted).reduce((sum, entry) => sum + value(entry), 0);
    return { added: of(ADDED), existing: of(EXISTING), deleted: of(DELETED) };
  };
  const alive = entries.filter(({ status }) => status !== DELETED);
  return {
    path,
    bytes,
    specId: spec['spec-id'],
    sequenceNumber,
    minSequenceNumber: Math.min(sequenceNumber, ...alive.map((entry) => entry.sequenceNumber ?? sequenceNumber)),
    snapshotId,
    files: count(() => 1),
    rows: count(({ file }) => file.rows),
    partitions: typePartition(spec, schema).map(({ type }, place) => {
      const values = tuples.map((tuple) => ({ least: tuple[place]!, greatest: tuple[place]! }));
      const { lower = null, upper = null } = toBounds(type, values);
      return { lower, upper };
    }),
  };
}

/** Writes the list of a snapshot's manifests. @see Iceberg table spec, "Manifest Lists" */
export async function encodeManifestList(
  manifests: readonly ManifestFile[],
  { snapshotId, sequenceNumber, parentId }: Writing & { readonly parentId: number | null },
): Promise<Buffer> {
  const metadata = {
    'snapshot-id': String(snapshotId),
    'parent-snapshot-id': String(parentId),
    'sequence-number': String(sequenceNumber),
    'format-version': '2',
  };
  return encodeAvro(listSchema, metadata, manifests.map(toRow));
}

/** Reads a list that `encodeManifestList` has written. */
export async function decodeManifestList(bytes: Uint8Array): Promise<ManifestFile[]> {
  return (await decodeAvro(bytes)).map((row) => toManifest(row as ReturnType<typeof toRow>));
}

const summarySchema = record('r508', [
  field(509, 'contains_null', 'boolean'),
  optional(518, 'contains_nan', 'boolean'),
  optional(510, 'lower_bound', 'bytes'),
  optional(511, 'upper_bound', 'bytes'),
]);

const listSchema = record('manifest_file', [
  field(500, 'manifest_path', 'string'),
  field(501, 'manifest_length', 'long'),
  field(502, 'partition_spec_id', 'int'),
  field(517, 'content', 'int'),
  field(515, 'sequence_number', 'long'),
  field(516, 'min_sequence_number', 'long'),
  field(503, 'added_snapshot_id', 'long'),
  field(504, 'added_files_count', 'int'),
  field(505, 'existing_files_count', 'int'),
  field(506, 'deleted_files_count', 'int'),
  field(512, 'added_rows_count', 'long'),
  field(513, 'existing_rows_count', 'long'),
  field(514, 'deleted_rows_count', 'long'),
  optional(507, 'partitions', { type: 'array', items: summarySchema, 'element-id': 508 }),
]);

function toRow(manifest: ManifestFile) {
  const { files, rows } = manifest;
  return {
    manifest_path: manifest.path,
    manifest_length: manifest.bytes,
    partition_spec_id: manifest.specId,
    content: 0,
    sequence_number: manifest.sequenceNumber,
    min_sequence_number: manifest.minSequenceNumber,
    added_snapshot_id: manifest.snapshotId,
    added_files_count: files.added,
    existing_files_count: files.existing,
    deleted_files_count: files.deleted,
    added_rows_count: rows.added,
    existing_rows_count: rows.existing,
    deleted_rows_count: rows.deleted,
    partitions: manifest.partitions.map(({ lower, upper }) => ({
      contains_null: false,
      contains_nan: false,
      lower_bound: lower,
      upper_bound: upper,
    })),
  };
}

function toManifest(row: ReturnType<typeof toRow>): ManifestFile {
  return {
    path: row.manifest_path,
    bytes: row.manifest_length,
    specId: row.partition_spec_id,
    sequenceNumber: row.sequence_number,
    minSequenceNumber: row.min_sequence_number,
    snapshotId: row.added_snapshot_id,
    files: { added: row.added_files_count, existing: row.existing_files_count, deleted: row.deleted_files_count },
    rows: { added: row.added_rows_count, existing: row.existing_rows_count, deleted: row.deleted_rows_count },
    partitions: row.partitions.map(({ lower_bound: lower, upper_bound: upper }) => ({ lower, upper })),
  };
}
