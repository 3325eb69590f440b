import { once } from 'node:events';
import avro from 'avsc';

/** A value of an Avro record, by the names of its fields. */
export type AvroRow = Readonly<Record<string, unknown>>;

/**
 * Encodes rows as an Avro object container file. The schema is stored as given, with the ids of its fields.
 * @param metadata further entries of the header
 * @throws Error for a row that the schema does not allow
 */
export async function encodeAvro(
  schema: object,
  metadata: Readonly<Record<string, string>>,
  rows: readonly AvroRow[],
): Promise<Buffer> {
  const texts = Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text)]);
  const encoder = new avro.streams.BlockEncoder(
    schema as avro.Schema,
    {
      codec: 'deflate',
      writeHeader: true,
      metadata: Object.fromEntries(texts),
    } as Partial<avro.EncoderOptions>,
  );
  const parts: Buffer[] = [];
  encoder.on('data', (part: Buffer) => parts.push(part));
  const ended = once(encoder, 'end');
  for (const row of rows) encoder.write(row);
  encoder.end();
  await ended;
  return Buffer.concat(parts);
}

/** Ends the header of a file, and each of its blocks. */
const MARKER_BYTES = 16;

/** Decodes an Avro object container file. @throws Error for other bytes, also for the beginning of such a file */
export async function decodeAvro(bytes: Uint8Array): Promise<AvroRow[]> {
  const decoder = new avro.streams.BlockDecoder();
  const headers: { readonly sync: Buffer }[] = [];
  decoder.on('metadata', (_type, _codec, header) => headers.push(header));
  const rows: AvroRow[] = [];
  decoder.on('data', (row: AvroRow) => rows.push(row));
  const ended = once(decoder, 'end');
  decoder.end(bytes);
  await ended;
  // The decoder ends without an error also within a block, or before the first one.
  const isWhole = headers[0]?.sync.equals(bytes.subarray(-MARKER_BYTES)) ?? false;
  if (!isWhole) throw new Error('the file is cut off');
  return rows;
}
