import { type LakeSettings, withEngine } from '../../lake/observations/write-parts.ts';
import type { SourceId } from '../../model/ids.ts';
import { isFreshPrediction, type ObservedTrip, type TripPrediction } from '../../model/prediction.ts';
import type { Instant } from '../../model/service-time.ts';
import { featureColumns, InstantRows } from '../features/instant-rows.ts';
import { listLearningDays } from '../learning/learning-days.ts';
import { type ModelManifest, readModel, type StoredModel } from '../learning/model-store.ts';
import { loadRecordedTrips, type RecordedTrips } from '../learning/recorded-trips.ts';
import { settlePrediction } from '../model/calibrate.ts';
import { kindOfPair, predictDelays } from '../model/delay-model.ts';
import { LiveTrips, type PredictedTrip, type Progress, type TableCapacity } from './live-trips.ts';
import { type LoggedPredictions, logPredictions } from './prediction-log.ts';

/** Result of one round of observations. */
interface PredictionRound {
  readonly predictions: readonly TripPrediction[];
  /** Dated trips that are finished: their predictions end. */
  readonly over: readonly PredictedTripRef[];
  /** The same predictions with the data they are based on, for the lake. */
  readonly log: LoggedPredictions;
}

/** A trip on one service day. */
export type PredictedTripRef = Pick<ObservedTrip, 'tripKey' | 'day'>;

/** Feature rows, grouped by trip, and the starting values of the model. */
interface PredictionRows {
  /** The trips with past data; the others are not predicted. */
  readonly known: readonly PredictedTrip[];
  readonly values: Float32Array;
  readonly current: Float32Array;
  /** Expected seconds beyond the grid. */
  readonly offsets: Uint8Array;
  /** See `kindOfPair`. */
  readonly kinds: Uint8Array;
}

const WIDTH = featureColumns.length;

/** Predicts the trips of a source from its record and the observations since. */
export class TripPredictor {
  readonly #stored: StoredModel;
  readonly #datedTrips: LiveTrips;
  readonly #rows: InstantRows;
  /** By trip: the last observed call and time for which a prediction was made. */
  readonly #lastForecast = new Map<number, string>();

  constructor(stored: StoredModel, recorded: RecordedTrips, room: TableCapacity) {
    this.#stored = stored;
    this.#datedTrips = new LiveTrips(recorded, stored.model.gridSeconds, room);
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
      if (progress?.isOver) over.push({ tripKey: observed.tripKey, day: observed.day });
      if (!progress || progress.isOver || !this.#isNew(progress)) continue;
      if (!isFreshPrediction({ observedAt: progress.observedAt as Instant }, now)) continue;
      trips.push({ ...progress, observed, targets: observed.stopIds.length - 1 - progress.position });
    }
    return { ...this.#forecast(trips, now), over };
  }

  #isNew({ datedTrip, position, observedAt }: Progress): boolean {
    const event = `${position} ${observedAt}`;
    if (this.#lastForecast.get(datedTrip) === event) return false;
    this.#lastForecast.set(datedTrip, event);
    return true;
  }

  #forecast(trips: readonly PredictedTrip[], now: Instant): Omit<PredictionRound, 'over'> {
    const rows = this.#buildRows(trips);
    const { known } = rows;
    const { manifest, model } = this.#stored;
    const forecasts = predictDelays(model, rows);
    const settled = { low: forecasts.low.slice(), median: forecasts.median.slice(), high: forecasts.high.slice() };
    for (let row = 0; row < rows.current.length; row++) {
      settlePrediction(forecasts, row, manifest.shifts[rows.kinds[row]!]!, model.gridSeconds, settled);
    }
    const toSeconds = (quantile: Float32Array, from: number, to: number) =>
      Int16Array.from(quantile.subarray(from, to), (seconds, i) => clamp(seconds + rows.offsets[from + i]!));
    let from = 0;
    const predictions = known.map((datedTrip): TripPrediction => {
      const to = from + datedTrip.targets;
      const prediction = {
        ...this.#describe(datedTrip),
        low: toSeconds(settled.low, from, to),
        median: toSeconds(settled.median, from, to),
        high: toSeconds(settled.high, from, to),
      };
      from = to;
      return prediction;
    });
    return { predictions, log: logPredictions(known, predictions, rows.values, manifest.id, now) };
  }

  #describe({ observed, call, position, observedAt, isFromPosition }: PredictedTrip) {
    const { departureDelay, departureOffset } = this.#datedTrips.table;
    return {
      tripKey: observed.tripKey,
      day: observed.day,
      sourceId: this.#stored.manifest.sourceId,
      position,
      observedAt: observedAt as Instant,
      delaySeconds: Math.round(departureDelay[call]! + departureOffset[call]!),
      channel: isFromPosition ? ('positions' as const) : ('stop_events' as const),
    };
  }

  #buildRows(trips: readonly PredictedTrip[]): PredictionRows {
    const count = trips.reduce((sum, { targets }) => sum + targets, 0);
    const values = new Float32Array(count * WIDTH);
    const current = new Float32Array(count);
    const offsets = new Uint8Array(count);
    const kinds = new Uint8Array(count);
    const { departureDelay, departureTime, scheduledArrival, scheduledDeparture } = this.#datedTrips.table;
    const known: PredictedTrip[] = [];
    let row = 0;
    for (const one of trips) {
      const { datedTrip, call, targets, isStanding, observedAt } = one;
      this.#rows.start(datedTrip, call, isStanding ? observedAt : departureTime[call]!, isStanding);
      if (!this.#rows.hasPast()) continue;
      known.push(one);
      for (let to = call + 1; to <= call + targets; to++) {
        offsets[row] = this.#rows.write(to, values.subarray(row * WIDTH, (row + 1) * WIDTH));
        current[row] = departureDelay[call]!;
        const horizon = Math.max(0, scheduledArrival[to]! - scheduledDeparture[call]!);
        kinds[row] = kindOfPair(horizon, current[row]!, isStanding);
        row++;
      }
    }
    return {
      known,
      values: values.subarray(0, row * WIDTH),
      current: current.subarray(0, row),
      offsets,
      kinds,
    };
  }
}

function clamp(seconds: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(seconds)));
}

/** Space beyond the record: days of the source's traffic, and a minimum of calls. */
const ROOM_DAYS = 3;
const MIN_ROOM_CALLS = 50_000;

/**
 * Reads models and the current records of their sources.
 * @throws ExternalError `model_damaged`
 */
export async function openPredictors(
  dataDir: string,
  models: readonly ModelManifest[],
  settings: LakeSettings,
): Promise<Map<SourceId, TripPredictor>> {
  const forecasters = new Map<SourceId, TripPredictor>();
  await withEngine(dataDir, settings, async (db) => {
    for (const manifest of models) {
      const { sourceId } = manifest;
      const days = await listLearningDays(dataDir, sourceId, null);
      const recorded = await loadRecordedTrips(db, dataDir, sourceId, days);
      const busiest = days.reduce((most, { calls }) => Math.max(most, calls), 0);
      const calls = Math.max(MIN_ROOM_CALLS, ROOM_DAYS * busiest);
      const room = { datedTrips: Math.ceil(calls / 2), calls };
      forecasters.set(sourceId, new TripPredictor(await readModel(dataDir, manifest), recorded, room));
    }
  });
  return forecasters;
}
