import { describe, expect, it } from 'vitest';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import type { TripPrediction } from '../../../../pipeline/model/prediction.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import {
  packPredictions,
  packTrips,
  unpackPredictions,
  unpackTrips,
} from '../../../../pipeline/predictions/live/thread-messages.ts';
import { observedBy } from '../../../support/worlds/live-runs-world.ts';
import { makeDatedTripTable } from '../../../support/worlds/run-world.ts';

const source = toSourceId('city');
const table = makeDatedTripTable(3, { days: 1, trains: 6, calls: 7 });
const at = table.departureTime[3]!;

describe('messages of the prediction thread', () => {
  it('hold the observed trips', () => {
    const trips = Array.from({ length: table.datedTripCount }, (_, one) => observedBy(table, one, at));
    const largest = { ...trips[0]!, tripKey: 2n ** 64n - 1n, product: 'nightBus' as const };
    for (const sent of [[], [...trips, largest]]) {
      expect(unpackTrips(structuredClone(packTrips(sent)))).toEqual(sent);
    }
  });

  it('hold the predictions, whose delays do not keep the message', () => {
    const predictions = [0, 3, 1].map(
      (targets, one): TripPrediction => ({
        tripKey: 2n ** 63n + BigInt(one),
        day: table.serviceDay[0]! as TripPrediction['day'],
        sourceId: source,
        position: one,
        observedAt: at as Instant,
        delaySeconds: one === 1 ? -40 : 70,
        channel: one === 1 ? 'positions' : 'stop_events',
        low: Int16Array.from({ length: targets }, (_, i) => i - 32_768),
        median: Int16Array.from({ length: targets }, (_, i) => i),
        high: Int16Array.from({ length: targets }, (_, i) => 32_767 - i),
      }),
    );
    const received = unpackPredictions(structuredClone(packPredictions(source, predictions)));
    expect(received).toEqual(predictions);
    expect(received[1]!.low.buffer.byteLength).toBe(received[1]!.low.byteLength);
  });
});
