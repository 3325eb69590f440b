import type { BinnedColumns } from './bin-columns.ts';

/** A tree over bins, nodes as columns; the children of a node are adjacent. */
export interface GrownTree {
  readonly nodeCount: number;
  /** -1 at leaves. */
  readonly column: Int16Array;
  /** A row goes left when its bin is at most this. */
  readonly bin: Uint8Array;
  readonly left: Uint16Array;
  /** Rows of the bag in each leaf: from `leafStart` to `leafEnd` in `rows`; by node. */
  readonly leafStart: Int32Array;
  readonly leafEnd: Int32Array;
  /** The rows of the bag, leaf by leaf. */
  readonly rows: Int32Array;
}

interface TreeLimits {
  readonly maxLeaves: number;
  readonly minSamplesLeaf: number;
}

/** A histogram cell holds the row count and the sum of gradients in one number, so that both take one addition. */
const ROW = 2 ** 32;
/** Gradients are integers, so that sums are exact in any order. */
export const GRADIENT_UNIT = 100;

interface Leaf {
  readonly node: number;
  readonly start: number;
  readonly end: number;
  readonly histogram: Float64Array;
  readonly gain: number;
  readonly column: number;
  readonly bin: number;
}

/**
 * Grows one tree, the split with the most gain first, so that its leaves separate positive from negative gradients. The
 * histogram of the larger child is that of its parent minus that of the smaller one.
 * @param bag rows to grow on; reordered
 * @param gradient by row of the table; the sum of all magnitudes must be below 2^31
 * @param columns candidates for splits
 */
export function growTree(
  table: BinnedColumns,
  bag: Int32Array,
  gradient: Int16Array,
  columns: readonly number[],
  { maxLeaves, minSamplesLeaf }: TreeLimits,
): GrownTree {
  const most = 2 * maxLeaves - 1;
  const tree = {
    column: new Int16Array(most).fill(-1),
    bin: new Uint8Array(most),
    left: new Uint16Array(most),
    leafStart: new Int32Array(most),
    leafEnd: new Int32Array(most),
  };
  const scratch = new Int32Array(bag.length);
  const makeLeaf = (node: number, start: number, end: number, histogram: Float64Array): Leaf => {
    tree.leafStart[node] = start;
    tree.leafEnd[node] = end;
    return { node, start, end, histogram, ...findSplit(table, histogram, columns, minSamplesLeaf) };
  };
  const open = [makeLeaf(0, 0, bag.length, countRows(table, bag, gradient, columns))];
  let nodeCount = 1;
  for (let leaves = 1; leaves < maxLeaves; leaves++) {
    const best = takeBest(open);
    if (best === null) break;
    const { node, start, end, column, bin } = best;
    const middle = partition(table, bag, scratch, best);
    tree.column[node] = column;
    tree.bin[node] = bin;
    tree.left[node] = nodeCount;
    const isLeftSmall = middle - start <= end - middle;
    const small = countRows(
      table,
      isLeftSmall ? bag.subarray(start, middle) : bag.subarray(middle, end),
      gradient,
      columns,
    );
    const large = best.histogram;
    for (let cell = 0; cell < large.length; cell++) large[cell] = large[cell]! - small[cell]!;
    open.push(makeLeaf(nodeCount, start, middle, isLeftSmall ? small : large));
    open.push(makeLeaf(nodeCount + 1, middle, end, isLeftSmall ? large : small));
    nodeCount += 2;
  }
  return { nodeCount, ...tree, rows: bag };
}

/**
 * Rows and gradients by column and bin, 256 cells a column in the order of `columns`. Neighbouring rows often fall into
 * the same cell, where an addition must wait for the previous one: rows therefore alternate between four histograms.
 */
