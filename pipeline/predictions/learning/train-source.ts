import type { Duckdb } from '../../effects/duckdb.ts';
import { ExternalError } from '../../effects/external-error.ts';
import type { Log } from '../../effects/log.ts';
import type { SourceId } from '../../model/ids.ts';
import { writeTransferModel } from '../../snapshots/transfer-model/transfer-model-bytes.ts';
import { featureColumns } from '../features/instant-rows.ts';
import { findShifts, type QuantileColumns, type Shift, settlePrediction } from '../model/calibrate.ts';
import {
  type DelayModel,
  KIND_COUNT,
  kindOfPair,
  type ModelRows,
  predictDelays,
  predictMedian,
  trainDelayModel,
} from '../model/delay-model.ts';
import { LEARN, TEST, VALIDATION } from '../model/share-out-days.ts';
import { type LearntTransfers, learnTransfers } from '../past-transfers/learn-transfers.ts';
import type { CalibratedModel, DatedModel } from '../past-transfers/predict-sides.ts';
import {
  type FeatureManifest,
  findFeatureManifest,
  pickRows,
  readFeatures,
  type StoredFeatures,
  takeStored,
} from './feature-store.ts';
import { listLearningDays, shareOutLearningDays } from './learning-days.ts';
import {
  findCurrentModel,
  type ModelComparison,
  type ModelManifest,
  publishModel,
  readModel,
  type StoredModel,
  writeDelayModel,
} from './model-store.ts';
import { loadRecordedTrips } from './recorded-trips.ts';

/** The model to publish, and the reason for the choice. */
interface TrainedModel extends CalibratedModel {
  /** A model that has not learnt the newer half of the training days; null where these are few. */
  readonly older: DatedModel | null;
  readonly comparison: ModelComparison;
  readonly learntPairs: number;
}

/**
 * Trains a model on stored features and compares it with the previous one on the last days: the better one is kept, and
 * its intervals are calibrated again either way.
 * @param before the previous model; null for the first one
 */
export function trainModel(stored: StoredFeatures, gridSeconds: number, before: DelayModel | null): TrainedModel {
  const learn = takeStored(stored, LEARN);
  const validation = takeStored(stored, VALIDATION);
  const trained = trainDelayModel(featureColumns, learn, validation, gridSeconds);
  const compared = takeStored(stored, TEST).places;
  const errorOf = (model: DelayModel) => meanError(stored, compared, model);
  const errors = {
    trained: errorOf(trained),
    before: before && isAskable(before, gridSeconds) ? errorOf(before) : null,
  };
  const isBeforeBetter = errors.before !== null && errors.before < errors.trained;
  const model = isBeforeBetter ? before! : trained;
  const { shifts, covered } = calibrate(stored, model);
  const comparison: ModelComparison = {
    pairs: compared.length,
    persistence: mean(compared, (place) => Math.abs(observedDelay(stored, place) - stored.current[place]!)),
    ...errors,
    covered,
    kept: isBeforeBetter ? 'before' : 'trained',
  };
  const older = trainOlder(stored, learn.places, validation, gridSeconds);
  return { model, shifts, older, comparison, learntPairs: learn.places.length };
}

/** With fewer days for training, transfers are learnt only from those after them. */
export const MIN_DAYS_OF_BOTH = 10;

/** Trains on the older half of the training days, so that transfers of the newer half can be learnt, too. */
function trainOlder(
  stored: StoredFeatures,
  learn: Int32Array,
  validation: ModelRows,
  gridSeconds: number,
): DatedModel | null {
  const days = [...new Set(Array.from(learn, (place) => stored.serviceDay[place]!))].sort((a, b) => a - b);
  if (days.length < MIN_DAYS_OF_BOTH) return null;
  const from = days[Math.floor(days.length / 2)]!;
  const older = learn.filter((place) => stored.serviceDay[place]! < from);
  const model = trainDelayModel(featureColumns, pickRows(stored, older), validation, gridSeconds);
  return { from, delays: { model, shifts: calibrate(stored, model).shifts } };
}

/** A model with other columns or another grid of delays does not fit the features. */
function isAskable(model: DelayModel, gridSeconds: number): boolean {
  return model.gridSeconds === gridSeconds && model.columns.join() === featureColumns.join();
}

/** The observed delay, with the remainder that the grid left out. */
function observedDelay({ truth, beyondGrid }: StoredFeatures, place: number): number {
  return truth[place]! + beyondGrid[place]!;
}

function meanError(stored: StoredFeatures, places: Int32Array, model: DelayModel): number {
  const median = predictMedian(model.median, pickRows(stored, places), model.gridSeconds);
  let row = 0;
  return mean(places, (place) =>
    Math.abs(observedDelay(stored, place) - median[row++]! - stored.expectedBeyondGrid[place]!),
  );
}

function mean(places: Int32Array, read: (place: number) => number): number {
  let sum = 0;
  for (const place of places) sum += read(place);
  return places.length === 0 ? 0 : sum / places.length;
}

/** Shifts the ends of intervals by the outcomes of all days that were not learnt from. */
function calibrate(stored: StoredFeatures, model: DelayModel): { shifts: Shift[]; covered: number } {
  const places = Int32Array.from(
    Array.from(stored.role.keys()).filter((place) => stored.role[place] === VALIDATION || stored.role[place] === TEST),
  );
  const forecasts = predictDelays(model, pickRows(stored, places));
  const pairs = {
    day: places.map((place) => stored.serviceDay[place]!),
    kind: Uint16Array.from(places, (place) => kindOfStored(stored, place)),
    requestedAt: Float64Array.from(places, (place) => stored.requestedAt[place]!),
    knownAt: Float64Array.from(places, (place) => stored.knownAt[place]!),
    truth: Float32Array.from(places, (place) => stored.truth[place]!),
  };
  const all = Array.from(places.keys());
  const shiftOf = findShifts(pairs, forecasts, all, model.gridSeconds);
  const shifts = Array.from({ length: KIND_COUNT }, (_, kind) => shiftOf(kind));
  return { shifts, covered: measureCover(forecasts, pairs, shifts, model.gridSeconds) };
}

