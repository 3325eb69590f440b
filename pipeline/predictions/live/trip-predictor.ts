import { type LakeSettings, withEngine } from '../../lake/observations/write-parts.ts';
import type { SourceId } from '../../model/ids.ts';
import { isFreshPrediction, type ObservedTrip, type TripPrediction } from '../../model/prediction.ts';
import type { Instant, ServiceDate } from '../../model/service-time.ts';
import { horizonSeconds } from '../features/build-features.ts';
import { featureColumns, InstantRows } from '../features/instant-rows.ts';
import { type LearningDay, listLearningDays } from '../learning/learning-days.ts';
import { type ModelManifest, readModel, type StoredModel } from '../learning/model-store.ts';
import { loadRecordedTrips, noRecordedTrips, type RecordedTrips } from '../learning/recorded-trips.ts';
import { type DelayPriors, readPriors } from '../prior/read-priors.ts';
import { AdaptiveForecaster } from './adaptive-forecaster.ts';
import { LiveTrips, type PredictedTrip, type Progress, type TableCapacity } from './live-trips.ts';
import { type LoggedRound, logRound } from './prediction-log.ts';
import type { PredictionRows, RowForecaster } from './prediction-rows.ts';
import { replayRecord } from './replay-record.ts';
import { TrainedForecaster } from './trained-forecaster.ts';

/** Result of one round of observations. */
interface PredictionRound {
  readonly predictions: readonly TripPrediction[];
  /** Dated trips that are finished: their predictions end. */
  readonly over: readonly PredictedTripRef[];
  /** The same predictions with the data they are based on, for the lake. */
  readonly log: LoggedRound;
}

/** A trip on one service day. */
export type PredictedTripRef = Pick<ObservedTrip, 'tripKey' | 'day'>;

const WIDTH = featureColumns.length;
/** Rows for which space is kept: those of a usual poll of a large source. */
const KEPT_ROWS = 30_000;
/** More than the calls of any trip. */
const MAX_CALLS = 10_000;

/** Predicts the trips of a source from its record and the observations since. */
export class TripPredictor {
  readonly #sourceId: SourceId;
  readonly #forecaster: RowForecaster;
  readonly #datedTrips: LiveTrips;
  readonly #rows: InstantRows;
  /** By trip: the last observed call and time for which a prediction was made, as one number. */
  readonly #lastForecast = new Map<number, number>();
  /** Space for the rows of features of a round. */
  readonly #values = new Float32Array(KEPT_ROWS * WIDTH);

  constructor(sourceId: SourceId, forecaster: RowForecaster, recorded: RecordedTrips, room: TableCapacity) {
    this.#sourceId = sourceId;
    this.#forecaster = forecaster;
    this.#datedTrips = new LiveTrips(recorded, forecaster.gridSeconds, room);
    const { table, index, statistics } = this.#datedTrips;
    this.#rows = new InstantRows(table, index, statistics);
  }

