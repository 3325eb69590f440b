import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CARRIED, FORECAST, OBSERVED, UNKNOWN } from '../../../pipeline/model/observation.ts';
import { type MergedCall, type MergedCallEvent, NEVER_EXPIRES } from '../../../pipeline/realtime/state/merge-calls.ts';
import type { TripPlan } from '../../../pipeline/realtime/state/planned-calls.ts';
import { openSettling, type Settling, settleTrip } from '../../../pipeline/realtime/state/settle-trip.ts';
import { createTripEvents, settleTimes, type TripEvents } from '../../../pipeline/snapshots/settle-times.ts';
import { type NaiveReport, naiveTimes } from '../../support/oracles/naive-times.ts';

const START = 1_000_000;
const NOW = START + 1500;

/** Calls ten minutes apart, a minute at each. */
const planOf = (callCount: number) =>
  Array.from({ length: callCount }, (_, call) => ({ arrival: START + call * 600, departure: START + call * 600 + 60 }));

const isObserved = (time: number) => time <= NOW;

function settle(reports: readonly (NaiveReport | null)[]): Settling {
  const settling = openSettling();
  const plan = planOf(reports.length);
  const tripPlan: TripPlan = {
    callCount: plan.length,
    continues: false,
    isContinuation: false,
    at: (position, event) => plan[position]![event],
  };
  const readCall = (position: number) => toMerged(reports[position]!, plan[position]!);
  settleTrip(settling, { plan: tripPlan, readCall, predicted: null, inherited: null }, NOW);
  return settling;
}

function toMerged(report: NaiveReport | null, plan: { arrival: number; departure: number }): MergedCall | null {
  if (!report) return null;
  const event = (delay: number | null, scheduled: number): MergedCallEvent => ({
    time: delay === null || report.isSkipped ? 0 : scheduled + delay,
    prognosis: delay === null || report.isSkipped ? UNKNOWN : isObserved(scheduled + delay) ? OBSERVED : FORECAST,
    isCancelled: report.isSkipped,
    source: 0,
    isCarried: true,
    seenAt: NOW,
    expiresAt: delay !== null && isObserved(scheduled + delay) ? NEVER_EXPIRES : NOW + 300,
  });
  const [arrival, departure] = [event(report.arrival, plan.arrival), event(report.departure, plan.departure)];
  return {
    arrival,
    departure,
    source: 0,
    flags: 0,
    platform: null,
    headsign: null,
    occupancy: 0,
    occupancyExpiresAt: 0,
  };
}

/** The events as `[time or 0, is cancelled]`. */
function show({ callCount, time, isCancelled }: TripEvents) {
  return Array.from({ length: 2 * callCount }, (_, event) => [time[event]!, isCancelled[event] === 1]);
}

const delay = fc.option(
  fc.oneof(fc.integer({ min: -300, max: 300 }), fc.integer({ min: -900, max: 2400 }), fc.constantFrom(0, 60, 120)),
  { nil: null },
);
const report = fc.option(
  fc.record({ arrival: delay, departure: delay, isSkipped: fc.constantFrom(false, false, false, false, true) }),
  { nil: null, freq: 3 },
);
const trip = fc.array(report, { minLength: 2, maxLength: 5 });

describe('the times of a trip', () => {
  test('follow the rule, sentence by sentence', () => {
    fc.assert(
      fc.property(trip, (reports) => {
        const naive = naiveTimes(planOf(reports.length), reports, isObserved);
        const expected = naive
          .flatMap(({ arrival, departure }) => [arrival, departure])
          .map(({ expected, isLive, isCancelled }) => [isLive && !isCancelled ? expected : 0, isCancelled]);
        expect(show(settle(reports).events)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('never decrease along it, and an observation is only dropped for another observation', () => {
    fc.assert(
      fc.property(trip, (reports) => {
        const { events } = settle(reports);
        let before = 0;
        for (let event = 0; event < 2 * events.callCount; event++) {
          if (events.isCancelled[event] === 1) continue;
          const expected = events.time[event]! || events.scheduled[event]!;
          expect(expected).toBeGreaterThanOrEqual(before);
          before = expected;
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('are settled once: settling again changes nothing', () => {
    fc.assert(
      fc.property(trip, (reports) => {
        const { events } = settle(reports);
        const once = show(events);
        settleTimes(events);
        expect(show(events)).toEqual(once);
      }),
      { numRuns: 1000 },
    );
  });

  test('are the same without a rejected report', () => {
    fc.assert(
      fc.property(trip, (reports) => {
        const { events } = settle(reports);
        const isRefused = (event: number) => events.isRefused[event] === 1;
        const rest = reports.map(
          (one, call) =>
            one && {
              ...one,
              arrival: isRefused(2 * call) ? null : one.arrival,
              departure: isRefused(2 * call + 1) ? null : one.departure,
            },
        );
        expect(show(settle(rest).events)).toEqual(show(events));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a contradiction', () => {
  test.each<[what: string, reports: readonly NaiveReport[], times: readonly number[], refused: number]>([
    ['of two minutes moves the later report', [on(null, 720), on(60, 300)], [780, 780, 960], 0],
    ['of more rejects the later report', [on(null, 1000), on(null, 100)], [1060, 1600, 1660], 1],
    ['of forecasts keeps the majority', [on(null, 3000), on(1200, 1200), on(1200, null)], [0, 1800, 1860, 2400], 1],
  ])('%s', (_what, reports, times, refused) => {
    const { events } = settle(reports);
    const known = [...events.time.subarray(1, 1 + times.length)].map((time) => (time === 0 ? 0 : time - START));
    expect(known).toEqual(times);
    expect([...events.isRefused].filter((mark) => mark === 1)).toHaveLength(refused);
  });

  test('withdraws what a propagating source has derived from a rejected report', () => {
    const events = createTripEvents();
    const plan = planOf(4).flatMap(({ arrival, departure }) => [arrival, departure]);
    Object.assign(events, { callCount: 4 });
    events.scheduled.set(plan);
    const report = (event: number, time: number, prognosis: number) => {
      events.time[event] = time;
      events.prognosis[event] = prognosis;
    };
    report(1, plan[1]! + 3000, FORECAST);
    report(2, plan[2]! + 3000, CARRIED);
    report(3, plan[3]! + 3000, CARRIED);
    report(4, plan[4]! + 60, FORECAST);
    report(6, plan[6]! + 60, FORECAST);
    settleTimes(events);
    expect([...events.time.subarray(0, 7)]).toEqual([0, 0, 0, 0, plan[4]! + 60, 0, plan[6]! + 60]);
    expect([...events.isRefused.subarray(0, 7)]).toEqual([0, 1, 2, 2, 0, 0, 0]);
  });
});

function on(arrival: number | null, departure: number | null): NaiveReport {
  return { arrival, departure, isSkipped: false };
}
