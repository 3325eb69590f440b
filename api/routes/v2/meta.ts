import type { Meta } from '../../contract/definitions.ts';
import { CONTRACT_VERSION } from '../../contract/definitions.ts';
import { routes } from '../../contract/routes.ts';
import { buildSchemaDocument } from '../../contract/schema-document.ts';
import type { Handlers, Service } from '../service.ts';
import { listProviders } from '../v1/health.ts';

const appRoutes = routes
  .filter((route) => route.path.startsWith('/v2/'))
  .map(({ method, path }) => `${method} ${path}`);

export function metaHandlers(service: Pick<Service, 'configuredTimetables'>): Handlers {
  const schema = Buffer.from(JSON.stringify(buildSchemaDocument(), null, 2));
  return {
    'GET /v2/meta': {
      snapshot: 'optional',
      follows: 'timetable',
      changesWithTime: () => false,
      answer: ({ snapshot }) => {
        const manifest = snapshot?.value.timetable.manifest;
        const meta: Meta = {
          contract: CONTRACT_VERSION,
          routes: appRoutes,
          providers: listProviders(service, manifest?.sources ?? []),
          deprecations: [],
          ...(manifest
            ? { timetable: { begin: manifest.beginDate, end: manifest.endDate, dataDate: manifest.dataDate } }
            : {}),
        };
        return { json: meta };
      },
    },
    'GET /v2/schema': {
      snapshot: 'unused',
      changesWithTime: () => false,
      answer: () => ({ bytes: schema, mediaType: 'application/schema+json' }),
    },
  };
}