  /**
   * Adds the observations of some trips, and predicts the trips whose new observations are fresh enough to publish.
   * @throws RangeError when the tables are full: then the record has to be reread
   */
  update(datedTrips: readonly ObservedTrip[], now: Instant): PredictionRound {
    const trips: PredictedTrip[] = [];
    const over: PredictedTripRef[] = [];
    // All observations are added before the first prediction: those of other trips at the same time count too.
    for (const observed of datedTrips) {
      const progress = this.#datedTrips.update(observed);
      if (progress) this.#forecaster.observe(progress, this.#datedTrips.table);
      if (progress?.isOver) over.push({ tripKey: observed.tripKey, day: observed.day });
      if (!progress || progress.isOver || !this.#isNew(progress)) continue;
      if (!isFreshPrediction({ observedAt: progress.observedAt as Instant }, now)) continue;
      trips.push({ ...progress, observed, targets: observed.stopIds.length - 1 - progress.position });
    }
    return { ...this.#forecast(trips, now), over };
  }

  #isNew({ datedTrip, position, observedAt }: Progress): boolean {
    const event = observedAt * MAX_CALLS + position;
    if (this.#lastForecast.get(datedTrip) === event) return false;
    this.#lastForecast.set(datedTrip, event);
    return true;
  }

  #forecast(wanted: readonly PredictedTrip[], now: Instant): Omit<PredictionRound, 'over'> {
    const rows = this.#buildRows(wanted);
    const { trips } = rows;
    const forecasts = this.#forecaster.forecast(rows, this.#datedTrips.table);
    const quantiles = {
      low: toSeconds(forecasts.low),
      median: toSeconds(forecasts.median),
      high: toSeconds(forecasts.high),
    };
    let from = 0;
    const predictions = trips.map((datedTrip): TripPrediction => {
      const to = from + datedTrip.targets;
      const prediction = {
        ...this.#describe(datedTrip),
        low: quantiles.low.subarray(from, to),
        median: quantiles.median.subarray(from, to),
        high: quantiles.high.subarray(from, to),
      };
      from = to;
      return prediction;
    });
    const log = logRound(rows, predictions, quantiles, { model: this.#forecaster.modelId, madeAt: now });
    return { predictions, log };
  }

  #describe({ observed, call, position, observedAt, isFromPosition }: PredictedTrip) {
    const { departureDelay, departureOffset } = this.#datedTrips.table;
    return {
      tripKey: observed.tripKey,
      day: observed.day,
      sourceId: this.#sourceId,
      position,
      observedAt: observedAt as Instant,
      delaySeconds: Math.round(departureDelay[call]! + departureOffset[call]!),
      channel: isFromPosition ? ('positions' as const) : ('stop_events' as const),
    };
  }

  #buildRows(wanted: readonly PredictedTrip[]): PredictionRows {
    const count = wanted.reduce((sum, { targets }) => sum + targets, 0);
    const values = count > KEPT_ROWS ? new Float32Array(count * WIDTH) : this.#values;
    const current = new Float32Array(count);
    const offsets = new Uint8Array(count);
    const horizons = new Float32Array(count);
    const { table } = this.#datedTrips;
    const trips: PredictedTrip[] = [];
    let row = 0;
    for (const one of wanted) {
      const { datedTrip, call, targets, isStanding, observedAt } = one;
      this.#rows.start(datedTrip, call, isStanding ? observedAt : table.departureTime[call]!, isStanding);
      if (this.#forecaster.needsPast && !this.#rows.hasPast()) continue;
      trips.push(one);
      for (let to = call + 1; to <= call + targets; to++) {
        offsets[row] = this.#rows.write(to, values, row * WIDTH);
        current[row] = table.departureDelay[call]!;
        horizons[row] = horizonSeconds(table, call, to);
        row++;
      }
    }
    return {
      trips,
      values: values.subarray(0, row * WIDTH),
      current: current.subarray(0, row),
      offsets,
      horizonSeconds: horizons.subarray(0, row),
    };
  }
}

function toSeconds(quantile: Float32Array): Int16Array {
  const seconds = new Int16Array(quantile.length);
  for (let row = 0; row < seconds.length; row++) {
    seconds[row] = Math.max(-32_768, Math.min(32_767, Math.round(quantile[row]!)));
  }
  return seconds;
}

/** A source to be predicted: by its model, or by a prior while it has none. */
export interface PredictedSource {
  readonly sourceId: SourceId;
  readonly manifest: ModelManifest | null;
  /** Newest day of its record while it has no model; null without a record, and for a source with a model. */
  readonly lastDay: ServiceDate | null;
}

/** Space beyond the record: days of the source's traffic, and a minimum of calls; more where the traffic is unknown. */
const ROOM_DAYS = 3;
const MIN_ROOM_CALLS = 50_000;
const UNKNOWN_ROOM_CALLS = 600_000;
/** With at least this many recorded days, the model of a source forecasts alone. */
const FULL_DAYS = 14;

/**
 * Reads models and the current records of their sources.
 * @throws ExternalError `model_damaged`
 */
export async function openPredictors(
  dataDir: string,
  sources: readonly PredictedSource[],
  settings: LakeSettings,
): Promise<Map<SourceId, TripPredictor>> {
  const predictors = new Map<SourceId, TripPredictor>();
  let priors: DelayPriors | null = null;
  await withEngine(dataDir, settings, async (db) => {
    for (const { sourceId, manifest } of sources) {
      const days = await listLearningDays(dataDir, sourceId, null);
      const recorded = days.length === 0 ? noRecordedTrips : await loadRecordedTrips(db, dataDir, sourceId, days);
      const stored = manifest && (await readModel(dataDir, manifest));
      let forecaster: RowForecaster;
      if (stored && days.length >= FULL_DAYS) forecaster = new TrainedForecaster(stored);
      else {
        priors ??= await readPriors();
        forecaster = openAdaptiveForecaster(stored, priors, recorded);
      }
      predictors.set(sourceId, new TripPredictor(sourceId, forecaster, recorded, findRoom(days)));
    }
  });
  return predictors;
}

function openAdaptiveForecaster(
  stored: StoredModel | null,
  priors: DelayPriors,
  recorded: RecordedTrips,
): RowForecaster {
  const forecaster = new AdaptiveForecaster(stored, priors);
  replayRecord(recorded, forecaster);
  return forecaster;
}

function findRoom(days: readonly LearningDay[]): TableCapacity {
  const busiest = days.reduce((most, { calls }) => Math.max(most, calls), 0);
  const calls = Math.max(days.length === 0 ? UNKNOWN_ROOM_CALLS : MIN_ROOM_CALLS, ROOM_DAYS * busiest);
  return { datedTrips: Math.ceil(calls / 2), calls };
}
