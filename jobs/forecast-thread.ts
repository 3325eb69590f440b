import { parentPort, workerData } from 'node:worker_threads';
import type { ForecastStart } from './forecast-messages.ts';
import { serveForecasts } from './serve-forecasts.ts';

// The inside of a forecasting thread: `forecast-desk.ts` starts it, and another one when there are newer models.

if (!parentPort) throw new Error('this file is the inside of a thread');
await serveForecasts(parentPort, workerData as ForecastStart);
