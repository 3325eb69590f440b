import { type BinnedColumns, binAlike, binColumns } from './bin-columns.ts';
import type { Forest } from './forest.ts';
import { findLeaf, type GrownTree } from './grow-tree.ts';
import { seededRandom } from './seeded-random.ts';
import { toChance } from './to-chance.ts';
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
 * Newton's step of each leaf, from the rows of the bag, times the learning rate; by node. Below a split of a rising
 * column no leaf on the left exceeds one on the right: both keep to their side of the middle between the two branches.
 */
function findSteps(
  tree: GrownTree,
  odds: Float32Array,
  outcome: Uint8Array,
  { learningRate, risingColumns }: LogisticSettings,
): Float32Array {
  const steps = findNodeSteps(tree, odds, outcome);
  const low = new Float64Array(tree.nodeCount).fill(-MAX_STEP);
  const high = new Float64Array(tree.nodeCount).fill(MAX_STEP);
  const clamp = (step: number, node: number) => Math.max(low[node]!, Math.min(high[node]!, step));
  // Children come after their parent.
  for (let node = 0; node < tree.nodeCount; node++) {
    if (tree.column[node]! < 0) continue;
    const [left, right] = [tree.left[node]!, tree.left[node]! + 1];
    for (const child of [left, right]) [low[child], high[child]] = [low[node]!, high[node]!];
    if (!risingColumns.includes(tree.column[node]!)) continue;
    const middle = clamp((steps[left]! + steps[right]!) / 2, node);
    high[left] = middle;
    low[right] = middle;
  }
  return Float32Array.from(steps, (step, node) => (tree.column[node]! < 0 ? learningRate * clamp(step, node) : 0));
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
