import { type LakeSettings, withEngine } from '../../lake/observations/write-parts.ts';
import type { SourceId } from '../../model/ids.ts';
import { isFreshPrediction, type ObservedRun, type TripPrediction } from '../../model/prediction.ts';
import type { Instant } from '../../model/service-time.ts';
import { featureColumns, InstantRows } from '../features/instant-rows.ts';
import { listLearningDays } from '../learning/learning-days.ts';
import { type ModelManifest, readModel, type StoredModel } from '../learning/model-store.ts';
import { loadRecordedRuns, type RecordedRuns } from '../learning/recorded-runs.ts';
import { settleForecast } from '../model/calibrate.ts';
import { forecastDelays, kindOfPair } from '../model/delay-model.ts';
import { type AskedRun, LiveRuns, type Room, type Standing } from './live-runs.ts';
import { type LoggedPredictions, logPredictions } from './prediction-log.ts';

/** What came of what was heard. */
export interface Forecasts {
  readonly predictions: readonly TripPrediction[];
  /** Runs of which nothing is to be forecast any more. */
  readonly over: readonly DatedTrip[];
  /** The same with all that they rest on, for the lake. */
  readonly log: LoggedPredictions;
}

/** A trip on one service day. */
export type DatedTrip = Pick<ObservedRun, 'tripKey' | 'day'>;

/** Rows of features, those of one run one after another, and what the model starts from. */
interface AskedRows {
  /** The runs that have a past: of the others nothing is forecast. */
  readonly known: readonly AskedRun[];
  readonly values: Float32Array;
  readonly current: Float32Array;
  /** Seconds that the grid leaves out, as expected. */
  readonly offsets: Uint8Array;
  /** See `kindOfPair`. */
  readonly kinds: Uint8Array;
}

const WIDTH = featureColumns.length;

/**
 * Forecasts the runs of a source as it observes them: its record, and what was heard since, is all that it knows.
 */
export class Forecaster {
  readonly #stored: StoredModel;
  readonly #runs: LiveRuns;
  readonly #rows: InstantRows;
  /** By run: the standing that was forecast last. */
  readonly #told = new Map<number, string>();

  constructor(stored: StoredModel, recorded: RecordedRuns, room: Room) {
    this.#stored = stored;
    this.#runs = new LiveRuns(recorded, stored.model.gridSeconds, room);
    const { table, index, statistics } = this.#runs;
    this.#rows = new InstantRows(table, index, statistics);
  }

  /**
   * Takes up what is observed by now of some runs, and forecasts those of which something new is known that is fresh
   * enough to be told.
   * @throws RangeError when there is no room left: then the record is to be read anew
   */
  hear(runs: readonly ObservedRun[], now: Instant): Forecasts {
    const asked: AskedRun[] = [];
    const over: DatedTrip[] = [];
    // All are heard before one is asked: what others tell at the same moment counts.
    for (const observed of runs) {
      const standing = this.#runs.hear(observed);
      if (standing?.isOver) over.push({ tripKey: observed.tripKey, day: observed.day });
      if (!standing || standing.isOver || !this.#isNews(standing)) continue;
      if (!isFreshPrediction({ observedAt: standing.observedAt as Instant }, now)) continue;
      asked.push({ ...standing, observed, targets: observed.stopIds.length - 1 - standing.position });
    }
    return { ...this.#forecast(asked, now), over };
  }

  #isNews({ run, position, observedAt }: Standing): boolean {
    const word = `${position} ${observedAt}`;
    if (this.#told.get(run) === word) return false;
    this.#told.set(run, word);
    return true;
  }

  #forecast(asked: readonly AskedRun[], now: Instant): Omit<Forecasts, 'over'> {
    const rows = this.#buildRows(asked);
    const { known } = rows;
    const { manifest, model } = this.#stored;
    const forecasts = forecastDelays(model, rows);
    const told = { low: forecasts.low.slice(), median: forecasts.median.slice(), high: forecasts.high.slice() };
    for (let row = 0; row < rows.current.length; row++) {
      settleForecast(forecasts, row, manifest.shifts[rows.kinds[row]!]!, model.gridSeconds, told);
    }
    const tell = (quantile: Float32Array, from: number, to: number) =>
      Int16Array.from(quantile.subarray(from, to), (seconds, i) => clamp(seconds + rows.offsets[from + i]!));
    let from = 0;
    const predictions = known.map((run): TripPrediction => {
      const to = from + run.targets;
      const prediction = {
        ...this.#describe(run),
        low: tell(told.low, from, to),
        median: tell(told.median, from, to),
        high: tell(told.high, from, to),
      };
      from = to;
      return prediction;
    });
    return { predictions, log: logPredictions(known, predictions, rows.values, manifest.id, now) };
  }

  #describe({ observed, call, position, observedAt, isFromPosition }: AskedRun) {
    const { departureDelay, departureOffset } = this.#runs.table;
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

  #buildRows(asked: readonly AskedRun[]): AskedRows {
    const count = asked.reduce((sum, { targets }) => sum + targets, 0);
    const values = new Float32Array(count * WIDTH);
    const current = new Float32Array(count);
    const offsets = new Uint8Array(count);
    const kinds = new Uint8Array(count);
    const { departureDelay, departureTime, scheduledArrival, scheduledDeparture } = this.#runs.table;
    const known: AskedRun[] = [];
    let row = 0;
    for (const one of asked) {
      const { run, call, targets, isStanding, observedAt } = one;
      this.#rows.start(run, call, isStanding ? observedAt : departureTime[call]!, isStanding);
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

/** How many days of a source's traffic may come on top of its record, and how many calls at the least. */
const ROOM_DAYS = 3;
const LEAST_ROOM = 50_000;

/**
 * Reads models and the records behind them, as far as the record goes by now.
 * @throws WorldError `model_damaged`
 */
export async function openForecasters(
  dataDir: string,
  models: readonly ModelManifest[],
  settings: LakeSettings,
): Promise<Map<SourceId, Forecaster>> {
  const forecasters = new Map<SourceId, Forecaster>();
  await withEngine(dataDir, settings, async (db) => {
    for (const manifest of models) {
      const { sourceId } = manifest;
      const days = await listLearningDays(dataDir, sourceId, null);
      const recorded = await loadRecordedRuns(db, dataDir, sourceId, days);
      const busiest = days.reduce((most, { calls }) => Math.max(most, calls), 0);
      const calls = Math.max(LEAST_ROOM, ROOM_DAYS * busiest);
      const room = { runs: Math.ceil(calls / 2), calls };
      forecasters.set(sourceId, new Forecaster(await readModel(dataDir, manifest), recorded, room));
    }
  });
  return forecasters;
}
