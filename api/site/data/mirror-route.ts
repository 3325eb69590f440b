import type { RouteContract } from '../../contract/route-contract.ts';
import { routes } from '../../contract/routes.ts';
import type { Published } from '../../engine/read/realtime.ts';
import type { BoundRoute, RouteKey } from '../../plugins/route-handler.ts';
import type { Handlers } from '../../routes/service.ts';

/** A route for the data of the pages. */
export type SiteRoute = BoundRoute<Published>;

/** Path prefix of the routes for pages; the rest of the path is that of the mirrored route. */
const SITE_DATA = '/site/data';

/**
 * Mirrors a route of the contract for pages, which may not request /v2: `GET /v2/stops` becomes `GET /site/data/stops`.
 * @param handlers must include the handler of the route
 * @param prefix replaces `/v2`
 */
export function mirrorRoute(key: RouteKey, handlers: Handlers, prefix = SITE_DATA): SiteRoute {
  const contract = routes.find(({ method, path }) => `${method} ${path}` === key);
  const handler = handlers[key];
  if (!contract || !handler) throw new Error(`the contract has no route "${key}" with this handler`);
  return {
    contract: { ...contract, path: contract.path.replace(/^\/v\d/, prefix) } satisfies RouteContract,
    handler,
  };
}
