import assert from 'node:assert';
import { toEpochDay } from '../../model/service-time.ts';
import type { QuantileForecasts } from '../calibrate.ts';
import { type Forecaster, type ForecastTable, OURS, PERSISTENCE } from '../forecast-table.ts';
import { type Layout, UnfitWindowError } from '../layout.ts';
import { measureSnapshotGroups } from './ablate-snapshots.ts';
import { cutPositions } from './cut-positions.ts';
import { loadHuSnapshots } from './load-hu-snapshots.ts';
import { chooseForecasts, forecastBlind, type SnapshotModels, trainSnapshotModels } from './snapshot-model.ts';
import {
  buildSnapshotSet,
  describeSnapshotPairs,
  keepPairs,
  listSnapshotPlaces,
  type SnapshotDays,
  type SnapshotSet,
  shareOutSnapshotDays,
} from './snapshot-set.ts';
import type { SnapshotTable } from './snapshot-table.ts';

/** Names of forecasters that show what positions are worth. */
export const WITHOUT_POSITIONS = 'no positions';
export const POSITIONS_CUT = 'positions cut';

/** Live snapshots of running trips. @see prediction-evaluation, layout `hu_snapshots` */
export const huSnapshotsLayout: Layout = {
  name: 'hu_snapshots',
  buckets: [
    { name: 'overdue', from: Number.NEGATIVE_INFINITY, to: 0 },
    { name: '0-5 min', from: 0, to: 300 },
    { name: '5-15 min', from: 300, to: 900 },
    { name: '15-30 min', from: 900, to: 1800 },
    { name: '30-60 min', from: 1800, to: 3600 },
    { name: '60-90 min', from: 3600, to: Number.POSITIVE_INFINITY },
  ],
  evaluate: async (db, file, window, options) => {
    assert(options.companions, 'snapshots are evaluated with their final values');
    options.onStep('load');
    const days = shareOutSnapshotDays(toEpochDay(window.from), toEpochDay(window.testFrom), toEpochDay(window.testTo));
    const table = await loadHuSnapshots(db, file, options.companions, window);
    options.onStep('train');
    const set = buildSnapshotSet(table, days);
    const has = (from: number, to: number) => set.day.some((day) => day >= from && day < to);
    if (
      !has(days.from, days.judgeFrom) ||
      !has(days.judgeFrom, days.testFrom) ||
      !has(days.testFrom, days.testTo + 1)
    ) {
      throw new UnfitWindowError('the files have no pairs on the days to learn from, or none on those of the test');
    }
    const models = trainSnapshotModels(set, days);
    options.onStep('forecast');
    const blind = forecastBlind(set, models, days);
    const ours = chooseForecasts(set, models, days, blind);
    const cut = models.sighted === null ? null : forecastCut(table, set, models, days, blind);
    const result = buildForecastTable(set, days, { ours, blind, cut });
    options.onStep('ablation');
    const ablation = options.hasAblation ? measureSnapshotGroups(set, days) : [];
    options.onStep('done');
    const learntPairs = set.count - result.count;
    return [
      { table: result, learntPairs, trees: models.blind.median.treeStart.length - 1, ablation, implausible: null },
    ];
  },
};

/** The same forecasts as if the feed of positions had stopped half way through the test. */
function forecastCut(
  table: SnapshotTable,
  set: SnapshotSet,
  models: SnapshotModels,
  days: SnapshotDays,
  blind: QuantileForecasts,
): QuantileForecasts {
  const places = listSnapshotPlaces(set, (place) => set.day[place]! >= days.judgeFrom);
  const tested = set.askedAt.filter((_, place) => set.day[place]! >= days.testFrom);
  const middle = (tested[0]! + tested.at(-1)!) / 2;
  const cut = { ...table, positions: cutPositions(table.positions, middle) };
  return chooseForecasts(describeSnapshotPairs(cut, keepPairs(set, places)), models, days, blind);
}

function buildForecastTable(
  set: SnapshotSet,
  days: SnapshotDays,
  { ours, blind, cut }: { ours: QuantileForecasts; blind: QuantileForecasts; cut: QuantileForecasts | null },
): ForecastTable {
  const facts = keepPairs(
    set,
    listSnapshotPlaces(set, (place) => set.day[place]! >= days.testFrom),
  );
  const forecasters: Forecaster[] = [
    { name: 'schedule', median: new Float32Array(facts.count), low: null, high: null },
    { name: PERSISTENCE, median: facts.current, low: null, high: null },
    ...(cut === null
      ? []
      : [
          { name: WITHOUT_POSITIONS, ...blind },
          { name: POSITIONS_CUT, ...cut },
        ]),
    { name: OURS, ...ours },
  ];
  return {
    unit: 'wholeMinutes',
    count: facts.count,
    truth: facts.truth,
    current: facts.current,
    horizonSeconds: facts.horizonSeconds,
    secondsToArrival: facts.horizonSeconds.map((seconds, pair) => seconds + facts.truth[pair]!),
    forecasters,
  };
}
