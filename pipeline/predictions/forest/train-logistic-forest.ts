import type { Forest } from '../../snapshots/transfer-model/forest.ts';
import { toChance } from '../../snapshots/transfer-model/to-chance.ts';
import { type BinnedColumns, binAlike, binColumns } from './bin-columns.ts';
import { findLeaf, type GrownTree } from './grow-tree.ts';
import { seededRandom } from './seeded-random.ts';
import { type BoostingSettings, growOnSample, joinTrees } from './train-forest.ts';

/** Rows with outcomes. */
export interface OutcomeRows {
  /** Row after row; NaN where unknown. */
  readonly values: Float32Array;
  /** 1 or 0. */
  readonly outcome: Uint8Array;
  /** Log odds from which the forest starts. */
  readonly start: Float32Array;
}

/** A forest whose sum is added to the starting log odds, and its log loss on the validation rows. */
interface TrainedLogisticForest {
  readonly forest: Forest;
  readonly startLoss: number;
  readonly loss: number;
}

/** Thousandths: sums of the gradients of two million rows are exact. */
const UNIT = 1000;
/** Limit of the change of log odds by one leaf, before the learning rate. */
const MAX_STEP = 4;
/** Added to the curvature of a leaf, so that a few outcomes do not make it certain. */
const DAMPING = 1;

/** Settings of boosting, and the columns in which the probability never falls; NaN counts as less than any value. */
export interface LogisticSettings extends BoostingSettings {
  readonly risingColumns: readonly number[];
}

/**
 * Gradient boosting on the log loss: each tree is grown on outcome minus forecast, and its leaves take one step of
 * Newton's method. Training ends when the loss on the validation rows stops falling. Equal rows, settings and seed give
 * an equal forest.
 * @param width columns of a row
 * @param validation rows of other days; null without any: then the forest has all trees of its settings
 */
export function trainLogisticForest(
  width: number,
  learn: OutcomeRows,
  validation: OutcomeRows | null,
  settings: LogisticSettings,
): TrainedLogisticForest {
  const table = binColumns(learn.values, width);
  const validationTable = binAlike(validation?.values ?? new Float32Array(0), table);
  const random = seededRandom(settings.seed);
  const odds = Float32Array.from(learn.start);
  const validationOdds = Float32Array.from(validation?.start ?? []);
  const trees: { tree: GrownTree; values: Float32Array }[] = [];
  const startLoss = validation ? meanLogLoss(validationOdds, validation.outcome) : 0;
  let best = { trees: 0, loss: startLoss };
  while (trees.length < settings.maxTrees && trees.length - best.trees < settings.patience) {
    const { tree } = growOnSample(table, findGradient(odds, learn.outcome), random, settings);
    if (tree.rows.length === 0) break;
    const values = findSteps(tree, odds, learn.outcome, settings);
    addTree(tree, values, table, odds);
    addTree(tree, values, validationTable, validationOdds);
    trees.push({ tree, values });
    const loss = validation ? meanLogLoss(validationOdds, validation.outcome) : 0;
    if (!validation || loss < best.loss) best = { trees: trees.length, loss };
  }
  return { forest: joinTrees(width, table, trees.slice(0, best.trees)), startLoss, loss: best.loss };
}

function findGradient(odds: Float32Array, outcome: Uint8Array): Int16Array {
  const gradient = new Int16Array(odds.length);
  for (let row = 0; row < odds.length; row++) gradient[row] = Math.round(UNIT * (outcome[row]! - toChance(odds[row]!)));
  return gradient;
}

/**
 * Newton's step of each leaf, from the rows of the bag, times the learning rate; by node. Where a leaf on the left of a
 * split of a rising column exceeds one on its right, all keep to their side of the middle between the two branches.
 */
function findSteps(
  tree: GrownTree,
  odds: Float32Array,
  outcome: Uint8Array,
  { learningRate, risingColumns }: LogisticSettings,
): Float32Array {
  const steps = findNodeSteps(tree, odds, outcome);
  const values = steps.map((step) => Math.max(-MAX_STEP, Math.min(MAX_STEP, step)));
  // From the leaves to the root: to limit a branch keeps the order within it.
  for (let node = tree.nodeCount - 1; node >= 0; node--) {
    if (!risingColumns.includes(tree.column[node]!)) continue;
    const [left, right] = [tree.left[node]!, tree.left[node]! + 1];
    const [below, above] = [listLeaves(tree, left), listLeaves(tree, right)];
    const highest = below.reduce((most, leaf) => Math.max(most, values[leaf]!), Number.NEGATIVE_INFINITY);
    const lowest = above.reduce((least, leaf) => Math.min(least, values[leaf]!), Number.POSITIVE_INFINITY);
    if (highest <= lowest) continue;
    const middle = (steps[left]! + steps[right]!) / 2;
    for (const leaf of below) values[leaf] = Math.min(middle, values[leaf]!);
    for (const leaf of above) values[leaf] = Math.max(middle, values[leaf]!);
  }
  return Float32Array.from(values, (value, node) => (tree.column[node]! < 0 ? learningRate * value : 0));
}

function listLeaves(tree: GrownTree, node: number): number[] {
  if (tree.column[node]! < 0) return [node];
  return [...listLeaves(tree, tree.left[node]!), ...listLeaves(tree, tree.left[node]! + 1)];
}

/** The unlimited step of all rows below each node. */
function findNodeSteps(tree: GrownTree, odds: Float32Array, outcome: Uint8Array): Float64Array {
  const gradient = new Float64Array(tree.nodeCount);
  const curvature = new Float64Array(tree.nodeCount);
  for (let node = tree.nodeCount - 1; node >= 0; node--) {
    if (tree.column[node]! >= 0) {
      const left = tree.left[node]!;
      gradient[node] = gradient[left]! + gradient[left + 1]!;
      curvature[node] = curvature[left]! + curvature[left + 1]!;
      continue;
    }
    for (let place = tree.leafStart[node]!; place < tree.leafEnd[node]!; place++) {
      const row = tree.rows[place]!;
      const chance = toChance(odds[row]!);
      gradient[node] = gradient[node]! + outcome[row]! - chance;
      curvature[node] = curvature[node]! + chance * (1 - chance);
    }
  }
  return gradient.map((sum, node) => sum / (curvature[node]! + DAMPING));
}

function addTree(tree: GrownTree, values: Float32Array, table: BinnedColumns, odds: Float32Array): void {
  for (let row = 0; row < odds.length; row++) odds[row] = odds[row]! + values[findLeaf(tree, table, row)]!;
}

function meanLogLoss(odds: Float32Array, outcome: Uint8Array): number {
  let sum = 0;
  for (let row = 0; row < odds.length; row++)
    sum += Math.log1p(Math.exp(outcome[row] === 1 ? -odds[row]! : odds[row]!));
  return odds.length === 0 ? 0 : sum / odds.length;
}
