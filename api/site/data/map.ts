import type { Static } from 'typebox';
import type { RouteContract } from '../../contract/route-contract.ts';
import { closed, described, integer } from '../../contract/schema-builders.ts';
import { findSection, openNetworkMap } from '../../engine/network/map-section.ts';
import { rememberLast } from '../../plugins/remember-last.ts';
import type { SiteRoute } from './mirror-route.ts';
import { sectionMembers } from './section-members.ts';

const mapQuery = closed({
  ...sectionMembers,
  zoom: described('As maps count it: the world is 512 pixels wide at 0.', integer(0, 20)),
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
        const { zoom, ...section } = query as MapQuery;
        return { json: findSection(findNetwork(snapshot!.value.timetable), section, zoom) };
      },
    },
  };
}
