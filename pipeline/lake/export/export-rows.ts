import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  AsyncByteQueue,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow';
import { type ColumnChunk, type Duckdb, sqlText } from '../../effects/duckdb.ts';
import { syncFile, syncFolder } from '../../effects/files.ts';
import { assertRowCount } from '../parquet-facts.ts';
import type { ExportFormat, ExportProfile } from './export-formats.ts';
import {
  describeColumns,
  type PlainType,
  type ResultColumn,
  toFlatSelect,
  toPlainSelect,
  toPlainType,
} from './export-select.ts';

/** Rows of one record batch, which is the amount held in memory. */
const BATCH_ROWS = 65_536;

/**
 * Writes a query as an Arrow IPC stream, record batch by record batch, so that a result may be of any length.
 * @returns the number of rows
 */
async function writeArrowStream(
  db: Duckdb,
  columns: readonly ResultColumn[],
  select: string,
  file: string,
): Promise<number> {
  const counted = { rows: 0 };
  const batches = readBatches(db, columns, select, counted);
  await pipeline(encodeStream(batches), createWriteStream(file));
  return counted.rows;
}

/**
 * The bytes of a stream, batch by batch. The package's own stream for Node leaves a rejection unhandled when its
 * destination fails, which ends the process.
 */
async function* encodeStream(batches: AsyncIterable<RecordBatch>): AsyncGenerator<Uint8Array> {
  const sink = new ByteSink();
  const writer = new RecordBatchStreamWriter();
  writer.reset(sink);
  for await (const batch of batches) {
    writer.write(batch);
    yield* sink.take();
  }
  writer.finish();
  yield* sink.take();
}

/** Buffers written bytes until they are taken. */
class ByteSink extends AsyncByteQueue {
  private pieces: Uint8Array[] = [];

  override write(bytes: Uint8Array): void {
    if (bytes.byteLength > 0) this.pieces.push(bytes);
  }

  take(): Uint8Array[] {
    const taken = this.pieces;
    this.pieces = [];
    return taken;
  }
}

async function* readBatches(
  db: Duckdb,
  columns: readonly ResultColumn[],
  select: string,
  counted: { rows: number },
): AsyncGenerator<RecordBatch> {
  const types = columns.map(({ type }) => toPlainType(type));
  const schema = new Schema(columns.map(({ name }, i) => new Field(name, makeBuilder(types[i]!).type, true)));
  let builders = types.map(makeBuilder);
  let rows = 0;
  const finish = () => {
    const children = builders.map((builder) => builder.finish(rows));
    const batch = new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: rows, children }));
    builders = types.map(makeBuilder);
    counted.rows += rows;
    rows = 0;
    return batch;
  };
  for await (const { rowCount, column } of db.readChunks(toPlainSelect(columns, select))) {
    if (rows + rowCount > BATCH_ROWS) yield finish();
    for (const [i, builder] of builders.entries()) builder.append(column(i), rows, rowCount);
    rows += rowCount;
  }
  // A stream without rows has one empty batch, which defines the columns.
  if (rows > 0 || counted.rows === 0) yield finish();
}

/** Collects the values of one column of a batch. */
interface ColumnBuilder {
  readonly type: DataType;
  append(chunk: ColumnChunk, from: number, count: number): void;
  finish(rows: number): Data;
}

function makeBuilder(type: PlainType): ColumnBuilder {
  switch (type) {
    case 'INTEGER':
      return numberBuilder(new Int32(), new Int32Array(BATCH_ROWS));
    case 'BIGINT':
      return numberBuilder(new Int64(), new BigInt64Array(BATCH_ROWS));
    case 'DOUBLE':
      return numberBuilder(new Float64(), new Float64Array(BATCH_ROWS));
    case 'DATE':
      return numberBuilder(new DateDay(), new Int32Array(BATCH_ROWS));
    case 'TIMESTAMP':
      return numberBuilder(new TimestampMicrosecond(), new BigInt64Array(BATCH_ROWS));
    case 'TIMESTAMP WITH TIME ZONE':
      return numberBuilder(new TimestampMicrosecond('UTC'), new BigInt64Array(BATCH_ROWS));
    case 'BOOLEAN':
      return flagBuilder();
    case 'VARCHAR':
      return textBuilder();
  }
}

