import type { StopInfo, StopList } from '../../contract/definitions.ts';
import type { NearbyQuery, StopsQuery } from '../../contract/v2-queries.ts';
import { findStopsByName, findStopsNearby, getStopInfo } from '../../engine/stops.ts';
import { type Handlers, timetableRoute } from '../service.ts';

export function stopHandlers(): Handlers {
  return {
    'GET /v2/stops': timetableRoute<StopsQuery>((timetable, { lat, lon, ...search }): StopList => {
      const bias = lat !== undefined && lon !== undefined ? { bias: { lat, lon } } : {};
      return { stops: findStopsByName(timetable, { ...search, ...bias }) };
    }),
    'GET /v2/stops/nearby': timetableRoute<NearbyQuery>(
      (timetable, query): StopList => ({ stops: findStopsNearby(timetable, query) }),
    ),
    'GET /v2/stops/{id}/info': timetableRoute((timetable, _query, { id }): StopInfo => getStopInfo(timetable, id!)),
  };
}
