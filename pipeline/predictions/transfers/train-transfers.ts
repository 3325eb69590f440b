import { noPastDelays, type PastDelays } from '../../snapshots/transfer-model/past-delays.ts';
import { calibrateTransfers, type PredictionOutcomes } from '../../snapshots/transfer-model/transfer-calibration.ts';
import { risingColumns, transferColumns } from '../../snapshots/transfer-model/transfer-facts.ts';
import { predictChances, type TransferModel } from '../../snapshots/transfer-model/transfer-model.ts';
import { takeValues } from '../features/take-values.ts';
import { type LogisticSettings, type OutcomeRows, trainLogisticForest } from '../forest/train-logistic-forest.ts';

/** Past transfers with their outcomes; one entry per case. */
export interface TransferRows {
  /** Row after row, in the order of `transferColumns`. */
  readonly values: Float32Array;
  /** 1 or 0. */
  readonly held: Uint8Array;
  /** Days since 1970. */
  readonly day: Int32Array;
}

const settings: LogisticSettings = {
  maxTrees: 250,
  maxLeaves: 32,
  minSamplesLeaf: 100,
  learningRate: 0.07,
  subsample: 0.4,
  columnShare: 0.6,
  patience: 12,
  seed: 1,
  risingColumns: risingColumns.map((name) => transferColumns.indexOf(name)),
};

/** Parts into which the days are dealt out in turn; each is forecast by a forest of the others. */
const FOLDS = 3;

/** A model, and what the forests forecast of the days that they had not seen. */
export interface TrainedTransfers {
  readonly model: TransferModel;
  /** By row, before calibration. */
  readonly unseen: PredictionOutcomes;
}

/**
 * Trains on all cases. How many trees, and the calibration, come from forests that have not seen the days which they
 * forecast, because the outcomes of one day resemble one another.
 * @param past delays of all days that later estimates may use, without names
 * @throws RangeError for fewer days than `FOLDS`
 */
export function trainTransferModel(rows: TransferRows, past: PastDelays = noPastDelays): TrainedTransfers {
  const days = [...new Set(rows.day)].sort((a, b) => a - b);
  if (days.length < FOLDS) throw new RangeError(`transfers of ${days.length} days, but ${FOLDS} are needed`);
  const startLogOdds = findLogOdds(rows.held);
  const fold = new Map(days.map((day, i) => [day, i % FOLDS]));
  const places = (isWanted: (fold: number) => boolean) =>
    Int32Array.from(Array.from(rows.day.keys()).filter((place) => isWanted(fold.get(rows.day[place]!)!)));
  const unseen = {
    forecast: new Float32Array(rows.held.length),
    held: rows.held,
    secondsToArrival: readColumn(rows.values, 'seconds_to_arrival'),
    isLive: findLive(rows.values),
  };
  let trees = 0;
  for (let part = 0; part < FOLDS; part++) {
    const left = places((one) => one === part);
    const validation = takeOutcomes(rows, left, startLogOdds);
    const learn = takeOutcomes(
      rows,
      places((one) => one !== part),
      startLogOdds,
    );
    const { forest } = trainLogisticForest(transferColumns.length, learn, validation, settings);
    trees += (forest.treeStart.length - 1) / FOLDS;
    const chances = predictChances({ forest, startLogOdds }, validation.values);
    left.forEach((place, row) => {
      unseen.forecast[place] = chances[row]!;
    });
  }
  const all = takeOutcomes(
    rows,
    places(() => true),
    startLogOdds,
  );
  const { forest } = trainLogisticForest(transferColumns.length, all, null, {
    ...settings,
    maxTrees: Math.round(trees),
  });
  const model: TransferModel = {
    columns: transferColumns,
    forest,
    startLogOdds,
    calibration: calibrateTransfers(unseen),
    past: { delays: past, routes: [], stops: [] },
  };
  return { model, unseen };
}

/** Of a share with one case more of either outcome. */
function findLogOdds(held: Uint8Array): number {
  const count = held.reduce((sum, one) => sum + one, 0);
  return Math.log((count + 1) / (held.length - count + 1));
}

function takeOutcomes({ values, held }: TransferRows, places: Int32Array, startLogOdds: number): OutcomeRows {
  return {
    values: takeValues(values, places, transferColumns.length),
    outcome: Uint8Array.from(places, (place) => held[place]!),
    start: new Float32Array(places.length).fill(startLogOdds),
  };
}

/** 1 where both vehicles were observed. */
function findLive(values: Float32Array): Uint8Array {
  const departure = readColumn(values, 'departure_observed');
  return Uint8Array.from(readColumn(values, 'arrival_observed'), (arrival, row) =>
    Number.isNaN(arrival) || Number.isNaN(departure[row]!) ? 0 : 1,
  );
}

function readColumn(values: Float32Array, name: (typeof transferColumns)[number]): Float32Array {
  const width = transferColumns.length;
  const column = transferColumns.indexOf(name);
  return Float32Array.from({ length: values.length / width }, (_, row) => values[row * width + column]!);
}
