import { predictForest } from '../forest.ts';
import type { AblationFigure } from '../layout.ts';
import { type ForestSettings, trainForest } from '../train-forest.ts';
import { type SnapshotGroup, snapshotColumns, snapshotGroups } from './build-snapshot-features.ts';
import { tell } from './cover-intervals.ts';
import { listSnapshotPlaces, type SnapshotDays, type SnapshotSet, takeSnapshotRows } from './snapshot-set.ts';

/** A smaller forest than the one that forecasts: all of them are learnt anew for each group. */
const settings: ForestSettings = {
  quantile: 0.5,
  mostTrees: 80,
  mostLeaves: 64,
  leastRows: 150,
  learningRate: 0.15,
  rowShare: 0.3,
  columnShare: 0.4,
  patience: Number.POSITIVE_INFINITY,
  seed: 1,
};

/** What the median loses without each group of features, on all pairs of the test: one forest that sees everything. */
export function measureSnapshotGroups(set: SnapshotSet, days: SnapshotDays): AblationFigure[] {
  const width = snapshotColumns.length;
  const learn = takeSnapshotRows(
    set,
    listSnapshotPlaces(set, (place) => set.day[place]! < days.testFrom),
    width,
  );
  const test = listSnapshotPlaces(set, (place) => set.day[place]! >= days.testFrom);
  const asked = takeSnapshotRows(set, test, width);
  const targets = learn.truth.map((delay, row) => delay - learn.current[row]!);
  return listDrops().map((groups) => {
    const names: readonly string[] = groups.flatMap((group) => snapshotGroups[group]);
    const dropped = snapshotColumns.flatMap((name, column) => (names.includes(name) ? [column] : []));
    const values = blankColumns(learn.values, dropped);
    const { forest } = trainForest(width, { values, targets }, null, settings);
    const change = predictForest(forest, blankColumns(asked.values, dropped));
    const error = change.reduce((sum, seconds, row) => {
      const told = tell(asked.current[row]! + seconds, set.least[test[row]!]!);
      return sum + Math.abs(told - asked.truth[row]!);
    }, 0);
    return { without: groups.join(', ') || 'nothing', meanError: error / test.length };
  });
}

/** Nothing, each group, and all that past runs tell, as one group stands in for the other. */
function listDrops(): SnapshotGroup[][] {
  const groups = Object.keys(snapshotGroups) as SnapshotGroup[];
  return [[], ...groups.map((group) => [group]), ['train', 'direction'], ['train', 'direction', 'legs']];
}

function blankColumns(values: Float32Array, columns: readonly number[]): Float32Array {
  const blank = Float32Array.from(values);
  for (const column of columns)
    for (let at = column; at < blank.length; at += snapshotColumns.length) blank[at] = Number.NaN;
  return blank;
}
