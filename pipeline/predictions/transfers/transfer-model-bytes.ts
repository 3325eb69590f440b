import { readForest, writeForest } from '../forest/forest.ts';
import type { TransferCalibration } from './transfer-calibration.ts';
import { transferColumns } from './transfer-facts.ts';
import type { TransferModel } from './transfer-model.ts';

const MAGIC = 'TGCHANGE';
const VERSION = 1;

interface Header {
  readonly magic: string;
  readonly version: number;
  readonly columns: readonly string[];
  readonly startLogOdds: number;
  readonly calibration: TransferCalibration;
}

/** Serialises the model: a JSON header line, then its forest. */
export function writeTransferModel({ columns, forest, startLogOdds, calibration }: TransferModel): Uint8Array {
  const header: Header = { magic: MAGIC, version: VERSION, columns, startLogOdds, calibration };
  const line = new TextEncoder().encode(`${JSON.stringify(header)}\n`);
  const trees = writeForest(forest);
  const bytes = new Uint8Array(line.length + trees.length);
  bytes.set(line);
  bytes.set(trees, line.length);
  return bytes;
}

/**
 * @returns null for a model of another version, or of other columns
 * @throws Error when the bytes are no complete model
 */
export function readTransferModel(bytes: Uint8Array): TransferModel | null {
  const end = bytes.indexOf(10);
  const { magic, version, columns, startLogOdds, calibration } = readHeader(bytes.subarray(0, Math.max(0, end)));
  if (magic !== MAGIC) throw new Error('these bytes are no model of changes');
  if (version !== VERSION || columns.join() !== transferColumns.join()) return null;
  return { columns, forest: readForest(bytes.subarray(end + 1)), startLogOdds, calibration };
}

function readHeader(line: Uint8Array): Header {
  try {
    return JSON.parse(new TextDecoder().decode(line)) as Header;
  } catch (error) {
    throw new Error('these bytes are no model of changes', { cause: error });
  }
}
