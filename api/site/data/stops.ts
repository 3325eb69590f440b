import type { Service } from '../../routes/service.ts';
import { boardHandlers, stopHandlers } from '../../routes/v2/stops.ts';
import { mirrorRoute, type SiteRoute } from './mirror-route.ts';

/** Stop search, and boards of stops. */
export function stopDataRoutes(service: Service): readonly SiteRoute[] {
  const handlers = { ...stopHandlers(service), ...boardHandlers(service) };
  return [
    mirrorRoute('GET /v2/stops', handlers),
    mirrorRoute('GET /v2/stops/nearby', handlers),
    mirrorRoute('GET /v2/stops/{id}/info', handlers),
    mirrorRoute('GET /v2/stops/{id}/departures', handlers),
    mirrorRoute('GET /v2/stops/{id}/arrivals', handlers),
  ];
}
