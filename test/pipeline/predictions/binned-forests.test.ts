import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareForests } from '../../../pipeline/predictions/model/binned-forests.ts';
import { type Forest, predictForest } from '../../../pipeline/snapshots/transfer-model/forest.ts';

/** A tree as it grows: a leaf's value, or a test of a column with two subtrees. */
type Tree = number | { readonly column: number; readonly limit: number; readonly below: Tree; readonly above: Tree };

const COLUMNS = 5;
/** Few, so that values often equal a limit. */
const value = fc.constantFrom(-60, -0.1, -0, 0, 0.1, 30, 60, 60.5, 1e9, Number.POSITIVE_INFINITY);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    fc.float({ noNaN: true, min: -100, max: 100 }),
    fc.record({
      column: fc.nat(COLUMNS - 1),
      limit: value,
      below: tie('tree'),
      above: tie('tree'),
    }),
  ),
}));

/** Siblings are adjacent, as `Forest` wants them. */
function toForest(trees: readonly Tree[], columnCount = COLUMNS): Forest {
  const [treeStart, column, limit, left]: number[][] = [[0], [], [], []];
  for (const root of trees) {
    const start = column!.length;
    const waiting: Tree[] = [root];
    for (let place = 0; place < waiting.length; place++) {
      const node = waiting[place]!;
      column!.push(typeof node === 'number' ? -1 : node.column);
      limit!.push(typeof node === 'number' ? node : node.limit);
      left!.push(typeof node === 'number' ? 0 : waiting.length);
      if (typeof node !== 'number') waiting.push(node.below, node.above);
    }
    treeStart!.push(start + waiting.length);
  }
  return {
    columnCount,
    treeStart: Int32Array.from(treeStart!),
    column: Int16Array.from(column!),
    limit: Float32Array.from(limit!),
    left: Uint16Array.from(left!),
  };
}

describe('prepareForests', () => {
  it('gives the sums of each forest, bit by bit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(tree, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.oneof(value, fc.constant(Number.NaN)), { maxLength: 60 * COLUMNS }),
        (forests, cells) => {
          const values = Float32Array.from(cells.slice(0, cells.length - (cells.length % COLUMNS)));
          const grown = forests.map((trees) => toForest(trees));
          expect(prepareForests(grown)(values)).toEqual(grown.map((forest) => predictForest(forest, values)));
        },
      ),
    );
  });

  it('takes forests that do not fit into its nodes', () => {
    const deep = Array.from({ length: 5000 }).reduce<Tree>(
      (above, _, i) => ({ column: 0, limit: 5000 - i, below: i, above }),
      1,
    );
    const values = Float32Array.from({ length: 100 }, (_, row) => row * 51);
    const wide = { column: 99, limit: 2500, below: 1, above: 2 };
    for (const [forest, columns] of [
      [toForest([deep], 1), 1],
      [toForest([wide], 100), 100],
    ] as const) {
      const rows = new Float32Array(values.length * columns);
      values.forEach((one, row) => {
        rows[row * columns + columns - 1] = one;
      });
      expect(prepareForests([forest])(rows)).toEqual([predictForest(forest, rows)]);
    }
    expect(prepareForests([])(values)).toEqual([]);
  });
});
