import { routes } from '../../contract/routes.ts';
import type { RouteKey } from '../../plugins/route-handler.ts';
import { predictionHandlers } from '../../routes/predictions.ts';
import type { Service } from '../../routes/service.ts';
import { footpathHandlers, tripHandlers } from '../../routes/v2/trips.ts';
import { watchHandlers } from '../../routes/v2/watches.ts';
import { TRY_DATA } from '../view-model/try-path.ts';
import { mirrorRoute, type SiteRoute } from './mirror-route.ts';

/** Copies of the POST routes of /v2 for the API documentation: browsers send Origin with POST, and /v2 refuses that. */
export function tryDataRoutes(service: Service): readonly SiteRoute[] {
  const handlers = {
    ...tripHandlers(service),
    ...footpathHandlers(service),
    ...watchHandlers(service),
    ...predictionHandlers(service),
  };
  return routes
    .filter(({ method, path }) => method === 'POST' && path.startsWith('/v2/'))
    .map(({ path }) => mirrorRoute(`POST ${path}` as RouteKey, handlers, TRY_DATA));
}
