import type { TripPrediction } from '../../../pipeline/model/prediction.ts';
import { type Instant, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { hashTrip } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { instant } from './board-world.ts';

/** p10, p50 and p90 of the delay of an arrival; seconds. */
export type Quantiles = readonly [low: number, median: number, high: number];

/** Our prediction for a trip of the timetable source `at`, by the calls after the observed one. */
export function predictionOf(
  tripId: string,
  { day, observedAt }: { readonly day: ServiceDate; readonly observedAt: string },
  quantiles: readonly Quantiles[],
  over: Partial<TripPrediction> = {},
): TripPrediction {
  return {
    tripKey: hashTrip('at', tripId, -1),
    day: toEpochDay(day),
    sourceId: 'rt',
    position: 0,
    observedAt: instant(observedAt) as Instant,
    delaySeconds: 60,
    channel: 'stop_events',
    low: Int16Array.from(quantiles, ([low]) => low),
    median: Int16Array.from(quantiles, ([, median]) => median),
    high: Int16Array.from(quantiles, ([, , high]) => high),
    ...over,
  };
}
