import type { Service } from '../../routes/service.ts';
import { exploreDataRoutes } from './explore.ts';
import { journeyDataRoute } from './journeys.ts';
import { lineDataRoutes } from './lines.ts';
import { mapDataRoute } from './map.ts';
import type { SiteRoute } from './mirror-route.ts';
import { predictionDataRoute } from './predictions.ts';
import { punctualityDataRoute } from './punctuality.ts';
import { punctualityPictureRoute } from './punctuality-picture.ts';
import { sharingDataRoute } from './sharing.ts';
import { stationPunctualityRoute } from './station-punctuality.ts';
import { stopDataRoutes } from './stops.ts';
import { tripRecordRoute } from './trip-record.ts';
import { tripDataRoutes } from './trips.ts';
import { tryDataRoutes } from './try.ts';
import { vehicleDataRoute } from './vehicles.ts';

/** Lists the data routes of the pages: same-origin only, not part of the published contract. See docs/site.md. */
export function listSiteRoutes(service: Service): readonly SiteRoute[] {
  return [
    ...stopDataRoutes(service),
    journeyDataRoute(service),
    ...tripDataRoutes(service),
    punctualityDataRoute(service),
    punctualityPictureRoute(service),
    stationPunctualityRoute(service),
    tripRecordRoute(service),
    predictionDataRoute(service),
    mapDataRoute(),
    vehicleDataRoute(service),
    sharingDataRoute(),
    ...lineDataRoutes(service),
    ...exploreDataRoutes(service),
    ...tryDataRoutes(service),
  ];
}
