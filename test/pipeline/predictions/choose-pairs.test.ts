import { describe, expect, it } from 'vitest';
import { choosePairs, horizonSeconds, pickPairs } from '../../../pipeline/predictions/features/build-features.ts';
import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { splitMinutes, toWholeMinutes } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { makeDatedTripTable } from '../../support/worlds/run-world.ts';

/** The protocol literally: every row with every other one. */
function recountPairs(table: DatedTripTable): string[] {
  const runOf = (call: number) => table.callStart.findLastIndex((start) => start <= call);
  const found: string[] = [];
  for (let a = 0; a < table.stop.length; a++) {
    if (table.isInstant[a] !== 1) continue;
    for (let b = 0; b < table.stop.length; b++) {
      if (runOf(a) !== runOf(b)) continue;
      if (Number.isNaN(table.departureDelay[a]! + table.arrivalDelay[b]!)) continue;
      if ([1, 2, 3, 5, 8, 12].includes(table.sequence[b]! - table.sequence[a]!)) found.push(`${runOf(a)} ${a} ${b}`);
    }
  }
  return found;
}

describe('pairs', () => {
  it.each([1, 2, 3, 4, 5])('are those of the protocol, dataset %i', (seed) => {
    const table = makeDatedTripTable(seed, { days: 2, trains: 4, calls: 16, unknown: 0.05 });
    const pairs = choosePairs(table);
    const named = Array.from(
      pairs.datedTrip,
      (datedTrip, pair) => `${datedTrip} ${pairs.from[pair]} ${pairs.to[pair]}`,
    );
    expect(named).toEqual(recountPairs(table));
    expect(pairs.count).toBeGreaterThan(50);
    const picked = pickPairs(pairs, Int32Array.of(3, 1));
    expect([...picked.to]).toEqual([pairs.to[3], pairs.to[1]]);
  });

  it('have a horizon that is never negative', () => {
    const table = makeDatedTripTable(1, { days: 1, trains: 3, calls: 5 });
    expect(horizonSeconds(table, 0, 1)).toBe(table.scheduledArrival[1]! - table.scheduledDeparture[0]!);
    expect(horizonSeconds(table, 3, 1)).toBe(0);
  });
});

describe('units', () => {
  const table = makeDatedTripTable(9, { days: 1, trains: 5, calls: 6, odd: 0.3 });

  it('of whole minutes round down, also for early trips, and move the instants', () => {
    const whole = toWholeMinutes(table);
    table.arrivalDelay.forEach((delay, call) => {
      expect(whole.arrivalDelay[call]).toBe(Math.floor(delay / 60) * 60);
      expect(whole.arrivalTime[call]).toBe(table.scheduledArrival[call]! + whole.arrivalDelay[call]!);
    });
    expect(Math.min(...whole.arrivalDelay)).toBeLessThan(0);
  });

  it('on the grid omit nothing and keep the instants', () => {
    const split = splitMinutes(table);
    expect(split.departureDelay.map((delay, call) => delay + split.departureOffset[call]!)).toEqual(
      table.departureDelay,
    );
    expect(split.departureTime).toBe(table.departureTime);
  });
});
