import { serveThread, type ThreadSide } from '../../effects/threads.ts';
import { type LakeSettings, withEngine } from '../../lake/observations/write-parts.ts';
import { isDue } from '../../model/clock-tolerance.ts';
import type { SourceId } from '../../model/ids.ts';
import type { Instant } from '../../model/service-time.ts';
import { type LoggedRound, listLogged } from './prediction-log.ts';
import { storePredictions } from './prediction-store.ts';
import { type PackedPredictions, type PackedTrips, packPredictions, unpackTrips } from './thread-messages.ts';
import { openPredictors, type PredictedSource, type PredictedTripRef } from './trip-predictor.ts';

/** Interval of storing predictions in the lake; a crash loses at most those of one interval, and no observation. */
const STORE_SECONDS = 600;

/** Parameters of a prediction thread. */
export interface PredictionThreadOptions {
  readonly dataDir: string;
  readonly sources: readonly PredictedSource[];
  readonly settings: LakeSettings;
}

/** Observations up to a time. */
export interface PredictionRequest {
  readonly now: Instant;
  readonly datedTrips: ReadonlyMap<SourceId, PackedTrips>;
}

export interface PredictionResponse {
  readonly predictions: readonly PackedPredictions[];
  readonly over: ReadonlyMap<SourceId, readonly PredictedTripRef[]>;
}

/** Predicts the reported trips of each request until it is stopped; then stores the remaining predictions. */
export async function servePredictions(
  { dataDir, sources, settings }: PredictionThreadOptions,
  { effects, signal, engineSignal, stopped, reportReady, answer }: ThreadSide<PredictionRequest, PredictionResponse>,
): Promise<void> {
  // A thread that is still reading the record has no predictions to store: its engine is interrupted at once.
  const forecasters = await openPredictors(dataDir, sources, { ...settings, signal }).catch((error) => {
    if (!signal.aborted) throw error;
  });
  if (!forecasters || signal.aborted) return;
  const log = openLog(dataDir, { ...settings, signal: engineSignal }, effects.log.warn);
  answer(({ now, datedTrips }) => {
    const predictions: PackedPredictions[] = [];
    const over = new Map<SourceId, readonly PredictedTripRef[]>();
    for (const [source, observed] of datedTrips) {
      const forecasts = forecasters.get(source)?.update(unpackTrips(observed), now);
      if (!forecasts) continue;
      predictions.push(packPredictions(source, forecasts.predictions));
      over.set(source, forecasts.over);
      log.add(source, forecasts.log);
    }
    log.storeIfDue(now);
    return { predictions, over };
  });
  reportReady();
  await stopped;
  await log.close();
}

/** Buffers predictions and stores them in the lake at intervals. */
function openLog(dataDir: string, settings: LakeSettings, warn: (text: string) => void) {
  let waiting = new Map<SourceId, LoggedRound[]>();
  let storedAt: Instant | null = null;
  let storing: Promise<void> = Promise.resolve();
  const store = () => {
    const taken = waiting;
    waiting = new Map();
    if (taken.size === 0) return storing;
    storing = storing.then(async () => {
      try {
        await withEngine(dataDir, settings, async (db, folder) => {
          for (const [source, rounds] of taken) {
            await storePredictions(db, dataDir, folder, source, rounds.flatMap(listLogged));
          }
        });
      } catch (error) {
        const count = [...taken.values()].flat().reduce((sum, { quantiles }) => sum + quantiles.median.length, 0);
        warn(`${count} predictions could not be stored in the lake: ${(error as Error).message}`);
      }
    });
    return storing;
  };
  return {
    add(source: SourceId, round: LoggedRound) {
      if (round.trips.length === 0) return;
      const known = waiting.get(source) ?? [];
      known.push(round);
      waiting.set(source, known);
    },
    storeIfDue(now: Instant) {
      storedAt ??= now;
      if (!isDue(storedAt, STORE_SECONDS, now)) return;
      storedAt = now;
      void store();
    },
    close: store,
  };
}

serveThread(import.meta.url, servePredictions);
