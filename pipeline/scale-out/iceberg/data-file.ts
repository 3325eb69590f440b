import { type FileHandle, open } from 'node:fs/promises';
import { type ColumnMetaData, type FileMetaData, parquetMetadataAsync } from 'hyparquet';
import { ExternalError } from '../../effects/external-error.ts';
import { type SerializedBounds, toBounds, type ValueRange } from './bounds.ts';
import { type IcebergPrimitive, type IcebergSchema, type IcebergValue, isReadableAs } from './iceberg-types.ts';
import { listParquetLeaves, type ParquetLeaf } from './parquet-leaves.ts';
import type { PartitionTuple } from './partition-spec.ts';
import { listLeaves, type SchemaLeaf } from './schema.ts';

/** A file of a table as its manifests describe it. Columns are named by their ids. */
export interface DataFile extends DataFileFacts {
  /** Where readers find it: a URI. */
  readonly path: string;
  readonly partition: PartitionTuple;
}

interface DataFileFacts {
  readonly rows: number;
  readonly bytes: number;
  readonly columnBytes: ReadonlyMap<number, number>;
  /** Values with nulls; of columns with one value per row. */
  readonly valueCounts: ReadonlyMap<number, number>;
  readonly nullCounts: ReadonlyMap<number, number>;
  readonly lowerBounds: ReadonlyMap<number, Buffer>;
  readonly upperBounds: ReadonlyMap<number, Buffer>;
  /** Where the row groups begin. */
  readonly splitOffsets: readonly number[];
}

/**
 * Describes a Parquet file for the manifests of a table, from its footer alone.
 * @throws ExternalError `file_damaged`; `file_unfit` when a column has a type that the table's readers would not accept
 */
export async function describeDataFile(file: string, schema: IcebergSchema): Promise<DataFileFacts> {
  const { footer, bytes } = await readFooter(file);
  const leaves = listParquetLeaves(footer.schema);
  const known = listLeaves(schema);
  for (const { path, type } of leaves) {
    const expected = known.get(path)?.type;
    if (expected === undefined || (type !== null && isReadableAs(type, expected))) continue;
    throw new ExternalError('file_unfit', `${file}: ${path} is ${type ?? 'of an unknown type'}, not ${expected}`);
  }
  assertSigned(file, footer, leaves);
  return { rows: Number(footer.num_rows), bytes, ...measureColumns(footer, leaves, known) };
}

/** Rows of a Parquet file, by its footer. @throws ExternalError `file_damaged` */
export async function countRows(file: string): Promise<number> {
  return Number((await readFooter(file)).footer.num_rows);
}

const MAX_INT = 2 ** 31 - 1;

/** Readers take unsigned integers of 32 bits for signed ones. */
function assertSigned(file: string, { row_groups: groups }: FileMetaData, leaves: readonly ParquetLeaf[]): void {
  for (const [place, { path, type }] of leaves.entries()) {
    const isBeyond = groups.some(({ columns }) => Number(columns[place]!.meta_data!.statistics?.max_value) > MAX_INT);
    if (type === 'int' && isBeyond) throw new ExternalError('file_unfit', `${file}: ${path} has values beyond int`);
  }
}

function measureColumns(
  { row_groups: groups }: FileMetaData,
  leaves: readonly ParquetLeaf[],
  known: ReadonlyMap<string, SchemaLeaf>,
) {
  const facts = {
    columnBytes: new Map<number, number>(),
    valueCounts: new Map<number, number>(),
    nullCounts: new Map<number, number>(),
    lowerBounds: new Map<number, Buffer>(),
    upperBounds: new Map<number, Buffer>(),
  };
  for (const [place, { path, isRepeated }] of leaves.entries()) {
    const leaf = known.get(path);
    if (!leaf) continue;
    const { id, type } = leaf;
    const chunks = groups.map(({ columns }) => columns[place]!.meta_data!);
    facts.columnBytes.set(
      id,
      sum(chunks, (chunk) => chunk.total_compressed_size),
    );
    if (isRepeated) continue;
    facts.valueCounts.set(
      id,
      sum(chunks, (chunk) => chunk.num_values),
    );
    const isCounted = chunks.every(({ statistics }) => statistics?.null_count !== undefined);
    if (isCounted)
      facts.nullCounts.set(
        id,
        sum(chunks, ({ statistics }) => statistics!.null_count!),
      );
    const { lower, upper } = boundsOf(chunks, type);
    if (lower) facts.lowerBounds.set(id, lower);
    if (upper) facts.upperBounds.set(id, upper);
  }
  return { ...facts, splitOffsets: groups.map(({ columns }) => startOf(columns[0]!.meta_data!)) };
}

function boundsOf(chunks: readonly ColumnMetaData[], type: IcebergPrimitive): SerializedBounds {
  const withValues = chunks.filter(({ num_values: values, statistics }) => values !== statistics?.null_count);
  return toBounds(type, withValues.map(rangeOf));
}

function rangeOf({ statistics }: ColumnMetaData): ValueRange | null {
  const { min_value: least, max_value: greatest } = statistics ?? {};
  return least === undefined || greatest === undefined
    ? null
    : { least: least as IcebergValue, greatest: greatest as IcebergValue };
}

function startOf({ dictionary_page_offset: dictionary, data_page_offset: data }: ColumnMetaData): number {
  return Number(dictionary && dictionary < data ? dictionary : data);
}

function sum(chunks: readonly ColumnMetaData[], value: (chunk: ColumnMetaData) => bigint): number {
  return Number(chunks.reduce((total, chunk) => total + value(chunk), 0n));
}

// ---- Footer ------------------------------------------------------------------------------------

/** Statistics stay as they are stored: dates in days, times in the unit of the column. */
const asStored = {
  dateFromDays: (days: number) => days,
  timestampFromMilliseconds: (value: bigint) => value,
  timestampFromMicroseconds: (value: bigint) => value,
  timestampFromNanoseconds: (value: bigint) => value,
};

async function readFooter(file: string): Promise<{ readonly footer: FileMetaData; readonly bytes: number }> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const slice = (start: number, end = size) => readPart(handle, start, end);
    const parsers = asStored as never;
    return { footer: await parquetMetadataAsync({ byteLength: size, slice }, { parsers }), bytes: size };
  } catch (cause) {
    throw new ExternalError('file_damaged', `a Parquet file is damaged: ${file}`, { cause });
  } finally {
    await handle.close();
  }
}

async function readPart(handle: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const part = new ArrayBuffer(end - start);
  await handle.read(new Uint8Array(part), 0, end - start, start);
  return part;
}
