import { open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import {
  type Data,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  makeData,
  makeVector,
  Table,
  tableFromIPC,
  tableToIPC,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Vector,
} from 'apache-arrow';
import { type ColumnsOf, type ColumnType, type FileFacts, type TableShape, TextColumn } from '../model/column.ts';
import { ExternalError } from './external-error.ts';
import { readSharedFile } from './shared-memory.ts';

/**
 * Tables of a snapshot as Arrow IPC files: any tool opens them, and we use their buffers in place as typed arrays.
 * Every table is one record batch without nulls; a column with unknown values has a reserved value for them.
 */
const numberTypes = {
  i8: { array: Int8Array, type: () => new Int8() },
  u8: { array: Uint8Array, type: () => new Uint8() },
  i16: { array: Int16Array, type: () => new Int16() },
  u16: { array: Uint16Array, type: () => new Uint16() },
  i32: { array: Int32Array, type: () => new Int32() },
  u32: { array: Uint32Array, type: () => new Uint32() },
  u64: { array: BigUint64Array, type: () => new Uint64() },
  f32: { array: Float32Array, type: () => new Float32() },
  f64: { array: Float64Array, type: () => new Float64() },
} as const;

/** Writes a table to a new file and syncs it to disk. */
export async function writeArrowTable<Shape extends TableShape>(
  file: string,
  shape: Shape,
  columns: ColumnsOf<Shape>,
): Promise<FileFacts> {
  const bytes = toArrowBytes(shape, columns);
  const handle = await open(file, 'wx');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes: bytes.byteLength, crc32: await checksum(bytes) };
}

/** A table as the bytes of an Arrow IPC file. */
export function toArrowBytes<Shape extends TableShape>(shape: Shape, columns: ColumnsOf<Shape>): Uint8Array {
  const vectors: Record<string, Vector> = {};
  for (const [name, type] of Object.entries(shape)) vectors[toSnakeCase(name)] = toVector(type, columns[name]);
  return tableToIPC(new Table(vectors), 'file');
}

function toVector(type: ColumnType, column: unknown): Vector {
  if (column instanceof TextColumn) return new Vector([toData(column)]);
  if (type === 'text') throw new TypeError('a text column must be a TextColumn');
  const { array, type: arrowType } = numberTypes[type];
  if (!(column instanceof array)) throw new TypeError(`a column of type ${type} must be a ${array.name}`);
  return makeVector(makeData({ type: arrowType(), length: column.length, data: column } as never));
}

function toData({ length, offsets, bytes }: TextColumn): Data<Utf8> {
  return makeData({ type: new Utf8(), length, valueOffsets: offsets, data: bytes });
}

/**
 * Reads a table in place.
 * @param facts size and checksum of the file when it was published
 * @throws Error when the file was changed since, is not an Arrow file, or does not have this shape
 */
export async function readArrowTable<Shape extends TableShape>(
  file: string,
  shape: Shape,
  facts: FileFacts | undefined,
): Promise<ColumnsOf<Shape>> {
  return fromArrowBytes(await readPublished(file, facts), shape, file);
}

/**
 * Reads a table in place from the bytes of an Arrow IPC file.
 * @param file names it in errors
 * @throws Error when they are not an Arrow file, or do not have this shape
 */
export function fromArrowBytes<Shape extends TableShape>(
  bytes: Uint8Array,
  shape: Shape,
  file: string,
): ColumnsOf<Shape> {
  const table = tableFromIPC(bytes);
  const columns: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(shape)) {
    const vector = table.getChild(toSnakeCase(name));
    if (!vector) throw new ExternalError('snapshot_damaged', `${file} lacks the column ${toSnakeCase(name)}`);
    columns[name] = readColumn(file, name, type, vector);
  }
  return columns as ColumnsOf<Shape>;
}

/**
 * Reads a published file into shared memory.
 * @throws Error when the file is missing or was changed since it was published
 */
export async function readPublished(file: string, facts: FileFacts | undefined): Promise<Uint8Array> {
  const bytes = await readSharedFile(file);
  if (bytes.length !== facts?.bytes || (await checksum(bytes)) !== facts.crc32) {
    throw new ExternalError(
      'snapshot_damaged',
      `${file} was damaged after it was published: run ingest-timetable again`,
    );
  }
  return bytes;
}

/** One millisecond on a slow machine; several files may be checked in one turn of the event loop. */
const CHECKSUM_PIECE_BYTES = 1 << 20;

/** In pieces, as a gigabyte takes 0.7 s and a service keeps answering while it loads a snapshot. */
async function checksum(bytes: Uint8Array): Promise<number> {
  let value = 0;
  for (let at = 0; at < bytes.length; at += CHECKSUM_PIECE_BYTES) {
    value = crc32(bytes.subarray(at, at + CHECKSUM_PIECE_BYTES), value);
    await setImmediate();
  }
  return value;
}

function readColumn(file: string, name: string, type: ColumnType, vector: Vector): unknown {
  const data = vector.data[0];
  if (type === 'text') {
    if (!data || data.length === 0) return TextColumn.from([]);
    if (!(data.type instanceof Utf8)) throw new Error(`${file}: ${name} is not a text`);
    return new TextColumn(data.values as Uint8Array, (data.valueOffsets as Int32Array).subarray(0, data.length + 1));
  }
  const { array } = numberTypes[type];
  if (!data || data.length === 0) return new array(0);
  if (!(data.values instanceof array)) throw new Error(`${file}: ${name} is no ${type}`);
  return data.values.subarray(0, data.length);
}

/** Names are camelCase in code and snake_case in files. */
function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
