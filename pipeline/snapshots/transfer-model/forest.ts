/** Trees one after another, nodes as columns. A leaf has column -1, and its value in place of a limit. */
export interface Forest {
  readonly columnCount: number;
  /** First node of each tree, plus one entry for the end. */
  readonly treeStart: Int32Array;
  /** Column that a node tests; -1 at leaves. */
  readonly column: Int16Array;
  /** A row goes left when its value is at most this, or is NaN; at leaves, the contribution of the tree. */
  readonly limit: Float32Array;
  /** Left child, relative to the tree's first node; the right one follows it. */
  readonly left: Uint16Array;
}

/**
 * The sum of all trees for each row, to be added to its starting value.
 * @param values row after row, as many columns as the forest was trained on
 */
export function predictForest(forest: Forest, values: Float32Array): Float32Array {
  const { columnCount, treeStart, column, limit, left } = forest;
  const rowCount = values.length / columnCount;
  const sums = new Float32Array(rowCount);
  // A block of rows stays in the cache while all trees process it.
  const block = 512;
  for (let start = 0; start < rowCount; start += block) {
    const end = Math.min(rowCount, start + block);
    for (let tree = 0; tree < treeStart.length - 1; tree++) {
      const root = treeStart[tree]!;
      for (let row = start; row < end; row++) {
        const offset = row * columnCount;
        let node = root;
        for (let looked = column[node]!; looked >= 0; looked = column[node]!) {
          node = root + left[node]! + (values[offset + looked]! > limit[node]! ? 1 : 0);
        }
        sums[row] = sums[row]! + limit[node]!;
      }
    }
  }
  return sums;
}

const MAGIC = 'TGFOREST';
const VERSION = 1;

/** Serialises the forest: a JSON header line, then its columns. */
export function writeForest(forest: Forest): Uint8Array {
  const { columnCount, treeStart, column, limit, left } = forest;
  const header = { magic: MAGIC, version: VERSION, columnCount, trees: treeStart.length - 1, nodes: column.length };
  const line = new TextEncoder().encode(`${JSON.stringify(header)}\n`);
  const parts = [line, ...[treeStart, column, limit, left].map(toBytes)];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** @throws Error when the bytes are not a complete forest of this version */
export function readForest(bytes: Uint8Array): Forest {
  const end = bytes.indexOf(10);
  const header = readHeader(new TextDecoder().decode(bytes.subarray(0, Math.max(0, end))));
  const { columnCount, trees, nodes } = header;
  let offset = end + 1;
  const take = (length: number) => {
    offset += length;
    // A copy, because columns must start at multiples of their width and file buffers share their memory when sliced.
    return Uint8Array.from(bytes.subarray(offset - length, offset)).buffer;
  };
  if (bytes.length !== offset + (trees + 1) * 4 + nodes * 8)
    throw new Error('the forest is truncated or has trailing bytes');
  return {
    columnCount,
    treeStart: new Int32Array(take((trees + 1) * 4)),
    column: new Int16Array(take(nodes * 2)),
    limit: new Float32Array(take(nodes * 4)),
    left: new Uint16Array(take(nodes * 2)),
  };
}

function readHeader(line: string): { columnCount: number; trees: number; nodes: number } {
  let header: unknown;
  try {
    header = JSON.parse(line);
  } catch (error) {
    throw new Error('these bytes are not a forest', { cause: error });
  }
  const { magic, version, columnCount, trees, nodes } = header as Record<string, unknown>;
  if (magic !== MAGIC || version !== VERSION) throw new Error(`no forest of version ${VERSION}`);
  const counts = [columnCount, trees, nodes];
  if (!counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0)) {
    throw new Error('a forest must say how large it is');
  }
  return { columnCount, trees, nodes } as { columnCount: number; trees: number; nodes: number };
}

function toBytes(array: Int32Array | Int16Array | Float32Array | Uint16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
