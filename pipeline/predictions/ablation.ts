import { type FeatureGroup, featureGroups } from './build-features.ts';
import { type DelayModel, forecastMedian, type ModelRows, trainMedian } from './delay-model.ts';
import type { AblationFigure } from './layout.ts';
import { type PairSet, takeRows } from './pair-set.ts';
import { JUDGE, LEARN, listPlaces, TEST } from './share-out-days.ts';

/** What the median loses without each group of features, learnt anew without it; on the grid of the model. */
export function measureGroups(set: PairSet, { columns, gridSeconds }: DelayModel): AblationFigure[] {
  const rowsOf = (role: number) => takeRows(set, listPlaces(set.roles, role));
  const [learn, judge, test] = [rowsOf(LEARN), rowsOf(JUDGE), rowsOf(TEST)];
  return listDrops().map((groups) => {
    const names: readonly string[] = groups.flatMap((group) => featureGroups[group]);
    const dropped = columns.flatMap((name, column) => (names.includes(name) ? [column] : []));
    const blank = (rows: ModelRows) => blankColumns(rows, columns.length, dropped);
    const forest = trainMedian(columns, blank(learn), blank(judge));
    const forecast = forecastMedian(forest, blank(test), gridSeconds);
    const error = forecast.reduce((sum, delay, row) => sum + Math.abs(delay - test.truth[row]!), 0);
    return { without: groups.join(', ') || 'nothing', meanError: error / test.truth.length };
  });
}

/** What is left out together: nothing, each group, and all that past runs tell, as one group stands in for the other. */
function listDrops(): FeatureGroup[][] {
  const groups = Object.keys(featureGroups) as FeatureGroup[];
  return [[], ...groups.map((group) => [group]), ['train', 'pattern'], ['train', 'pattern', 'legs']];
}

/** Rows in which some columns are unknown. */
function blankColumns(rows: ModelRows, width: number, columns: readonly number[]): ModelRows {
  const values = Float32Array.from(rows.values);
  for (const column of columns) for (let at = column; at < values.length; at += width) values[at] = Number.NaN;
  return { ...rows, values };
}
