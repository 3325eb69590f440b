import type { StopInfo } from '../../contract/v2-board.ts';
import { getStopInfo } from '../../engine/search/stops.ts';
import { type Service, timetableRoute } from '../../routes/service.ts';
import { boardHandlers, stopHandlers } from '../../routes/v2/stops.ts';
import { mirrorRoute, type SiteRoute } from './mirror-route.ts';

/** Stop search, and boards of stops. */
export function stopDataRoutes(service: Service): readonly SiteRoute[] {
  const handlers = {
    ...stopHandlers(service),
    ...boardHandlers(service),
    // Pages offer its lines as filters of the board.
    'GET /v2/stops/{id}/info': timetableRoute(
      (timetable, _query, { id }): StopInfo => getStopInfo(timetable, id!, 'scheduled'),
    ),
  };
  return [
    mirrorRoute('GET /v2/stops', handlers),
    mirrorRoute('GET /v2/stops/nearby', handlers),
    mirrorRoute('GET /v2/stops/{id}/info', handlers),
    mirrorRoute('GET /v2/stops/{id}/departures', handlers),
    mirrorRoute('GET /v2/stops/{id}/arrivals', handlers),
  ];
}
