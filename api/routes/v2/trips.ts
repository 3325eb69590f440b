import type { TripRequest } from '../../contract/definitions.ts';
import type { Handlers, Service } from '../service.ts';

export function tripHandlers({ planning }: Service): Handlers {
  return {
    'POST /v2/trips': {
      snapshot: 'required',
      changesWithTime: () => true,
      answer: async ({ body, snapshot, moment }) => ({
        bytes: await planning.answer({ kind: 'trips', body: body as TripRequest }, snapshot, moment),
        mediaType: 'application/json',
      }),
    },
  };
}