function countRows(
  { rowCount, bins }: BinnedColumns,
  rows: Int32Array,
  gradient: Int16Array,
  columns: readonly number[],
): Float64Array {
  const histogram = new Float64Array(columns.length * 256);
  const cells = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) cells[i] = ROW + gradient[rows[i]!]!;
  const turns = new Float64Array(4 * 256);
  for (let place = 0; place < columns.length; place++) {
    addColumn(bins, columns[place]! * rowCount, rows, cells, turns);
    for (let bin = 0; bin < 256; bin++) {
      histogram[place * 256 + bin] = turns[bin]! + turns[256 + bin]! + turns[512 + bin]! + turns[768 + bin]!;
    }
    turns.fill(0);
  }
  return histogram;
}

/** Adds the rows of one column to four histograms in turn. */
function addColumn(bins: Uint8Array, column: number, rows: Int32Array, cells: Float64Array, turns: Float64Array): void {
  const even = rows.length & ~3;
  for (let i = 0; i < even; i += 4) {
    const a = bins[column + rows[i]!]!;
    const b = 256 + bins[column + rows[i + 1]!]!;
    const c = 512 + bins[column + rows[i + 2]!]!;
    const d = 768 + bins[column + rows[i + 3]!]!;
    turns[a] = turns[a]! + cells[i]!;
    turns[b] = turns[b]! + cells[i + 1]!;
    turns[c] = turns[c]! + cells[i + 2]!;
    turns[d] = turns[d]! + cells[i + 3]!;
  }
  for (let i = even; i < rows.length; i++) {
    const cell = bins[column + rows[i]!]!;
    turns[cell] = turns[cell]! + cells[i]!;
  }
}

function findSplit(
  { limits }: BinnedColumns,
  histogram: Float64Array,
  columns: readonly number[],
  minSamplesLeaf: number,
): { gain: number; column: number; bin: number } {
  let found = { gain: 0, column: -1, bin: 0 };
  let total = 0;
  for (let cell = 0; cell < 256; cell++) total += histogram[cell]!;
  const allRows = Math.round(total / ROW);
  const allGradient = total - allRows * ROW;
  if (allRows < 2 * minSamplesLeaf) return found;
  const before = (allGradient * allGradient) / allRows;
  for (let place = 0; place < columns.length; place++) {
    const column = columns[place]!;
    const lastBin = limits[column]!.length - 1;
    let left = 0;
    for (let bin = 0; bin < lastBin; bin++) {
      left += histogram[place * 256 + bin]!;
      const leftRows = Math.round(left / ROW);
      if (leftRows < minSamplesLeaf) continue;
      const rightRows = allRows - leftRows;
      if (rightRows < minSamplesLeaf) break;
      const leftGradient = left - leftRows * ROW;
      const rightGradient = allGradient - leftGradient;
      const gain = (leftGradient * leftGradient) / leftRows + (rightGradient * rightGradient) / rightRows - before;
      // The margin keeps rounding from choosing.
      if (gain > found.gain + 1e-6) found = { gain, column, bin };
    }
  }
  return found;
}

function takeBest(open: Leaf[]): Leaf | null {
  let best = -1;
  for (let i = 0; i < open.length; i++) {
    if (open[i]!.column >= 0 && (best < 0 || open[i]!.gain > open[best]!.gain + 1e-6)) best = i;
  }
  return best < 0 ? null : open.splice(best, 1)[0]!;
}

/** Moves the rows of a leaf that go left before the others, both in their order. @returns where the others begin */
function partition(table: BinnedColumns, bag: Int32Array, scratch: Int32Array, leaf: Leaf): number {
  const offset = leaf.column * table.rowCount;
  let left = leaf.start;
  let right = 0;
  for (let i = leaf.start; i < leaf.end; i++) {
    const row = bag[i]!;
    if (table.bins[offset + row]! <= leaf.bin) bag[left++] = row;
    else scratch[right++] = row;
  }
  bag.set(scratch.subarray(0, right), left);
  return left;
}

/** The leaf in which a row ends. */
export function findLeaf(tree: GrownTree, { bins, rowCount }: BinnedColumns, row: number): number {
  let node = 0;
  for (let column = tree.column[node]!; column >= 0; column = tree.column[node]!) {
    node = tree.left[node]! + (bins[column * rowCount + row]! > tree.bin[node]! ? 1 : 0);
  }
  return node;
}
