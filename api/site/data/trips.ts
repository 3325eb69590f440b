import type { Static, TObject } from 'typebox';
import type { RouteContract } from '../../contract/route-contract.ts';
import { getRoute } from '../../contract/routes.ts';
import type { PlanningTask } from '../../planning/planning.ts';
import type { Service } from '../../routes/service.ts';
import { planningRoute } from '../../routes/v2/trips.ts';
import type { SiteRoute } from './mirror-route.ts';
import {
  followQuery,
  readFollowQuery,
  readRescueQuery,
  readTripsQuery,
  rescueQuery,
  toQueryProblem,
  tripsQuery,
} from './trip-queries.ts';

/** Trips, the current state of a chosen trip, and its rescue options; planned like those of /v2, at the same cost. */
export function tripDataRoutes(service: Service): readonly SiteRoute[] {
  return [
    planByQuery(service, { ...getContract('planTrips'), path: '/site/data/trips' }, tripsQuery, (query) => ({
      kind: 'tripChoice',
      body: readTripsQuery(query),
    })),
    planByQuery(
      service,
      {
        ...getContract('planRescue'),
        path: '/site/data/trip',
        summary: 'A chosen trip as it is now, and whether it still works out.',
        // This route follows a known trip and searches nothing.
        cost: 1,
      },
      followQuery,
      (query) => ({ kind: 'followedTrip', body: readFollowQuery(query) }),
    ),
    planByQuery(service, { ...getContract('planRescue'), path: '/site/data/rescue' }, rescueQuery, (query) => ({
      kind: 'rescue',
      body: readRescueQuery(query),
    })),
  ];
}

/** A planning route of /v2 with a query instead of a body. */
function getContract(operationId: string): Omit<RouteContract, 'body' | 'bodyType' | 'query'> & { method: 'GET' } {
  const { body: _, bodyType: __, ...contract } = getRoute(operationId);
  return { ...contract, method: 'GET' };
}

function planByQuery<Query extends TObject>(
  service: Service,
  contract: Omit<RouteContract, 'query'>,
  query: Query,
  toTask: (query: Static<Query>) => PlanningTask,
): SiteRoute {
  const handler = planningRoute(service, (request) => toTask(request.query as Static<Query>));
  return {
    contract: { ...contract, query },
    handler: {
      ...handler,
      async answer(request) {
        try {
          return await handler.answer(request);
        } catch (error) {
          throw toQueryProblem(error);
        }
      },
    },
  };
}
