import type { MessagePort } from 'node:worker_threads';
import { withEngine } from '../pipeline/lake/observations/write-parts.ts';
import type { SourceId } from '../pipeline/model/ids.ts';
import type { TripPrediction } from '../pipeline/model/prediction.ts';
import type { Instant } from '../pipeline/model/service-time.ts';
import type { DatedTrip } from '../pipeline/predictions/live/forecaster.ts';
import { openForecasters } from '../pipeline/predictions/live/forecaster.ts';
import type { LoggedPrediction } from '../pipeline/predictions/live/prediction-log.ts';
import { storePredictions } from '../pipeline/predictions/live/prediction-store.ts';
import { isDue } from '../pipeline/realtime/polling/chore.ts';
import type { ForecastStart, FromForecasts, ToForecasts } from './forecast-messages.ts';
import { ENGINE_GRACE_MILLISECONDS } from './threads.ts';

/** What was forecast is brought into the lake this often; a crash costs no more than that of it, and no observation. */
const STORE_SECONDS = 600;

/** What the service and the forecasts talk through. */
type ForecastPort = Pick<MessagePort, 'postMessage' | 'on' | 'off' | 'close'>;

/** Forecasts the reported trips of each message until a message stops it. */
export async function serveForecasts(port: ForecastPort, start: ForecastStart): Promise<void> {
  const { dataDir, models } = start;
  const post = (message: FromForecasts) => port.postMessage(message);
  const engine = new AbortController();
  const settings = { ...start.settings, signal: engine.signal };
  const forecasters = await openUnlessStopped(port, engine, () => openForecasters(dataDir, models, settings));
  if (forecasters === null) {
    port.close();
    return;
  }
  const log = openLog(dataDir, settings, (text) => post({ kind: 'warn', text }));
  port.on('message', (message: ToForecasts) => {
    if (message.kind === 'stop') {
      setTimeout(() => engine.abort(new Error('stopped')), ENGINE_GRACE_MILLISECONDS).unref();
      void log.close().then(() => {
        post({ kind: 'stopped' });
        port.close();
      });
      return;
    }
    const { number, now, runs } = message;
    const predictions: TripPrediction[] = [];
    const over = new Map<SourceId, readonly DatedTrip[]>();
    for (const [source, observed] of runs) {
      const forecasts = forecasters.get(source)?.hear(observed, now);
      if (!forecasts) continue;
      for (const prediction of forecasts.predictions) predictions.push(prediction);
      over.set(source, forecasts.over);
      log.add(source, forecasts.log);
    }
    post({ kind: 'heard', number, predictions, over });
    log.storeIfDue(now);
  });
  post({ kind: 'ready' });
}

/** A thread that still reads the record has forecast nothing: its engine is interrupted at once; null then. */
async function openUnlessStopped<Opened>(
  port: ForecastPort,
  engine: AbortController,
  open: () => Promise<Opened>,
): Promise<Opened | null> {
  const stop = (message: ToForecasts) => {
    if (message.kind === 'stop') engine.abort(new Error('stopped'));
  };
  port.on('message', stop);
  try {
    const opened = await open();
    return engine.signal.aborted ? null : opened;
  } catch (error) {
    if (engine.signal.aborted) return null;
    throw error;
  } finally {
    port.off('message', stop);
  }
}

/** Keeps what was forecast, and brings it into the lake now and then. */
function openLog(dataDir: string, settings: ForecastStart['settings'], warn: (text: string) => void) {
  let waiting = new Map<SourceId, LoggedPrediction[]>();
  let storedAt: Instant | null = null;
  let storing: Promise<void> = Promise.resolve();
  const store = () => {
    const taken = waiting;
    waiting = new Map();
    if (taken.size === 0) return storing;
    storing = storing.then(async () => {
      try {
        await withEngine(dataDir, settings, async (db, folder) => {
          for (const [source, rows] of taken) await storePredictions(db, dataDir, folder, source, rows);
        });
      } catch (error) {
        const count = [...taken.values()].reduce((sum, rows) => sum + rows.length, 0);
        warn(`${count} predictions are lost to the lake: ${(error as Error).message}`);
      }
    });
    return storing;
  };
  return {
    add(source: SourceId, rows: readonly LoggedPrediction[]) {
      const known = waiting.get(source) ?? [];
      for (const row of rows) known.push(row);
      if (known.length > 0) waiting.set(source, known);
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
