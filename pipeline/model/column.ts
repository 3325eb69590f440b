// Columns of a snapshot in memory. `arrow-table.ts` reads and writes them, so that readers need not load its library.

type NumberType = 'i8' | 'u8' | 'i16' | 'u16' | 'i32' | 'u32' | 'u64' | 'f32' | 'f64';
export type ColumnType = NumberType | 'text';
export type TableShape = Readonly<Record<string, ColumnType>>;

interface Columns {
  i8: Int8Array;
  u8: Uint8Array;
  i16: Int16Array;
  u16: Uint16Array;
  i32: Int32Array;
  u32: Uint32Array;
  u64: BigUint64Array;
  f32: Float32Array;
  f64: Float64Array;
  text: TextColumn;
}

/** The columns of a table by name; all of one length. */
export type ColumnsOf<Shape extends TableShape> = { readonly [Name in keyof Shape]: Columns[Shape[Name]] };

/** Texts as Arrow stores them: UTF-8 bytes end to end, each decoded when it is read. */
export class TextColumn {
  readonly length: number;
  /** The parts of the column, from which another thread can rebuild it. */
  readonly bytes: Buffer;
  readonly offsets: Int32Array;

  constructor(bytes: Uint8Array, offsets: Int32Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offsets = offsets;
    this.length = Math.max(0, offsets.length - 1);
  }

  static from(texts: readonly string[]): TextColumn {
    const offsets = new Int32Array(texts.length + 1);
    for (let i = 0; i < texts.length; i++) offsets[i + 1] = offsets[i]! + Buffer.byteLength(texts[i]!);
    const bytes = Buffer.allocUnsafe(offsets.at(-1)!);
    for (let i = 0; i < texts.length; i++) bytes.write(texts[i]!, offsets[i]!, 'utf8');
    return new TextColumn(bytes, offsets);
  }

  get(row: number): string {
    return this.bytes.toString('utf8', this.offsets[row], this.offsets[row + 1]);
  }
}

/** Size and checksum of a published file, so that a truncated or damaged one is detected before it is used. */
export interface FileFacts {
  readonly bytes: number;
  readonly crc32: number;
}
