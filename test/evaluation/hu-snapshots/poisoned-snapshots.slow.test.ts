import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildSnapshotFeatures, chooseSnapshotPairs, snapshotColumns } from './build-snapshot-features.ts';
import { cutPositions } from './hu-snapshots-layout.ts';
import {
  chooseForecasts,
  forecastWithoutPositions,
  type SnapshotModels,
  trainSnapshotModels,
} from './snapshot-model.ts';
import { buildSnapshotSet, describeSnapshotPairs, type SnapshotDays, type SnapshotSet } from './snapshot-set.ts';
import type { SnapshotTable } from './snapshot-table.ts';
import { FIRST_DAY, makeSnapshotTable } from './snapshot-world.ts';

const cases = fc.record({ seed: fc.nat(), poison: fc.nat(), place: fc.double({ min: 0, max: 1, noNaN: true }) });

describe('what is reported after a poll', () => {
  it('changes no feature', () => {
    fc.assert(
      fc.property(cases, ({ seed, poison, place }) => {
        const size = { days: 4, trains: 5, calls: 8 };
        const table = makeSnapshotTable(seed, size);
        const pairs = chooseSnapshotPairs(table);
        fc.pre(pairs.count > 0);
        const after = table.polledAt[pairs.snapshot[Math.floor(place * (pairs.count - 1))]!]!;
        const poisoned = makeSnapshotTable(seed, size, { after, seed: poison });
        const before = buildSnapshotFeatures(table, pairs).values;
        const spoilt = buildSnapshotFeatures(poisoned, pairs).values;
        const width = snapshotColumns.length;
        const fields = (values: Float32Array, pair: number) => [...values.subarray(pair * width, (pair + 1) * width)];
        for (let pair = 0; pair < pairs.count; pair++) {
          if (table.polledAt[pairs.snapshot[pair]!]! > after) break;
          expect(fields(spoilt, pair)).toEqual(fields(before, pair));
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('with models', () => {
  const size = { days: 9, trains: 16, calls: 12 };
  const days: SnapshotDays = {
    from: FIRST_DAY,
    validationFrom: FIRST_DAY + 5,
    testFrom: FIRST_DAY + 7,
    testTo: FIRST_DAY + 8,
  };
  let table: SnapshotTable;
  let set: SnapshotSet;
  let models: SnapshotModels;
  const forecast = (one: SnapshotSet) =>
    chooseForecasts(one, models, days, forecastWithoutPositions(one, models, days));
  const isTest = (one: SnapshotSet, place: number) => one.day[place]! >= days.testFrom;

  beforeAll(() => {
    table = makeSnapshotTable(5, size);
    set = buildSnapshotSet(table, days);
    models = trainSnapshotModels(set, days);
  });

  it('what is reported after a poll changes no forecast', () => {
    const test = [...set.day.keys()].filter((place) => isTest(set, place));
    const before = forecast(set);
    for (const [poison, part] of [0.1, 0.4, 0.7, 0.95].entries()) {
      const after = set.requestedAt[test[Math.floor(part * test.length)]!]!;
      const poisoned = makeSnapshotTable(5, size, { after, seed: poison });
      const truth = set.truth.map((delay, place) => (set.knownAt[place]! > after ? delay + 900 : delay));
      const spoilt = forecast(describeSnapshotPairs(poisoned, { ...set, truth }));
      test.forEach((place, row) => {
        if (set.requestedAt[place]! > after) return;
        for (const end of ['low', 'median', 'high'] as const) expect(spoilt[end][row]).toBe(before[end][row]);
      });
    }
  });

  it('forecasts are whole minutes that are still ahead, in order, and better than persistence', () => {
    const { low, median, high } = forecast(set);
    const test = [...set.day.keys()].filter((place) => isTest(set, place));
    let [error, persistence] = [0, 0];
    test.forEach((place, row) => {
      for (const end of [low, median, high]) {
        expect(Math.abs(end[row]! % 60)).toBe(0);
        expect(set.horizonSeconds[place]! + end[row]!).toBeGreaterThan(0);
      }
      expect(low[row]).toBeLessThanOrEqual(median[row]!);
      expect(high[row]).toBeGreaterThanOrEqual(median[row]!);
      error += Math.abs(median[row]! - set.truth[place]!);
      persistence += Math.abs(set.current[place]! - set.truth[place]!);
    });
    expect(error).toBeLessThan(persistence);
  });

  it('a position is gone by while it is fresh, and no longer', () => {
    expect(models.withPositions).not.toBeNull();
    const places = [...set.day.keys()].filter((place) => isTest(set, place));
    const until = set.requestedAt[places[places.length >> 1]!]!;
    const cut = describeSnapshotPairs({ ...table, positions: cutPositions(table.positions, until) }, set);
    const [whole, reported, withoutPositions] = [
      forecast(set).median,
      forecast(cut).median,
      forecastWithoutPositions(cut, models, days).median,
    ];
    let changed = 0;
    places.forEach((place, row) => {
      if (set.requestedAt[place]! <= until) expect(reported[row]).toBe(whole[row]);
      if (cut.isFresh[place] === 0) expect(reported[row]).toBe(withoutPositions[row]);
      else if (reported[row] !== withoutPositions[row]) changed++;
      // A position of the instant of the cut is still gone by a quarter of an hour later.
      if (set.requestedAt[place]! > until + 900) expect(cut.isFresh[place]).toBe(0);
    });
    expect(changed).toBeGreaterThan(50);
    expect(places.some((place) => cut.isFresh[place] === 1 && set.requestedAt[place]! > until)).toBe(true);
  });
});
