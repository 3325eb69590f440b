import type { FootpathRequest } from '../../contract/definitions.ts';
import type { Handlers, Service } from '../service.ts';

export function footpathHandlers({ planning }: Service): Handlers {
  return {
    'POST /v2/footpath': {
      // Streets are of no timetable.
      snapshot: 'unused',
      changesWithTime: () => false,
      answer: async ({ body, moment }) => ({
        bytes: await planning.answer({ kind: 'footpath', body: body as FootpathRequest }, null, moment),
        mediaType: 'application/json',
      }),
    },
  };
}
