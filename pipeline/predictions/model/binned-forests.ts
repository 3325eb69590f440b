import { type Forest, predictForest } from '../../snapshots/transfer-model/forest.ts';

/** Bits of a node: its bin, its column, its left child or, at leaves, itself. The sign bit marks leaves. */
const COLUMN_BIT = 12;
const CHILD_BIT = 18;
const MAX_BIN = (1 << COLUMN_BIT) - 1;
const MAX_COLUMN = (1 << (CHILD_BIT - COLUMN_BIT)) - 1;
const MAX_CHILD = (1 << (31 - CHILD_BIT)) - 1;
const LEAF = 1 << 31;
/** Rows that walk through a tree at the same time: one waits for memory while others compare. */
const ABREAST = 4;
/** Rows that stay in the cache while all trees process them. */
const BLOCK = 512;
/** With fewer rows, finding the bins takes longer than they save. */
const MIN_ROWS = 16;

interface BinnedForest {
  readonly forest: Forest;
  readonly nodes: Int32Array;
}

/** Sums of several forests over the same rows. */
export type PredictForests = (values: Float32Array) => Float32Array[];

/**
 * Prepares forests with the same columns for many rows. Values are replaced by their places among the limits of their
 * column, once for all forests, so that a step is one look-up and a subtraction of integers without a branch. The sums
 * are those of `predictForest`, bit by bit.
 */
export function prepareForests(forests: readonly Forest[]): PredictForests {
  const columnCount = forests[0]?.columnCount ?? 0;
  const oneByOne: PredictForests = (values) => forests.map((forest) => predictForest(forest, values));
  const limits = Array.from({ length: columnCount }, (_, column) => sortLimits(forests, column));
  const fits =
    columnCount > 0 &&
    columnCount <= MAX_COLUMN + 1 &&
    limits.every(({ length }) => length < MAX_BIN) &&
    forests.every((forest) => forest.columnCount === columnCount && largestTree(forest) <= MAX_CHILD);
  if (!fits) return oneByOne;
  const binned = forests.map((forest): BinnedForest => ({ forest, nodes: packNodes(forest, limits) }));
  return (values) => {
    if (values.length < MIN_ROWS * columnCount) return oneByOne(values);
    const bins = findBins(values, limits);
    return binned.map((one) => sumTrees(one, bins));
  };
}

function sortLimits(forests: readonly Forest[], column: number): Float32Array {
  const limits = new Set<number>();
  for (const forest of forests) {
    for (let node = 0; node < forest.column.length; node++) {
      if (forest.column[node] === column) limits.add(forest.limit[node]!);
    }
  }
  return Float32Array.from(limits).sort();
}

function largestTree({ treeStart }: Forest): number {
  let most = 0;
  for (let tree = 1; tree < treeStart.length; tree++) most = Math.max(most, treeStart[tree]! - treeStart[tree - 1]!);
  return most;
}

/** A leaf has itself as its child and the largest bin, so that a row which has arrived stays there. */
function packNodes({ treeStart, column, limit, left }: Forest, limits: readonly Float32Array[]): Int32Array {
  const nodes = new Int32Array(column.length);
  for (let tree = 0; tree < treeStart.length - 1; tree++) {
    for (let node = treeStart[tree]!; node < treeStart[tree + 1]!; node++) {
      const tested = column[node]!;
      if (tested < 0) nodes[node] = LEAF | ((node - treeStart[tree]!) << CHILD_BIT) | MAX_BIN;
      else {
        const bin = placeAbove(limits[tested]!, limit[node]!) - 1;
        nodes[node] = (left[node]! << CHILD_BIT) | (tested << COLUMN_BIT) | bin;
      }
    }
  }
  return nodes;
}

/** Number of limits below each value, row after row: `value > limits[bin]` where the number is above `bin`; 0 for NaN. */
function findBins(values: Float32Array, limits: readonly Float32Array[]): Uint16Array {
  const bins = new Uint16Array(values.length);
  limits.forEach((sorted, column) => {
    const first = sorted[0] ?? Number.POSITIVE_INFINITY;
    for (let place = column; place < values.length; place += limits.length) {
      const value = values[place]!;
      if (!(value > first)) continue;
      let [low, high] = [1, sorted.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (value > sorted[middle]!) low = middle + 1;
        else high = middle;
      }
      bins[place] = low;
    }
  });
  return bins;
}

/** Number of limits that are at most the value. */
function placeAbove(sorted: Float32Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sumTrees({ forest, nodes }: BinnedForest, bins: Uint16Array): Float32Array {
  const { columnCount, treeStart } = forest;
  const sums = new Float32Array(bins.length / columnCount);
  for (let start = 0; start < sums.length; start += BLOCK) {
    const end = Math.min(sums.length, start + BLOCK);
    // The last rows of a block walk alone.
    const abreast = start + (end - start) - ((end - start) % ABREAST);
    for (let tree = 0; tree < treeStart.length - 1; tree++) {
      addAbreast(forest, nodes, treeStart[tree]!, bins, sums, start, abreast);
      for (let row = abreast; row < end; row++) {
        let node = treeStart[tree]!;
        while (nodes[node]! >= 0) node = treeStart[tree]! + stepFrom(nodes[node]!, bins, row * columnCount);
        sums[row] = sums[row]! + forest.limit[node]!;
      }
    }
  }
  return sums;
}

/** Adds a tree to rows whose number is a multiple of `ABREAST`. Written out, because a loop over the four is slower. */
function addAbreast(
  { columnCount, limit }: Forest,
  nodes: Int32Array,
  root: number,
  bins: Uint16Array,
  sums: Float32Array,
  start: number,
  end: number,
): void {
  const first = nodes[root]!;
  for (let row = start; row < end; row += ABREAST) {
    const atA = row * columnCount;
    const atB = atA + columnCount;
    const atC = atB + columnCount;
    const atD = atC + columnCount;
    let a = root;
    let b = root;
    let c = root;
    let d = root;
    let nodeA = first;
    let nodeB = first;
    let nodeC = first;
    let nodeD = first;
    while ((nodeA & nodeB & nodeC & nodeD) >= 0) {
      a = root + stepFrom(nodeA, bins, atA);
      nodeA = nodes[a]!;
      b = root + stepFrom(nodeB, bins, atB);
      nodeB = nodes[b]!;
      c = root + stepFrom(nodeC, bins, atC);
      nodeC = nodes[c]!;
      d = root + stepFrom(nodeD, bins, atD);
      nodeD = nodes[d]!;
    }
    sums[row] = sums[row]! + limit[a]!;
    sums[row + 1] = sums[row + 1]! + limit[b]!;
    sums[row + 2] = sums[row + 2]! + limit[c]!;
    sums[row + 3] = sums[row + 3]! + limit[d]!;
  }
}

/** The next node from one, counted from the root: its left child, or the one behind it where the value is above. */
function stepFrom(node: number, bins: Uint16Array, row: number): number {
  const above = ((node & MAX_BIN) - bins[row + ((node >>> COLUMN_BIT) & MAX_COLUMN)]!) >>> 31;
  return ((node >>> CHILD_BIT) & MAX_CHILD) + above;
}
