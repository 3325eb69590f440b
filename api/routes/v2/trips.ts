import type { FootpathRequest, RescueRequest, TripRequest } from '../../contract/definitions.ts';
import type { JourneyQuery } from '../../contract/v2-queries.ts';
import { getJourney } from '../../engine/journeys/journeys.ts';
import type { PlanningTask } from '../../planning/planning.ts';
import type { Handlers, Service, ServiceRequest } from '../service.ts';

export function footpathHandlers({ planning }: Service): Handlers {
  return {
    'POST /v2/footpath': {
      // Streets do not depend on the timetable.
      snapshot: 'unused',
      changesWithTime: () => false,
      answer: async ({ body, instant, whenGone }) => ({
        bytes: await planning.answer({ kind: 'footpath', body: body as FootpathRequest }, null, instant, whenGone),
        mediaType: 'application/json',
      }),
    },
  };
}

export function journeyHandlers({ references }: Service): Handlers {
  return {
    'GET /v2/journeys/{ref}': {
      snapshot: 'required',
      // The current call changes with time, and the journey expires after a few days.
      changesWithTime: () => true,
      answer: ({ snapshot, query, params, instant }) => {
        const { stopId } = query as JourneyQuery;
        return { json: getJourney({ published: snapshot!.value, references, instant }, params.ref!, stopId) };
      },
    },
  };
}

export function tripHandlers(service: Service): Handlers {
  return {
    'POST /v2/trips': planningRoute(service, ({ body }) => ({ kind: 'trips', body: body as TripRequest })),
    'POST /v2/rescue': planningRoute(service, ({ body }) => ({ kind: 'rescue', body: body as RescueRequest })),
  };
}

/** Creates a handler that plans its response from the snapshots of the request. */
export function planningRoute(
  { planning }: Service,
  toTask: (request: ServiceRequest) => PlanningTask,
): NonNullable<Handlers[keyof Handlers]> {
  return {
    snapshot: 'required',
    changesWithTime: () => true,
    answer: async (request) => ({
      bytes: await planning.answer(toTask(request), request.snapshot, request.instant, request.whenGone),
      mediaType: 'application/json',
    }),
  };
}
