import type { JourneyQuery } from '../../contract/v2-queries.ts';
import { getJourney } from '../../engine/journeys.ts';
import type { Handlers, Service } from '../service.ts';

export function journeyHandlers({ references }: Service): Handlers {
  return {
    'GET /v2/journeys/{ref}': {
      snapshot: 'required',
      // The current call moves on, and after a few days the journey expires.
      changesWithTime: () => true,
      answer: ({ snapshot, query, params, moment }) => {
        const { stopId } = query as JourneyQuery;
        return { json: getJourney({ published: snapshot!.value, references, moment }, params.ref!, stopId) };
      },
    },
  };
}