function kindOfStored({ horizonSeconds, current, values }: StoredFeatures, place: number): number {
  const isStanding = values[place * featureColumns.length + featureColumns.indexOf('is_standing')] === 1;
  return kindOfPair(horizonSeconds[place]!, current[place]!, isStanding);
}

function measureCover(
  forecasts: QuantileColumns,
  { kind, truth }: { readonly kind: Uint16Array; readonly truth: Float32Array },
  shifts: readonly Shift[],
  gridSeconds: number,
): number {
  const empty = () => new Float32Array(truth.length);
  const settled = { low: empty(), median: empty(), high: empty() };
  let covered = 0;
  for (let place = 0; place < truth.length; place++) {
    settlePrediction(forecasts, place, shifts[kind[place]!]!, gridSeconds, settled);
    if (settled.low[place]! <= truth[place]! && truth[place]! <= settled.high[place]!) covered++;
  }
  return truth.length === 0 ? 0 : covered / truth.length;
}

/** Result for one source. */
export type TrainOutcome =
  | { readonly kind: 'trained' | 'unchanged'; readonly manifest: ModelManifest }
  | { readonly kind: 'due' }
  /** It has no features; `build-features` reports the reason. */
  | { readonly kind: 'unfit' };

export interface TrainRequest {
  readonly dataDir: string;
  readonly source: SourceId;
  /** Trains also when the model is of these features already. */
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  readonly trainedAt: string;
}

/** Trains a model of a source on its features, and publishes it or the previous one, whichever is better. */
export async function trainSource(
  db: Duckdb,
  { dataDir, source, isForced, isDryRun, trainedAt }: TrainRequest,
  log: Log,
): Promise<TrainOutcome> {
  const features = await findFeatureManifest(dataDir, source);
  if (!features) return { kind: 'unfit' };
  const current = await findCurrentModel(dataDir, source);
  if (current?.featuresHash === features.hash && !isForced) return { kind: 'unchanged', manifest: current };
  if (isDryRun) return { kind: 'due' };
  const before = current && (await readBefore(dataDir, current, log));
  const trained = await trainOnFeatures(db, dataDir, features, before?.model ?? null);
  const { model, shifts, comparison, learntPairs } = trained;
  const transfers = await learnRecordedTransfers(db, dataDir, features, trained);
  const isBeforeKept = comparison.kept === 'before';
  const files = { delays: writeDelayModel(model), transfers: transfers && writeTransferModel(transfers.model) };
  const manifest = await publishModel(dataDir, files, {
    sourceId: source,
    lastDay: features.lastDay,
    learntUntil: isBeforeKept ? before!.manifest.learntUntil : features.lastDay,
    trainedAt,
    featuresHash: features.hash,
    learntPairs: isBeforeKept ? before!.manifest.learntPairs : learntPairs,
    shifts,
    comparison,
    transfers: transfers && describeTransfers(transfers),
  });
  return { kind: 'trained', manifest };
}

/** The features are no longer held when it returns: transfers need the memory. */
async function trainOnFeatures(
  db: Duckdb,
  dataDir: string,
  { sourceId, gridSeconds }: FeatureManifest,
  before: DelayModel | null,
): Promise<TrainedModel> {
  return trainModel(await readFeatures(db, dataDir, sourceId), gridSeconds, before);
}

/** A model of fewer transfers, or of fewer days, is not published. */
const MIN_TRANSFERS = 500;
const MIN_TRANSFER_DAYS = 6;

/**
 * Learns transfers from the days of the record, each with the forecasts of a model that has not learnt it.
 * @returns null where they are too few, for example because days were dropped since
 */
async function learnRecordedTransfers(
  db: Duckdb,
  dataDir: string,
  { sourceId, lastDay }: FeatureManifest,
  delays: TrainedModel,
): Promise<LearntTransfers | null> {
  const days = await listLearningDays(dataDir, sourceId, lastDay);
  if (days.length < MIN_TRANSFER_DAYS) return null;
  const { validationFrom, testTo } = shareOutLearningDays(days);
  const { table, stations, routes, stops } = await loadRecordedTrips(db, dataDir, sourceId, days);
  const newest = { from: validationFrom, delays };
  const models = delays.older === null ? [newest] : [delays.older, newest];
  const learnt = learnTransfers(table, stations, models, testTo);
  if (!learnt || learnt.cases.transfers.count < MIN_TRANSFERS) return null;
  const past = { delays: learnt.model.past.delays, routes, stops };
  return { ...learnt, model: { ...learnt.model, past } };
}

function describeTransfers({ cases, unseen }: LearntTransfers) {
  return { learntCases: cases.count, held: mean(Int32Array.from(unseen.held.keys()), (place) => unseen.held[place]!) };
}

/** A previous model that cannot be read does not stop the training. */
async function readBefore(dataDir: string, current: ModelManifest, log: Log): Promise<StoredModel | null> {
  try {
    return await readModel(dataDir, current);
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    log.warn(`${error.message}; the new one is not compared with it`);
    return null;
  }
}
