import { describe, expect, it } from 'vitest';
import type { DatedTripTable } from '../../../../pipeline/predictions/features/dated-trip-table.ts';
import { findTransfers } from '../../../../pipeline/predictions/past-transfers/find-transfers.ts';
import { FIRST_DAY, makeDatedTripTable } from '../../../support/worlds/run-world.ts';

const table = makeDatedTripTable(5, { days: 3, trains: 40, calls: 8, unknown: 0.1 });
/** Stops of different lines form a station. */
const station = Int32Array.from({ length: table.stopCount }, (_, stop) => stop % 4);
const window = { station, from: FIRST_DAY + 1, to: FIRST_DAY + 1, maxTransfers: 1e9, isObserved: false };

function describePairs({ arrival, departure }: { arrival: Int32Array; departure: Int32Array }): string[] {
  return Array.from(arrival, (one, i) => `${one} ${departure[i]}`).sort();
}

/** Every pair of calls in turn. */
function searchAll({ callStart, ...calls }: DatedTripTable, isObserved: boolean): string[] {
  const tripOf = (call: number) => callStart.findLastIndex((start) => start <= call);
  const found: string[] = [];
  for (let a = 0; a < calls.stop.length; a++) {
    const from = tripOf(a);
    if (calls.serviceDay[from] !== FIRST_DAY + 1 || a === callStart[from]) continue;
    for (let b = 0; b < calls.stop.length; b++) {
      const to = tripOf(b);
      const planned = calls.scheduledDeparture[b]! - calls.scheduledArrival[a]!;
      if (planned < 180 || planned > 1200 || b === callStart[to + 1]! - 1) continue;
      if (station[calls.stop[a]!] !== station[calls.stop[b]!] || calls.train[from] === calls.train[to]) continue;
      if (station[calls.stop[a - 1]!] === station[calls.stop[b + 1]!]) continue;
      if (isObserved && Number.isNaN(calls.arrivalDelay[a]! + calls.departureDelay[b]!)) continue;
      found.push(`${a} ${b}`);
    }
  }
  return found.sort();
}

describe('transfers of a record', () => {
  it.each([true, false])('are those that a search of all pairs finds; only observed ones: %s', (isObserved) => {
    const expected = searchAll(table, isObserved);
    expect(expected.length).toBeGreaterThan(50);
    expect(describePairs(findTransfers(table, { ...window, isObserved }))).toEqual(expected);
  });

  it('are sampled, the same every time', () => {
    const all = describePairs(findTransfers(table, window));
    const sample = describePairs(findTransfers(table, { ...window, maxTransfers: all.length / 4 }));
    expect(sample.length).toBeGreaterThan(all.length / 10);
    expect(sample.length).toBeLessThan(all.length / 2);
    expect(all).toEqual(expect.arrayContaining(sample));
    expect(describePairs(findTransfers(table, { ...window, maxTransfers: all.length / 4 }))).toEqual(sample);
  });

  it('need departures that the source reports', () => {
    const isDepartureReported = table.isDepartureReported.map((_, call) => call % 2);
    const found = findTransfers({ ...table, isDepartureReported }, { ...window, isObserved: true });
    expect(found.count).toBeGreaterThan(0);
    expect([...found.departure].every((call) => call % 2 === 1)).toBe(true);
  });
});
