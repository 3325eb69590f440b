import { AUSTRIA, formatTimestamp, type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import { getRoute } from '../../contract/routes.ts';
import type { ArrivalPrediction, SiteJourney } from '../../contract/site-boards.ts';
import type { Journey } from '../../contract/v2-board.ts';
import type { JourneyQuery } from '../../contract/v2-queries.ts';
import { findDatedTrip, getJourney } from '../../engine/journeys/journeys.ts';
import { findDelayForecast } from '../../engine/predictions/predictions.ts';
import type { DatedTrip } from '../../engine/read/dated-trip.ts';
import type { Published } from '../../engine/read/realtime.ts';
import type { Service } from '../../routes/service.ts';
import type { SiteRoute } from './mirror-route.ts';

/** A journey with the predicted interval of each remaining arrival; the app contract only has the delay. */
export function journeyDataRoute({ references }: Service): SiteRoute {
  return {
    contract: { ...getRoute('getJourney'), path: '/site/data/journeys/{ref}', answer: null },
    handler: {
      snapshot: 'required',
      changesWithTime: () => true,
      answer: ({ snapshot, query, params, instant }) => {
        const published = snapshot!.value;
        const journey = getJourney({ published, references, instant }, params.ref!, (query as JourneyQuery).stopId);
        const name = references.openJourney(params.ref!);
        const trip = name && findDatedTrip(published, name);
        const answer: SiteJourney = {
          journey,
          forecasts: trip ? listForecasts(published, trip, journey, instant) : [],
        };
        return { json: answer };
      },
    },
  };
}

function listForecasts(
  published: Published,
  { trip, day }: DatedTrip,
  { stops }: Journey,
  instant: Instant,
): readonly ArrivalPrediction[] {
  return stops.flatMap(({ arrival }, position) => {
    const scheduled = arrival?.scheduled === undefined ? null : parseTimestamp(arrival.scheduled);
    const forecast = findDelayForecast(published, { trip, day, position }, instant);
    if (scheduled === null || forecast === null) return [];
    const at = (delaySeconds: number) => formatTimestamp((scheduled + delaySeconds) as Instant, AUSTRIA);
    const { low, median, high } = forecast;
    return [{ position, earliest: at(low), median: at(median), latest: at(high) }];
  });
}
