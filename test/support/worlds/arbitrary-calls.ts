import fc from 'fast-check';
import { addDays, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import type { HistoryCall, HistoryQueryInput } from './history-calls.ts';

const FIRST = '2025-12-28' as ServiceDate;
/** Sources of the calls. */
export const callSources = ['live', 'positions', 'trias'] as const;
const lines = ['U1', 'S 40', 'Ö "7", nachts', null] as const;

const arbitraryCall: fc.Arbitrary<HistoryCall> = fc
  .record({
    source: fc.constantFrom(...callSources),
    day: fc.integer({ min: 0, max: 9 }).map((n) => addDays(FIRST, n)),
    trip: fc.constantFrom('t1', 't2', 't3'),
    position: fc.integer({ min: 0, max: 3 }),
    line: fc.constantFrom(...lines),
    product: fc.constantFrom('subway', 'bus', null),
    operator: fc.constantFrom('Land "A", Bus', 'ÖBB', null),
    stop: fc.constantFrom('a', 's1', 's2'),
    hour: fc.integer({ min: 0, max: 27 }),
    delay: fc.option(
      fc.oneof(fc.integer({ min: -400, max: 900 }), fc.constantFrom(-61, -60, -59, -1, 0, 329, 330, 599, 600)),
    ),
    isDerived: fc.boolean(),
    finalForecast: fc.option(fc.integer({ min: -400, max: 900 })),
    isCancelled: fc.boolean(),
    isReplaced: fc.boolean(),
    isAdded: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    feed: fc.constantFrom('at', 'at', 'elsewhere', null),
  })
  .map((call) => ({ ...call, station: call.stop.charAt(0), delay: call.isCancelled ? null : call.delay }))
  .map((call) => ({ ...call, isReplaced: call.isCancelled && call.isReplaced }))
  .map((call) => ({ ...call, finalForecast: call.isCancelled || call.delay !== null ? null : call.finalForecast }));

/** Calls of ten days around New Year; a source has one row per call. */
export const arbitraryCalls = fc.array(arbitraryCall, { minLength: 1, maxLength: 60 }).map((calls) => {
  const reported = calls.map(
    (call) => [JSON.stringify([call.source, call.day, call.trip, call.position]), call] as const,
  );
  return [...new Map(reported).values()];
});

/** Queries about these calls, some of them for data that does not exist. */
export const arbitraryHistoryQuery: fc.Arbitrary<HistoryQueryInput> = fc
  .record(
    {
      first: fc.integer({ min: -3, max: 12 }),
      length: fc.integer({ min: 0, max: 12 }),
      source: fc.constantFrom('live', 'trias', 'stmk_gtfs_rt'),
      line: fc.constantFrom('U1', 'Ö "7", nachts', 'nobody'),
      operator: fc.constantFrom('Land "A", Bus', 'ÖBB', 'nobody'),
    },
    { requiredKeys: ['first', 'length'] },
  )
  .map(({ first, length, ...requested }) => ({
    ...requested,
    from: addDays(FIRST, first),
    to: addDays(FIRST, first + length),
  }));
