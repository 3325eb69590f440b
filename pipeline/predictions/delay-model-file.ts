import type { DelayModel } from './delay-model.ts';
import { readForest, writeForest } from './forest.ts';

const MAGIC = 'TGDELAYS';
const VERSION = 1;
const forests = ['low', 'median', 'high'] as const;

interface Header {
  readonly magic: string;
  readonly version: number;
  readonly columns: readonly string[];
  readonly gridSeconds: number;
  /** Bytes of each forest, in the order of `forests`. */
  readonly bytes: readonly number[];
}

/** The model as bytes: a line of JSON that says what it is, then its three forests. */
export function writeDelayModel(model: DelayModel): Uint8Array {
  const parts = forests.map((name) => writeForest(model[name]));
  const { columns, gridSeconds } = model;
  const header: Header = {
    magic: MAGIC,
    version: VERSION,
    columns,
    gridSeconds,
    bytes: parts.map(({ length }) => length),
  };
  const line = new TextEncoder().encode(`${JSON.stringify(header)}\n`);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, line.length));
  bytes.set(line);
  let offset = line.length;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** @throws Error when the bytes are no model of this version, or not all of it */
export function readDelayModel(bytes: Uint8Array): DelayModel {
  const end = bytes.indexOf(10);
  const { columns, gridSeconds, bytes: lengths } = readHeader(bytes.subarray(0, Math.max(0, end)));
  let offset = end + 1;
  const [low, median, high] = lengths.map((length) => {
    offset += length;
    return readForest(bytes.subarray(offset - length, offset));
  });
  if (offset !== bytes.length || !low || !median || !high) throw new Error('a model is cut off or has too much');
  for (const { columnCount } of [low, median, high]) {
    if (columnCount !== columns.length) throw new Error('a forest of the model was learnt from other columns');
  }
  return { columns, gridSeconds, low, median, high };
}

function readHeader(line: Uint8Array): Header {
  let header: Partial<Header>;
  try {
    header = JSON.parse(new TextDecoder().decode(line)) as Partial<Header>;
  } catch (error) {
    throw new Error('these bytes are no model', { cause: error });
  }
  if (header.magic !== MAGIC || header.version !== VERSION) throw new Error(`no model of version ${VERSION}`);
  return header as Header;
}
