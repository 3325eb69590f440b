import type { Static } from 'typebox';
import type { RouteContract } from '../../contract/route-contract.ts';
import { closed } from '../../contract/schema-builders.ts';
import type { SharingSection } from '../../contract/site-sharing.ts';
import { openSharing } from '../../engine/sharing/open-sharing.ts';
import type { SiteRoute } from './mirror-route.ts';
import { sectionMembers } from './section-members.ts';

const sharingQuery = closed(sectionMembers);
type SharingQuery = Static<typeof sharingQuery>;

/** Maximum number of stations in a response: more would overlap on the map. */
const MAX_STATIONS = 500;

const contract: RouteContract = {
  method: 'GET',
  path: '/site/data/sharing',
  operationId: 'getSharingSection',
  summary: 'Sharing stations of a section of the map, with their stock.',
  query: sharingQuery,
  answer: null,
  answerMediaTypes: ['application/json'],
  problems: [],
  cost: 1,
  cacheControl: 'public, max-age=15',
};

/** Sharing stations for the page `/map`. */
export function sharingDataRoute(): SiteRoute {
  return {
    contract,
    handler: {
      snapshot: 'required',
      changesWithTime: () => true,
      answer: ({ snapshot, query, instant }) => {
        const sharing = openSharing(snapshot!.value.realtime);
        const stations = sharing?.listStations(query as SharingQuery, instant) ?? [];
        const section: SharingSection = {
          stations: stations.slice(0, MAX_STATIONS),
          isPartial: stations.length > MAX_STATIONS,
        };
        return { json: section };
      },
    },
  };
}
