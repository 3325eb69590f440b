import { describe, expect, it } from 'vitest';
import type { Pairs } from '../../../pipeline/predictions/features/build-features.ts';
import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { giveRoles, LEARN, TEST, UNUSED, VALIDATION } from '../../../pipeline/predictions/model/share-out-days.ts';

/** A number of pairs on each of a number of days, one trip per day. */
function pairsOf(days: number, pairsADay: number): { table: DatedTripTable; pairs: Pairs } {
  const table = { serviceDay: Int32Array.from({ length: days }, (_, day) => day) } as DatedTripTable;
  const datedTrip = Int32Array.from({ length: days * pairsADay }, (_, pair) => Math.floor(pair / pairsADay));
  return { table, pairs: { count: datedTrip.length, datedTrip } as unknown as Pairs };
}

const count = (roles: Uint8Array, role: number) => roles.reduce((sum, one) => sum + (one === role ? 1 : 0), 0);

describe('pairs used for learning', () => {
  it.each<[reason: string, learnDays: number, pairsADay: number, learn: number, judge: number]>([
    ['are all if there are few', 3, 1000, 3000, 2000],
    ['are limited per day', 3, 60_000, 75_000, 50_000],
    ['are limited over all days', 20, 30_000, 440_000, 50_000],
  ])('%s', (_reason, learnDays, pairsADay, learn, judge) => {
    const { table, pairs } = pairsOf(1 + learnDays + 2 + 1, pairsADay);
    const days = { learnFrom: 1, validationFrom: 1 + learnDays, testFrom: 3 + learnDays, testTo: 3 + learnDays };
    const roles = giveRoles(table, pairs, days, 1);
    expect(count(roles, LEARN) / learn).toBeCloseTo(1, 1);
    expect(count(roles, VALIDATION) / judge).toBeCloseTo(1, 1);
    expect(count(roles, TEST)).toBe(pairsADay);
    expect(count(roles.subarray(0, pairsADay), UNUSED)).toBe(pairsADay);
  });
});
