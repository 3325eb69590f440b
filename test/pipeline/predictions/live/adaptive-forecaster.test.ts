import { describe, expect, it } from 'vitest';
import { findConfidence, type TripPrediction } from '../../../../pipeline/model/prediction.ts';
import type { Product } from '../../../../pipeline/model/product.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { DatedTripTable } from '../../../../pipeline/predictions/features/dated-trip-table.ts';
import { featureColumns } from '../../../../pipeline/predictions/features/instant-rows.ts';
import { numberTrains } from '../../../../pipeline/predictions/features/train-numbers.ts';
import { noRecordedTrips } from '../../../../pipeline/predictions/learning/recorded-trips.ts';
import { AdaptiveForecaster } from '../../../../pipeline/predictions/live/adaptive-forecaster.ts';
import { replayRecord } from '../../../../pipeline/predictions/live/replay-record.ts';
import { TripPredictor } from '../../../../pipeline/predictions/live/trip-predictor.ts';
import { type DelayPriors, priorNames } from '../../../../pipeline/predictions/prior/read-priors.ts';
import type { Forest } from '../../../../pipeline/snapshots/transfer-model/forest.ts';
import { departuresOf, observedBy, recordOf } from '../../../support/worlds/live-runs-world.ts';
import { makeDatedTripTable, withDelays } from '../../../support/worlds/run-world.ts';

const ROOM = { datedTrips: 200, calls: 4000 };

/** Adds the same to every row. */
function oneLeaf(value: number): Forest {
  return {
    columnCount: featureColumns.length,
    treeStart: Int32Array.of(0, 1),
    column: Int16Array.of(-1),
    limit: Float32Array.of(value),
    left: Uint16Array.of(0),
  };
}

/** Priors that expect a change of 20 s more for `street` than for `rail`. */
function makePriors(): DelayPriors {
  const byName = new Map(
    priorNames.map((name, i) => {
      const median = 20 * i;
      const [low, high] = [oneLeaf(median - 30), oneLeaf(median + 30)];
      const model = { columns: featureColumns, gridSeconds: 1, low, median: oneLeaf(median), high };
      const facts = { archive: '', firstDay: '', lastDay: '', pairs: 0, misses: { below: [], above: [] } };
      return [name, { ...facts, name, model }];
    }),
  );
  return { id: 'prior-test', byName };
}

function makeTable(days: number, trains = 12): DatedTripTable {
  const table = makeDatedTripTable(5, { days, trains, calls: 10 });
  return numberTrains(table, departuresOf(table));
}

/** The predictions of all trips of a table from a number on, as the polls of a service would make them. */
function liveThrough(
  table: DatedTripTable,
  first: number,
  predictor: TripPredictor,
  product: Product,
): { prediction: TripPrediction; datedTrip: number }[] {
  const times = [
    ...table.departureTime.slice(table.callStart[first]),
    ...table.arrivalTime.slice(table.callStart[first]),
  ];
  const polls = [...new Set(times.filter((time) => !Number.isNaN(time)))].sort((a, b) => a - b);
  const made: { prediction: TripPrediction; datedTrip: number }[] = [];
  for (const at of polls) {
    const observed = Array.from({ length: table.datedTripCount - first }, (_, i) => first + i)
      .filter((one) => table.departureTime[table.callStart[one]!]! <= at)
      .map((one) => ({ ...observedBy(table, one, at), product }));
    for (const prediction of predictor.update(observed, at as Instant).predictions) {
      made.push({ prediction, datedTrip: Number(prediction.tripKey) });
    }
  }
  return made;
}

const widthOf = ({ low, high }: TripPrediction) => Math.min(...high.map((seconds, i) => seconds - low[i]!));

describe('AdaptiveForecaster', () => {
  it('predicts from the first observation of a source without any record, by the prior of the product', () => {
    const table = makeTable(1);
    const at = table.departureTime[1]!;
    for (const [product, change] of [
      ['regionalTrain', 0],
      ['cityBus', 20],
      ['tram', 10],
      ['ship', 0],
    ] as const) {
      const forecaster = new AdaptiveForecaster(null, makePriors());
      const predictor = new TripPredictor('new' as never, forecaster, noRecordedTrips, ROOM);
      const trip = { ...observedBy(table, 0, at), product };
      const { predictions, log } = predictor.update([trip], at as Instant);
      const [prediction] = predictions;
      expect(prediction!.median).toHaveLength(trip.stopIds.length - 2);
      for (const median of prediction!.median) expect(median).toBeCloseTo(prediction!.delaySeconds + change);
      expect(log.model).toBe('prior-test');
    }
  });

  it('gives no confidence until its forecasts have had outcomes, and then a calibrated one', () => {
    const table = makeTable(2, 30);
    const forecaster = new AdaptiveForecaster(null, makePriors());
    const predictor = new TripPredictor('new' as never, forecaster, noRecordedTrips, ROOM);
    const made = liveThrough(table, 0, predictor, 'cityBus');
    expect(findConfidence(widthOf(made[0]!.prediction))).toBe(null);
    expect(findConfidence(widthOf(made.at(-1)!.prediction))).not.toBe(null);
    let [covered, counted, error, persistence] = [0, 0, 0, 0];
    for (const { prediction, datedTrip } of made.slice(made.length / 3)) {
      prediction.median.forEach((median, i) => {
        const truth = table.arrivalDelay[table.callStart[datedTrip]! + prediction.position + 1 + i]!;
        error += Math.abs(median - truth);
        persistence += Math.abs(prediction.delaySeconds - truth);
        if (findConfidence(prediction.high[i]! - prediction.low[i]!) === null) return;
        counted++;
        if (prediction.low[i]! <= truth && truth <= prediction.high[i]!) covered++;
      });
    }
    expect(counted).toBeGreaterThan(100);
    expect(covered / counted).toBeGreaterThan(0.78);
    expect(error).toBeLessThan(1.01 * persistence);
  });

  it('begins with the outcomes of the last recorded day', () => {
    const table = makeTable(2, 20);
    const first = table.serviceDay.indexOf(table.serviceDay[0]! + 1);
    const record = recordOf(table, first);
    const forecaster = new AdaptiveForecaster(null, makePriors());
    replayRecord(record, forecaster);
    const predictor = new TripPredictor('new' as never, forecaster, record, ROOM);
    const { prediction } = liveThrough(table, first, predictor, 'regionalTrain')[0]!;
    expect(findConfidence(widthOf(prediction))).not.toBe(null);
  });

  it('forecasts whole minutes of the clock for a source that reports no seconds', () => {
    const whole = (scheduled: Float64Array, delays: Float64Array) =>
      delays.map((delay, call) => Math.floor((scheduled[call]! + delay) / 60) * 60 - scheduled[call]!);
    const made = makeTable(2, 20);
    const shifted = { ...made, scheduledArrival: made.scheduledArrival.map((time) => time + 24) };
    const arrivals = whole(shifted.scheduledArrival, shifted.arrivalDelay);
    const table = withDelays(shifted, arrivals, whole(shifted.scheduledDeparture, shifted.departureDelay));
    const predictor = new TripPredictor(
      'new' as never,
      new AdaptiveForecaster(null, makePriors()),
      noRecordedTrips,
      ROOM,
    );
    const { prediction, datedTrip } = liveThrough(table, 0, predictor, 'cityBus').at(-1)!;
    const start = table.callStart[datedTrip]! + prediction.position + 1;
    prediction.median.forEach((median, i) => {
      expect((table.scheduledArrival[start + i]! + median) % 60).toBe(0);
    });
  });
});
