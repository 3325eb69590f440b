import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildFeatures, choosePairs, type Pairs } from '../../../pipeline/predictions/features/build-features.ts';
import { type DatedTripTable, splitMinutes } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { featureColumns } from '../../../pipeline/predictions/features/instant-rows.ts';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import {
  describePairs,
  type PairSet,
  takeRows,
  trainDelayModel,
} from '../../../pipeline/predictions/model/delay-model.ts';
import {
  type DayShares,
  giveRoles,
  LEARN,
  listPlaces,
  TEST,
  VALIDATION,
} from '../../../pipeline/predictions/model/share-out-days.ts';
import { predictTestSet } from '../../evaluation/pl-rail-layout.ts';
import { FIRST_DAY, makeDatedTripTable, withDelays } from '../../support/worlds/run-world.ts';

/**
 * Changes every delay that was unknown at the departure of a call: later events of all trips, which still happen later,
 * and all later calls of the same trip, whatever their reported times.
 */
function poisonFuture(table: DatedTripTable, instant: number, seed: number, isStanding = false): DatedTripTable {
  const random = seededRandom(seed);
  const at = (isStanding ? table.arrivalTime : table.departureTime)[instant]!;
  const ownEnd = table.callStart.find((start) => start > instant)!;
  const poison = (delays: Float64Array, planned: Float64Array, own: number) =>
    delays.map((delay, call) => {
      const isOwnFuture = call >= own && call < ownEnd;
      const isLater = planned[call]! + delay > at;
      if (!isOwnFuture && !isLater) return delay;
      // Anything that stays in the future. Unknown values stay unknown: they are not reported later either.
      const instant = Math.max(at + 1, planned[call]! - 600) + Math.floor(random() * 5000);
      return instant - planned[call]!;
    });
  return withDelays(
    table,
    poison(table.arrivalDelay, table.scheduledArrival, instant + 1),
    poison(table.departureDelay, table.scheduledDeparture, isStanding ? instant : instant + 1),
  );
}

/** Pairs requested up to an instant, without later ones of the same trip. */
function listRequestedPairs(table: DatedTripTable, pairs: Pairs, instant: number): number[] {
  const at = table.departureTime[instant]!;
  const ownEnd = table.callStart.find((start) => start > instant)!;
  const requested: number[] = [];
  for (let pair = 0; pair < pairs.count; pair++) {
    const call = pairs.from[pair]!;
    if (table.departureTime[call]! <= at && !(call > instant && call < ownEnd)) requested.push(pair);
  }
  return requested;
}

const cases = fc.record({ seed: fc.nat(), poison: fc.nat(), place: fc.double({ min: 0, max: 1, noNaN: true }) });
const grids = { 'as reported': (table: DatedTripTable) => table, 'on the grid of minutes': splitMinutes } as const;

describe('events after an instant', () => {
  it.each(Object.entries(grids))('change no feature of delays %s', (_, toGrid) => {
    fc.assert(
      fc.property(cases, ({ seed, poison, place }) => {
        const reported = makeDatedTripTable(seed, { days: 6, trains: 8, calls: 9, unknown: 0.03, odd: 0.03 });
        const pairs = choosePairs(reported);
        fc.pre(pairs.count > 0);
        const instant = pairs.from[Math.floor(place * (pairs.count - 1))]!;
        fc.pre(!Number.isNaN(reported.departureTime[instant]!));
        const table = toGrid(reported);
        const poisoned = toGrid(poisonFuture(reported, instant, poison));
        const requested = listRequestedPairs(table, pairs, instant);
        const before = buildFeatures(table, pairs);
        const after = buildFeatures(poisoned, pairs);
        const width = featureColumns.length;
        const fields = (values: Float32Array, pair: number) => [...values.subarray(pair * width, (pair + 1) * width)];
        for (const pair of requested) {
          expect(fields(after.values, pair)).toEqual(fields(before.values, pair));
          expect(after.offsets[pair]).toBe(before.offsets[pair]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('change no feature of a standing vehicle', () => {
    fc.assert(
      fc.property(cases, ({ seed, poison, place }) => {
        const made = makeDatedTripTable(seed, { days: 6, trains: 8, calls: 9, unknown: 0.03 });
        const reported = { ...made, isInstant: made.isInstant.map((bits) => 2 * bits) };
        const pairs = choosePairs(reported);
        fc.pre(pairs.count > 0);
        const pair = Math.floor(place * (pairs.count - 1));
        const instant = pairs.from[pair]!;
        const before = buildFeatures(reported, pairs);
        const poisoned = poisonFuture(reported, instant, poison, true);
        const after = buildFeatures(poisoned, pairs);
        const width = featureColumns.length;
        const row = (values: Float32Array) => [...values.subarray(pair * width, (pair + 1) * width)];
        expect(row(before.values)[featureColumns.indexOf('is_standing')]).toBe(1);
        expect(row(after.values)).toEqual(row(before.values));
        // The value put in the place of the departure is removed again.
        expect(poisoned.departureDelay).toEqual(poisonFuture(reported, instant, poison, true).departureDelay);
      }),
      { numRuns: 30 },
    );
  });

  it('change no prediction', () => {
    const days: DayShares = {
      learnFrom: FIRST_DAY + 4,
      validationFrom: FIRST_DAY + 12,
      testFrom: FIRST_DAY + 15,
      testTo: FIRST_DAY + 19,
    };
    const build = (table: DatedTripTable): PairSet => {
      const pairs = choosePairs(table);
      return {
        pairs,
        roles: giveRoles(table, pairs, days, 1),
        features: buildFeatures(table, pairs),
        ...describePairs(table, pairs),
      };
    };
    const reported = makeDatedTripTable(7, { days: 20, trains: 12, calls: 10, odd: 0.01 });
    const table = splitMinutes(reported);
    const set = build(table);
    const columns = set.features.columns;
    const rows = (role: number) => takeRows(set, listPlaces(set.roles, role));
    const model = trainDelayModel(columns, rows(LEARN), rows(VALIDATION), 60);
    const before = predictTestSet(table, set, model, days);
    const test = listPlaces(set.roles, TEST);
    fc.assert(
      fc.property(cases, ({ poison, place }) => {
        const instant = set.pairs.from[test[Math.floor(place * (test.length - 1))]!]!;
        const poisoned = splitMinutes(poisonFuture(reported, instant, poison));
        const after = predictTestSet(poisoned, build(poisoned), model, days);
        const requested = new Set(listRequestedPairs(table, set.pairs, instant));
        test.forEach((pair, row) => {
          if (!requested.has(pair)) return;
          for (const end of ['low', 'median', 'high'] as const) expect(after[end][row]).toBe(before[end][row]);
        });
      }),
      { numRuns: 12 },
    );
  });
});
