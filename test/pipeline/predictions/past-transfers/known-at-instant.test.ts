import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DatedTripTable } from '../../../../pipeline/predictions/features/dated-trip-table.ts';
import { seededRandom } from '../../../../pipeline/predictions/forest/seeded-random.ts';
import { KIND_COUNT } from '../../../../pipeline/predictions/model/delay-model.ts';
import { CaseFacts } from '../../../../pipeline/predictions/past-transfers/case-facts.ts';
import type { Transfers } from '../../../../pipeline/predictions/past-transfers/find-transfers.ts';
import {
  buildSideFeatures,
  onAllDays,
  openSidePredictions,
  predictSides,
} from '../../../../pipeline/predictions/past-transfers/predict-sides.ts';
import { buildTransferCases, transferOf } from '../../../../pipeline/predictions/past-transfers/transfer-cases.ts';
import { FIRST_DAY, makeDatedTripTable, withDelays } from '../../../support/worlds/run-world.ts';

/** Transfers between any two trips whose calls are close in time, at any stops. */
function makeTransfers(table: DatedTripTable, seed: number): Transfers {
  const random = seededRandom(seed);
  const any = () => Math.floor(random() * table.stop.length);
  const pairs = Array.from({ length: 300 }, () => [any(), any()] as const).filter(
    ([a, b]) => Math.abs(table.scheduledDeparture[b]! - table.scheduledArrival[a]!) < 7200,
  );
  return {
    count: pairs.length,
    arrival: Int32Array.from(pairs, ([a]) => a),
    departure: Int32Array.from(pairs, ([, b]) => b),
  };
}

/** Moves every event after an instant to another instant after it. The arrival at the first call is not an event. */
function poisonAfter(table: DatedTripTable, at: number, seed: number): DatedTripTable {
  const random = seededRandom(seed);
  const first = new Set(table.callStart);
  const poison = (delays: Float64Array, planned: Float64Array) =>
    delays.map((delay, call) =>
      planned[call]! + delay > at && !(delays === table.arrivalDelay && first.has(call))
        ? at + 1 + Math.floor(random() * 9000) - planned[call]!
        : delay,
    );
  return withDelays(
    table,
    poison(table.arrivalDelay, table.scheduledArrival),
    poison(table.departureDelay, table.scheduledDeparture),
  );
}

const world = (seed: number) => makeDatedTripTable(seed, { days: 4, trains: 12, calls: 8, unknown: 0.05, odd: 0.05 });

function readFacts(table: DatedTripTable, transfers: Transfers) {
  const cases = buildTransferCases(table, transfers);
  const sides = buildSideFeatures(table, cases);
  // Instead of predictions: the sums of the features, which determine a prediction.
  const width = sides.features.columns.length;
  const sums = Float32Array.from({ length: sides.pairs.count }, (_, pair) =>
    sides.features.values
      .subarray(pair * width, (pair + 1) * width)
      .reduce((sum, value, i) => sum + (Number.isNaN(value) ? 0 : value * (i + 1)), 0),
  );
  const facts = new CaseFacts(cases, openSidePredictions(sides, { low: sums, median: sums, high: sums }));
  return { cases, get: (place: number) => facts.get(place) };
}

describe('known data of a transfer at an instant', () => {
  it('do not depend on later events', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (seed, poison) => {
        const table = world(seed);
        const transfers = makeTransfers(table, seed);
        fc.pre(transfers.count > 0);
        const before = readFacts(table, transfers);
        const place = poison % before.cases.count;
        const after = readFacts(poisonAfter(table, before.cases.requestedAt[place]!, poison), transfers);
        expect(after.get(place)).toEqual(before.get(place));
      }),
      { numRuns: 25 },
    );
  });

  it('are the last event of each trip by then, and how long the next one is overdue', () => {
    const table = world(7);
    const transfers = makeTransfers(table, 7);
    const { cases, get } = readFacts(table, transfers);
    let [observed, overdue, forecast] = [0, 0, 0];
    for (let place = 0; place < cases.count; place++) {
      const facts = get(place);
      const at = table.scheduledArrival[transfers.arrival[transferOf(place)]!]! - facts.secondsToArrival;
      for (const side of ['arrival', 'departure'] as const) {
        const target = transfers[side][transferOf(place)]!;
        const expected = searchEvents(table, target, side, at);
        expect(facts[side].observed).toEqual(expected.observed);
        expect(facts[side].overdueSeconds).toBe(expected.overdueSeconds);
        const isFresh = expected.observed !== null && (expected.isThere || expected.observed.ageSeconds <= 480);
        expect(facts[side].forecast !== null).toBe(isFresh);
        if (expected.observed) observed++;
        if (expected.overdueSeconds > 0) overdue++;
        if (facts[side].forecast) forecast++;
      }
    }
    for (const count of [observed, overdue, forecast]) expect(count).toBeGreaterThan(20);
  });
});

/** All events of the trip up to that of the transfer in a list, searched from its end. */
function searchEvents(table: DatedTripTable, target: number, side: 'arrival' | 'departure', at: number) {
  const first = [...table.callStart].filter((start) => start <= target).at(-1)!;
  const events: { call: number; planned: number; delay: number }[] = [];
  for (let call = first; call <= target; call++) {
    if (call > first) {
      events.push({ call, planned: table.scheduledArrival[call]!, delay: table.arrivalDelay[call]! });
    }
    if (call < target || side === 'departure') {
      events.push({ call, planned: table.scheduledDeparture[call]!, delay: table.departureDelay[call]! });
    }
  }
  const last = events.findLastIndex(({ planned, delay }) => planned + delay <= at);
  const known = events[last];
  const next = events[last + 1];
  return {
    observed: known ? { delaySeconds: known.delay, ageSeconds: at - known.planned - known.delay } : null,
    isThere: known?.call === target,
    overdueSeconds: next ? Math.max(0, at - next.planned) : 0,
  };
}

it('sides are predicted by the model of their day', () => {
  const table = world(11);
  const sides = buildSideFeatures(table, buildTransferCases(table, makeTransfers(table, 12)));
  // No tree: the delay stays as it is, and the interval depends on the model.
  const forest = {
    columnCount: sides.features.columns.length,
    treeStart: Int32Array.of(0),
    column: new Int16Array(),
    limit: new Float32Array(),
    left: new Uint16Array(),
  };
  const modelOf = (down: number) => ({
    model: { columns: sides.features.columns, low: forest, median: forest, high: forest, gridSeconds: 1 },
    shifts: Array.from({ length: KIND_COUNT }, () => ({ down, up: 0 })),
  });
  const widths = (models: Parameters<typeof predictSides>[2]) => {
    const { low, high } = predictSides(table, sides, models);
    return Array.from(low, (one, pair) => high[pair]! - one);
  };
  const dayOf = (pair: number) => table.serviceDay[sides.pairs.datedTrip[pair]!]!;
  const both = widths([
    { from: FIRST_DAY + 1, delays: modelOf(60) },
    { from: FIRST_DAY + 2, delays: modelOf(90) },
  ]);
  expect(both).toEqual(both.map((_, pair) => (dayOf(pair) < FIRST_DAY + 2 ? 60 : 90)));
  expect(new Set(both)).toEqual(new Set([60, 90]));
  expect(new Set(widths(onAllDays(modelOf(30))))).toEqual(new Set([30]));
});
