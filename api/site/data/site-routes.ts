import type { Service } from '../../routes/service.ts';
import { journeyDataRoute } from './journeys.ts';
import { mapDataRoute } from './map.ts';
import type { SiteRoute } from './mirror-route.ts';
import { predictionDataRoute } from './predictions.ts';
import { punctualityDataRoute } from './punctuality.ts';
import { stopDataRoutes } from './stops.ts';
import { tripDataRoutes } from './trips.ts';

/** The data of the pages: for this origin alone, and no part of the published contract. docs/site.md lists them. */
export function listSiteRoutes(service: Service): readonly SiteRoute[] {
  return [
    ...stopDataRoutes(service),
    journeyDataRoute(service),
    ...tripDataRoutes(service),
    punctualityDataRoute(service),
    predictionDataRoute(service),
    mapDataRoute(),
  ];
}
