import { readForest, writeForest } from './forest.ts';
import type { PastDelays } from './past-delays.ts';
import type { TransferCalibration } from './transfer-calibration.ts';
import { transferColumns } from './transfer-facts.ts';
import type { TransferModel } from './transfer-model.ts';

const MAGIC = 'TGCHANGE';
/** 4: hours and minutes of the day are those of the clocks where the vehicles run. */
const VERSION = 4;

interface Header {
  readonly magic: string;
  readonly version: number;
  readonly columns: readonly string[];
  readonly startLogOdds: number;
  readonly calibration: TransferCalibration;
  readonly routes: readonly string[];
  readonly stops: readonly string[];
  /** Cells of the past delays. */
  readonly cells: number;
}

/** Serialises the model: a JSON header line, the delays of past days, then its forest. */
export function writeTransferModel({ columns, forest, startLogOdds, calibration, past }: TransferModel): Uint8Array {
  const { routes, stops, delays } = past;
  const cells = delays.keys.length;
  const header: Header = { magic: MAGIC, version: VERSION, columns, startLogOdds, calibration, routes, stops, cells };
  const line = new TextEncoder().encode(`${JSON.stringify(header)}\n`);
  const parts = [line, ...pastColumns.map((name) => readBytes(delays[name])), writeForest(forest)];
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

const pastColumns = ['station', 'keys', 'low', 'median', 'high'] as const;

function readBytes({ buffer, byteOffset, byteLength }: Int32Array | Float64Array | Int16Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** @returns the delays, and the offset behind them */
function readPast(bytes: Uint8Array, start: number, { stops, cells }: Header): [PastDelays, number] {
  let offset = start;
  const take = (length: number) => {
    if (offset + length > bytes.length) throw new Error('the transfer model is truncated');
    offset += length;
    // A copy, because columns must start at multiples of their width.
    return Uint8Array.from(bytes.subarray(offset - length, offset)).buffer;
  };
  const past = {
    station: new Int32Array(take(4 * stops.length)),
    keys: new Float64Array(take(8 * cells)),
    low: new Int16Array(take(2 * cells)),
    median: new Int16Array(take(2 * cells)),
    high: new Int16Array(take(2 * cells)),
  };
  return [past, offset];
}

/**
 * @returns null for a model of another version, or of other columns
 * @throws Error when the bytes are not a complete model
 */
export function readTransferModel(bytes: Uint8Array): TransferModel | null {
  const end = bytes.indexOf(10);
  const header = readHeader(bytes.subarray(0, Math.max(0, end)));
  const { magic, version, columns, startLogOdds, calibration, routes, stops } = header;
  if (magic !== MAGIC) throw new Error('not a transfer model');
  if (version !== VERSION || columns.join() !== transferColumns.join()) return null;
  const [delays, offset] = readPast(bytes, end + 1, header);
  const forest = readForest(bytes.subarray(offset));
  return { columns, forest, startLogOdds, calibration, past: { delays, routes, stops } };
}

function readHeader(line: Uint8Array): Header {
  try {
    return JSON.parse(new TextDecoder().decode(line)) as Header;
  } catch (error) {
    throw new Error('not a transfer model', { cause: error });
  }
}