/** Validity bitmap of the values. */
function nullBuilder() {
  const bits = new Uint8Array(BATCH_ROWS / 8);
  let nullCount = 0;
  return {
    append(chunk: ColumnChunk, from: number, count: number): void {
      for (let row = 0; row < count; row++) {
        if (chunk.isNull(row)) nullCount++;
        else setBit(bits, from + row);
      }
    },
    finish: (rows: number) => ({ nullCount, nullBitmap: nullCount > 0 ? bits.subarray(0, (rows + 7) >> 3) : null }),
  };
}

function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3]! |= 1 << (index & 7);
}

type Values = Int32Array | BigInt64Array | Float64Array;

function numberBuilder(type: DataType, values: Values): ColumnBuilder {
  const nulls = nullBuilder();
  return {
    type,
    append(chunk, from, count) {
      nulls.append(chunk, from, count);
      if (!chunk.items) throw new Error(`a column of type ${type} did not come as numbers`);
      (values as Int32Array).set(chunk.items.subarray(0, count) as Int32Array, from);
    },
    finish: (rows) =>
      makeData({ type, length: rows, data: values.subarray(0, rows), ...nulls.finish(rows) } as never) as Data,
  };
}

function flagBuilder(): ColumnBuilder {
  const nulls = nullBuilder();
  const bits = new Uint8Array(BATCH_ROWS / 8);
  return {
    type: new Bool(),
    append(chunk, from, count) {
      nulls.append(chunk, from, count);
      for (let row = 0; row < count; row++) if (chunk.get(row) === true) setBit(bits, from + row);
    },
    finish: (rows) =>
      makeData({ type: new Bool(), length: rows, data: bits.subarray(0, (rows + 7) >> 3), ...nulls.finish(rows) }),
  };
}

function textBuilder(): ColumnBuilder {
  const nulls = nullBuilder();
  const offsets = new Int32Array(BATCH_ROWS + 1);
  let bytes = Buffer.alloc(1 << 16);
  let length = 0;
  const add = (text: string) => {
    // UTF-8 takes at most three bytes for a unit of a JavaScript text.
    const needed = length + text.length * 3;
    if (needed > bytes.length) bytes = Buffer.concat([bytes], Math.max(needed, bytes.length * 2));
    length += bytes.write(text, length, 'utf8');
  };
  return {
    type: new Utf8(),
    append(chunk, from, count) {
      nulls.append(chunk, from, count);
      for (let row = 0; row < count; row++) {
        const text = chunk.get(row);
        if (text !== null) add(String(text));
        offsets[from + row + 1] = length;
      }
    },
    finish: (rows) =>
      makeData({
        type: new Utf8(),
        length: rows,
        valueOffsets: offsets.subarray(0, rows + 1),
        data: bytes.subarray(0, length),
        ...nulls.finish(rows),
      }),
  };
}

interface RowExport {
  readonly select: string;
  readonly file: string;
  readonly format: ExportFormat;
  /**
   * `portable`: Parquet that the simplest readers understand: snappy, pages of the first version, no dictionaries, only
   * plain types; null: Parquet as in the lake.
   */
  readonly profile: ExportProfile | null;
  /** From `parquetFacts`; only Parquet has a place for them. */
  readonly facts: string;
}

/**
 * Writes the rows of a query to one file, atomically.
 * @param onFile called with the temporary path of the rows
 * @returns the number of rows
 */
export async function exportRows(
  db: Duckdb,
  rowExport: RowExport,
  onFile: (aside: string) => void = () => {},
): Promise<number> {
  const { file } = rowExport;
  await mkdir(path.dirname(file), { recursive: true });
  const aside = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  onFile(aside);
  try {
    const rows = await writeRows(db, { ...rowExport, file: aside });
    await syncFile(aside);
    await rename(aside, file);
    await syncFolder(path.dirname(file));
    return rows;
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

async function writeRows(db: Duckdb, { select, file, format, profile, facts }: RowExport): Promise<number> {
  const columns = await describeColumns(db, select);
  if (format === 'arrow') return writeArrowStream(db, columns, select, file);
  if (format === 'csv') return copy(db, toFlatSelect(columns, select), file, 'format csv, header true');
  const rows =
    profile === 'portable'
      ? await copy(db, toPlainSelect(columns, select), file, `${PORTABLE}, ${facts}`)
      : await copy(db, select, file, `format parquet, compression zstd, ${facts}`);
  await assertRowCount(db, file, rows);
  return rows;
}

const PORTABLE = 'format parquet, parquet_version v1, compression snappy, dictionary_size_limit 0';

async function copy(db: Duckdb, select: string, file: string, options: string): Promise<number> {
  const [copied] = await db.query(`copy (${select}) to ${sqlText(file)} (${options})`);
  return Number(copied?.Count);
}
