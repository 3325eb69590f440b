import type { Forest } from '../../snapshots/transfer-model/forest.ts';
import { type BinnedColumns, binAlike, binColumns } from './bin-columns.ts';
import { findLeaf, GRADIENT_UNIT, type GrownTree, growTree } from './grow-tree.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * The quantile of unsorted values, interpolated linearly. A sort would take several times as long.
 * @param values reordered; none is NaN
 * @returns 0 without values
 */
export function quantileOf(values: Float32Array, share: number): number {
  if (values.length === 0) return 0;
  const place = share * (values.length - 1);
  const low = Math.floor(place);
  select(values, low);
  const value = values[low]!;
  if (place === low) return value;
  let next = Number.POSITIVE_INFINITY;
  for (let i = low + 1; i < values.length; i++) if (values[i]! < next) next = values[i]!;
  return value + (place - low) * (next - value);
}

/** Quickselect: puts at `place` the value that a sort would put there, none larger before it, none smaller after it. */
function select(values: Float32Array, place: number): void {
  let first = 0;
  let last = values.length - 1;
  while (first < last) {
    const pivot = middleOf(values[first]!, values[(first + last) >> 1]!, values[last]!);
    let up = first;
    let down = last;
    while (up <= down) {
      while (values[up]! < pivot) up++;
      while (values[down]! > pivot) down--;
      if (up > down) break;
      const swapped = values[up]!;
      values[up++] = values[down]!;
      values[down--] = swapped;
    }
    // Between the two lie values that equal the pivot.
    if (place <= down) last = down;
    else if (place >= up) first = up;
    else return;
  }
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** Rows for training or validation. */
interface LearningRows {
  /** Row after row; NaN where unknown. */
  readonly values: Float32Array;
  /** The residual to learn: the truth minus the starting value of the row. */
  readonly targets: Float32Array;
}

export interface ForestSettings extends BoostingSettings {
  /** 0.5 learns medians (least absolute error), others that quantile. */
  readonly quantile: number;
}

export interface BoostingSettings {
  readonly maxTrees: number;
  readonly maxLeaves: number;
  readonly minSamplesLeaf: number;
  /** Share of a tree's output that is added. */
  readonly learningRate: number;
  /** Shares of the rows and of the columns that a tree is grown on. */
  readonly subsample: number;
  readonly columnShare: number;
  /** Columns that trees may split by; all where it is absent. */
  readonly columns?: readonly number[];
  /** Training ends after this many trees without improvement. */
  readonly patience: number;
  readonly seed: number;
}

/** A forest, and its loss on the validation rows. */
interface TrainedForest {
  readonly forest: Forest;
  /** Mean `pinballLoss` of the validation rows before and after training. */
  readonly startLoss: number;
  readonly loss: number;
}

const NO_ROWS: LearningRows = { values: new Float32Array(0), targets: new Float32Array(0) };

/** Loss of a quantile: twice the usual one, so that it is the absolute error at 0.5. */
export function pinballLoss(error: number, quantile: number): number {
  return 2 * (error > 0 ? quantile * error : (quantile - 1) * error);
}

/**
 * Gradient boosting: each tree is grown on the sign of the residual, and its leaves take the quantile of the residuals
 * there. Training ends when the loss on the validation rows, which are later ones, stops falling, and the forest is cut
 * back to its best size. Equal rows, settings and seed give an equal forest.
 * @param width columns of a row
 * @param validation validation rows; null without any: then the forest has all trees of its settings, and a loss of 0
 */
export function trainForest(
  width: number,
  learn: LearningRows,
  validation: LearningRows | null,
  settings: ForestSettings,
): TrainedForest {
  const table = binColumns(learn.values, width);
  const { values: validationValues, targets: validationTargets } = validation ?? NO_ROWS;
  const validationTable = binAlike(validationValues, table);
  const random = seededRandom(settings.seed);
  const left = Float32Array.from(learn.targets);
  const validationLeft = Float32Array.from(validationTargets);
  const trees: { tree: GrownTree; values: Float32Array }[] = [];
  const startLoss = meanLoss(validationLeft, settings.quantile);
  let best = { trees: 0, loss: startLoss };
  while (trees.length < settings.maxTrees && trees.length - best.trees < settings.patience) {
    const { tree, others } = growOne(table, left, random, settings);
    if (tree.rows.length === 0) break;
    const values = findLeafValues(tree, left, settings);
    takeFromBag(tree, values, left);
    for (const row of others) left[row] = left[row]! - values[findLeaf(tree, table, row)]!;
    for (let row = 0; row < validationTable.rowCount; row++) {
      validationLeft[row] = validationLeft[row]! - values[findLeaf(tree, validationTable, row)]!;
    }
    trees.push({ tree, values });
    const loss = meanLoss(validationLeft, settings.quantile);
    if (validation === null || loss < best.loss) best = { trees: trees.length, loss };
  }
  return { forest: joinTrees(width, table, trees.slice(0, best.trees)), startLoss, loss: best.loss };
}

/** A tree, and the rows that it was not grown on (out of bag). */
interface BaggedTree {
  readonly tree: GrownTree;
  readonly others: Int32Array;
}

function growOne(table: BinnedColumns, left: Float32Array, random: () => number, settings: ForestSettings): BaggedTree {
  const up = Math.round(settings.quantile * GRADIENT_UNIT);
  const gradient = new Int16Array(table.rowCount);
  for (let row = 0; row < gradient.length; row++)
    gradient[row] = left[row]! > 0 ? up : left[row]! < 0 ? up - GRADIENT_UNIT : 0;
  return growOnSample(table, gradient, random, settings);
}

/** Grows a tree on a sample of the rows and of the columns. */
export function growOnSample(
  table: BinnedColumns,
  gradient: Int16Array,
  random: () => number,
  settings: BoostingSettings,
): BaggedTree {
  const bag = new Int32Array(table.rowCount);
  const others = new Int32Array(table.rowCount);
  let bagged = 0;
  for (let row = 0; row < table.rowCount; row++) {
    if (random() < settings.subsample) bag[bagged++] = row;
    else others[row - bagged] = row;
  }
  const columns: number[] = [];
  const candidates = settings.columns ?? Array.from({ length: table.columnCount }, (_, column) => column);
  for (const column of candidates) if (random() < settings.columnShare) columns.push(column);
  if (columns.length === 0) columns.push(candidates[Math.floor(random() * candidates.length)]!);
  const tree = growTree(table, bag.subarray(0, bagged), gradient, columns, settings);
  return { tree, others: others.subarray(0, table.rowCount - bagged) };
}

/** Leaf values: the quantile of the residuals in the leaf, times the learning rate; by node. */
function findLeafValues(tree: GrownTree, left: Float32Array, settings: ForestSettings): Float32Array {
  const values = new Float32Array(tree.nodeCount);
  const scratch = new Float32Array(tree.rows.length);
  for (let node = 0; node < tree.nodeCount; node++) {
    if (tree.column[node]! >= 0) continue;
    const [start, end] = [tree.leafStart[node]!, tree.leafEnd[node]!];
    for (let place = start; place < end; place++) scratch[place - start] = left[tree.rows[place]!]!;
    values[node] = settings.learningRate * quantileOf(scratch.subarray(0, end - start), settings.quantile);
  }
  return values;
}

/** Subtracts the leaf values from the rows of the bag; these are stored leaf by leaf, so no row is looked up. */
function takeFromBag(tree: GrownTree, values: Float32Array, left: Float32Array): void {
  for (let node = 0; node < tree.nodeCount; node++) {
    if (tree.column[node]! >= 0) continue;
    for (let place = tree.leafStart[node]!; place < tree.leafEnd[node]!; place++) {
      const row = tree.rows[place]!;
      left[row] = left[row]! - values[node]!;
    }
  }
}

function meanLoss(left: Float32Array, quantile: number): number {
  let sum = 0;
  for (const error of left) sum += pinballLoss(error, quantile);
  return left.length === 0 ? 0 : sum / left.length;
}

/** The trees as one forest; their leaves have the values of their nodes. */
export function joinTrees(
  columnCount: number,
  { limits }: BinnedColumns,
  trees: readonly { tree: GrownTree; values: Float32Array }[],
): Forest {
  const treeStart = new Int32Array(trees.length + 1);
  for (let i = 0; i < trees.length; i++) treeStart[i + 1] = treeStart[i]! + trees[i]!.tree.nodeCount;
  const nodeCount = treeStart[trees.length]!;
  const column = new Int16Array(nodeCount);
  const limit = new Float32Array(nodeCount);
  const left = new Uint16Array(nodeCount);
  trees.forEach(({ tree, values }, i) => {
    for (let node = 0; node < tree.nodeCount; node++) {
      const place = treeStart[i]! + node;
      const looked = tree.column[node]!;
      column[place] = looked;
      left[place] = tree.left[node]!;
      limit[place] = looked < 0 ? values[node]! : limits[looked]![tree.bin[node]!]!;
    }
  });
  return { columnCount, treeStart, column, limit, left };
}
