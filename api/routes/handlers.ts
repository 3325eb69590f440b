import { predictionHandlers } from './predictions.ts';
import type { Handlers, Service } from './service.ts';
import { healthHandlers } from './v1/health.ts';
import { v1HistoryHandlers } from './v1/history.ts';
import { metroHandlers } from './v1/metro.ts';
import { boardHandlers } from './v2/boards.ts';
import { disruptionHandlers } from './v2/disruptions.ts';
import { footpathHandlers } from './v2/footpath.ts';
import { historyHandlers } from './v2/history.ts';
import { journeyHandlers } from './v2/journeys.ts';
import { metaHandlers } from './v2/meta.ts';
import { stopHandlers } from './v2/stops.ts';
import { tripHandlers } from './v2/trips.ts';
import { vehicleHandlers } from './vehicles.ts';

/** Every route that works; the contract's other routes answer `not_available_yet`. */
export function allHandlers(service: Service): Handlers {
  return {
    ...metaHandlers(),
    ...stopHandlers(),
    ...boardHandlers(service),
    ...journeyHandlers(service),
    ...tripHandlers(service),
    ...footpathHandlers(service),
    ...disruptionHandlers(),
    ...vehicleHandlers(service),
    ...predictionHandlers(service),
    ...metroHandlers(service),
    ...historyHandlers(service),
    ...v1HistoryHandlers(service),
    ...healthHandlers(service),
  };
}
