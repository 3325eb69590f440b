import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkCall,
  countImplausible,
  findImplausibleCalls,
  type ImplausibleCode,
} from '../../../pipeline/predictions/features/implausible-calls.ts';

const UNKNOWN = Number.NaN;
/** Scheduled departure of the call in the table below. */
const PLANNED = 10_000;

describe('a call is judged', () => {
  it.each<[reason: string, previous: number, arrival: number, departure: number, expected: ImplausibleCode | null]>([
    ['on time', 9000, 9970, PLANNED, null],
    ['without an observation', UNKNOWN, UNKNOWN, UNKNOWN, null],
    ['ten minutes early, which is allowed', 9000, UNKNOWN, PLANNED - 600, null],
    ['more than ten minutes early', 9000, UNKNOWN, PLANNED - 601, 'early_departure'],
    ['two minutes before the previous event, which rounding explains', 9990, 9870, UNKNOWN, null],
    ['an arrival more than two minutes before it', 9990, 9869, UNKNOWN, 'before_previous_event'],
    ['a departure more than two minutes before it', 9990, UNKNOWN, 9869, 'before_previous_event'],
    ['a departure two minutes before its own arrival', UNKNOWN, 10_300, 10_180, null],
    ['a departure more than two minutes before its own arrival', UNKNOWN, 10_300, 10_179, 'before_previous_event'],
    ['very late', 9000, 20_000, 20_100, null],
  ])('%s', (_reason, previous, arrival, departure, expected) => {
    expect(checkCall(previous, arrival, departure, departure - PLANNED)).toBe(expected);
  });
});

/** The calls of a trip: instants of arrival and departure, and the delay of the departure; null if not observed. */
type Call = readonly [arrival: number | null, departure: number | null, delay: number];

const datedTrips = fc.array(
  fc.array(
    fc.tuple(
      fc.option(fc.integer({ min: 0, max: 900 })),
      fc.option(fc.integer({ min: 0, max: 900 })),
      fc.integer({ min: -900, max: 900 }),
    ),
    { minLength: 1, maxLength: 8 },
  ),
  { maxLength: 5 },
);

/** The protocol literally, over the list of retained events. */
function recount(calls: readonly Call[]): (ImplausibleCode | null)[] {
  let kept: number[] = [];
  return calls.map(([arrival, departure, delay]) => {
    if (departure !== null && delay < -600) return 'early_departure';
    const events = [arrival, departure].filter((event) => event !== null);
    const all = [...kept, ...events];
    const isBack = events.some((event, i) => kept.length + i > 0 && event < all[kept.length + i - 1]! - 120);
    if (isBack) return 'before_previous_event';
    kept = all;
    return null;
  });
}

describe('the excluded calls', () => {
  it('are those that the protocol names, trip by trip', () => {
    fc.assert(
      fc.property(datedTrips, (listed: readonly (readonly Call[])[]) => {
        const calls = listed.flatMap((datedTrip, number) => datedTrip.map((call) => ({ number, call })));
        const found = findImplausibleCalls({
          datedTrip: Int32Array.from(calls, ({ number }) => number),
          arrivalTime: (place) => calls[place]!.call[0] ?? UNKNOWN,
          departureTime: (place) => calls[place]!.call[1] ?? UNKNOWN,
          departureDelay: (place) => (calls[place]!.call[1] === null ? UNKNOWN : calls[place]!.call[2]),
        });
        const expected = listed.flatMap(recount);
        const codes = expected.map((_, place) => found.find((one) => one.place === place)?.code ?? null);
        expect(codes).toEqual(expected);
        const counts = countImplausible(found);
        expect(counts.early_departure + counts.before_previous_event).toBe(found.length);
      }),
    );
  });
});
