import { predictionHandlers } from './routes/predictions.ts';
import type { Handlers, Service } from './routes/service.ts';
import { announcementHandlers } from './routes/v1/announcements.ts';
import { healthHandlers } from './routes/v1/health.ts';
import { v1HistoryHandlers } from './routes/v1/history.ts';
import { metroHandlers } from './routes/v1/metro.ts';
import { networkMapHandlers } from './routes/v1/network-maps.ts';
import { disruptionHandlers } from './routes/v2/disruptions.ts';
import { historyHandlers } from './routes/v2/history.ts';
import { metaHandlers } from './routes/v2/meta.ts';
import { boardHandlers, stopHandlers } from './routes/v2/stops.ts';
import { footpathHandlers, journeyHandlers, tripHandlers } from './routes/v2/trips.ts';
import { watchHandlers } from './routes/v2/watches.ts';
import { vehicleHandlers } from './routes/vehicles.ts';

/** All implemented handlers; the other routes of the contract answer `not_available_yet`. */
export function allHandlers(service: Service): Handlers {
  return {
    ...metaHandlers(service),
    ...stopHandlers(service),
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
    ...watchHandlers(service),
    ...announcementHandlers(service),
    ...networkMapHandlers(service),
    ...healthHandlers(service),
  };
}
