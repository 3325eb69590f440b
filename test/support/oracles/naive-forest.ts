import type { ForestSettings } from '../../../pipeline/predictions/forest/train-forest.ts';

interface NaiveSplit {
  readonly gain: number;
  readonly left: number[];
  readonly right: number[];
}

/**
 * Textbook gradient boosting without bins, histograms or sampling: every threshold of every column is tried on every
 * row.
 * @returns the sum of the trees for each row
 */
export function trainNaively(
  values: Float32Array,
  targets: Float32Array,
  width: number,
  settings: ForestSettings,
  treeCount: number,
): number[] {
  const left = [...targets];
  for (let tree = 0; tree < treeCount; tree++) {
    const pull = left.map((error) => (error > 0 ? settings.quantile : error < 0 ? settings.quantile - 1 : 0));
    for (const leaf of growLeaves(values, width, pull, settings)) {
      const middle = quantile(
        leaf.map((row) => left[row]!),
        settings.quantile,
      );
      for (const row of leaf) left[row] = left[row]! - settings.learningRate * middle;
    }
  }
  return left.map((error, row) => targets[row]! - error);
}

function growLeaves(
  values: Float32Array,
  width: number,
  pull: readonly number[],
  settings: ForestSettings,
): number[][] {
  const leaves: number[][] = [pull.map((_, row) => row)];
  while (leaves.length < settings.maxLeaves) {
    const splits = leaves.map((rows) => findSplit(values, width, pull, rows, settings.minSamplesLeaf));
    const best = splits.reduce(
      (found, split, one) => (split.gain > (splits[found]?.gain ?? 0) + 1e-9 ? one : found),
      -1,
    );
    if (best < 0) break;
    leaves.splice(best, 1);
    leaves.push(splits[best]!.left, splits[best]!.right);
  }
  return leaves;
}

function findSplit(
  values: Float32Array,
  width: number,
  pull: readonly number[],
  rows: readonly number[],
  minSamplesLeaf: number,
): NaiveSplit {
  const strength = (some: readonly number[]) => some.reduce((sum, row) => sum + pull[row]!, 0) ** 2 / some.length;
  let found: NaiveSplit = { gain: 0, left: [], right: [] };
  for (let column = 0; column < width; column++) {
    const read = (row: number) => values[row * width + column]!;
    const limits = [Number.NEGATIVE_INFINITY, ...rows.map(read).filter((value) => !Number.isNaN(value))];
    for (const limit of limits.sort((a, b) => a - b)) {
      const left = rows.filter((row) => !(read(row) > limit));
      const right = rows.filter((row) => read(row) > limit);
      if (left.length < minSamplesLeaf || right.length < minSamplesLeaf) continue;
      const gain = strength(left) + strength(right) - strength(rows);
      if (gain > found.gain + 1e-9) found = { gain, left, right };
    }
  }
  return found;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const low = Math.floor(place);
  const high = Math.min(sorted.length - 1, low + 1);
  return sorted[low]! + (place - low) * (sorted[high]! - sorted[low]!);
}
