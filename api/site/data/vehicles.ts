import type { Static } from 'typebox';
import type { RouteContract } from '../../contract/route-contract.ts';
import { closed } from '../../contract/schema-builders.ts';
import type { VehicleSection } from '../../contract/site-map.ts';
import type { Section } from '../../engine/read/section.ts';
import { findVehicleSection } from '../../engine/vehicles/vehicle-section.ts';
import type { VehicleQuery } from '../../engine/vehicles/vehicles.ts';
import type { Service } from '../../routes/service.ts';
import { isNarrow, requestVehicles } from '../../routes/vehicles.ts';
import type { SiteRoute } from './mirror-route.ts';
import { sectionMembers, sectionProducts, sectionZoom } from './section-members.ts';

const vehiclesQuery = closed({ ...sectionMembers, zoom: sectionZoom(), products: sectionProducts() });
type SectionVehiclesQuery = Static<typeof vehiclesQuery>;

const contract: RouteContract = {
  method: 'GET',
  path: '/site/data/vehicles',
  operationId: 'getVehicleSection',
  summary: 'Vehicles of a section of the map of any size, with their delays.',
  query: vehiclesQuery,
  answer: null,
  answerMediaTypes: ['application/json'],
  problems: [],
  cost: 2,
  cacheControl: 'public, max-age=5',
};

/** Vehicles for the page `/map`. */
export function vehicleDataRoute(service: Service): SiteRoute {
  return {
    contract,
    handler: {
      snapshot: 'required',
      changesWithTime: () => true,
      answer: (request) => {
        const { zoom, products, ...section } = request.query as SectionVehiclesQuery;
        const { isFresh, context } = requestVehicles(service, request, toVehicleQuery(section));
        const none: VehicleSection = { vehicles: [], count: 0 };
        return { json: isFresh ? findVehicleSection(context, { section, zoom, chosen: products ?? null }) : none };
      },
    },
  };
}

/** Sources are polled on demand only for sections that `/v1/vehicles` accepts too. */
function toVehicleQuery(section: Section): VehicleQuery {
  const { minLat, minLon, maxLat, maxLon } = section;
  const isSmall = isNarrow(maxLat - minLat) && isNarrow(maxLon - minLon);
  return { limit: 0, ...(isSmall && { box: section }) };
}
