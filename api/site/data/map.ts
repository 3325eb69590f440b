import type { Static } from 'typebox';
import type { RouteContract } from '../../contract/route-contract.ts';
import { closed } from '../../contract/schema-builders.ts';
import { findSection, openNetworkMap } from '../../engine/network/map-section.ts';
import { rememberLast } from '../../plugins/remember-last.ts';
import type { SiteRoute } from './mirror-route.ts';
import { sectionMembers, sectionProducts, sectionZoom } from './section-members.ts';

const mapQuery = closed({
  ...sectionMembers,
  zoom: sectionZoom(),
  products: sectionProducts(),
});
type MapQuery = Static<typeof mapQuery>;

const contract: RouteContract = {
  method: 'GET',
  path: '/site/data/map',
  operationId: 'getMapSection',
  summary: 'Lines and stops of a section of the map, as much of them as is seen at a zoom.',
  query: mapQuery,
  answer: null,
  answerMediaTypes: ['application/json'],
  problems: [],
  cost: 1,
  cacheControl: 'public, max-age=600',
};

/** Data of the page `/map`. */
export function mapDataRoute(): SiteRoute {
  // The first section of a timetable builds the index of paths.
  const findNetwork = rememberLast(openNetworkMap);
  return {
    contract,
    handler: {
      snapshot: 'required',
      follows: 'timetable',
      changesWithTime: () => false,
      answer: ({ snapshot, query }) => {
        const { zoom, products, ...section } = query as MapQuery;
        const network = findNetwork(snapshot!.value.timetable);
        return { json: findSection(network, { section, zoom, chosen: products ?? null }) };
      },
    },
  };
}
