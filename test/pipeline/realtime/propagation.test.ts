import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CallReport } from '../../../pipeline/model/realtime.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { applyReport } from '../../../pipeline/realtime/state/apply-report.ts';
import { type CallMemory, isCancelled } from '../../../pipeline/realtime/state/memory.ts';
import type { TripPlan } from '../../../pipeline/realtime/state/planned-calls.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, tripOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { feedFromText } from '../../support/worlds/text-feed.ts';

/** One trip of six calls, ten minutes apart, a minute at each. */
const ladder = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  a,Anger,48.0,16.0
  b,Berg,48.0,16.1
  c,Cumberland,48.0,16.2
  d,Dorf,48.0,16.3
  e,Eck,48.0,16.4
  f,Feld,48.0,16.5
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  r,v,1,Anger - Feld,3
  # trips.txt
  trip_id,route_id,service_id
  t,r,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  t,a,10,08:00:00,08:01:00
  t,b,20,08:10:00,08:11:00
  t,c,30,08:20:00,08:21:00
  t,d,40,08:30:00,08:31:00
  t,e,50,08:40:00,08:41:00
  t,f,60,08:50:00,08:51:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`);

const STOPS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const START = instant('2026-03-03T08:00:00+01:00');
const plan = STOPS.map((_, k) => ({ arrival: START + k * 600, departure: START + k * 600 + 60 }));
/** Half an hour before the trip starts: all calls are in the future. */
const EARLY = '2026-03-03T07:30:00+01:00';

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: ladder });
});

/** The report of a message for one call: delays in seconds. */
interface Reported {
  readonly arrival?: number;
  readonly departure?: number;
  readonly state?: 'skipped' | 'noData';
}

type ReportedStops = Partial<Record<(typeof STOPS)[number], Reported>>;

function toCalls(reporting: ReportedStops): CallReport[] {
  const event = (delaySeconds: number | undefined) =>
    delaySeconds === undefined ? null : { scheduledTime: null, time: null, delaySeconds, isMeasured: false };
  return STOPS.flatMap((stopId) => {
    const reported = reporting[stopId];
    if (!reported) return [];
    const { arrival, departure, state = 'normal' } = reported;
    return callOf(stopOf(stopId), { arrival: event(arrival), departure: event(departure), state });
  });
}

/** The delays after a report: `arrival/departure` in seconds per call, `-` for unknown, `x` for cancelled. */
function lay(reporting: ReportedStops, tripDelay: number | null = null, at = EARLY): string {
  const knownAt = instant(at);
  const calls: (CallMemory | undefined)[] = [];
  const answer = { part: 'all', knownAt, seenAt: knownAt, isPropagating: true };
  const trip = { calls, plan: tripPlan, answer, touched: new Set<CallMemory>(), maxEarlySeconds: 600 };
  const reports = STOPS.flatMap((stop, k) => toCalls({ [stop]: reporting[stop] }).map((call) => [k, call] as const));
  applyReport(trip, new Map(reports), tripDelay);
  return STOPS.map((_, k) => describeCall(calls[k], k)).join(' ');
}

const tripPlan: TripPlan = {
  callCount: STOPS.length,
  continues: false,
  isContinuation: false,
  at: (position, event) => plan[position]![event],
};

function describeCall(call: CallMemory | undefined, k: number): string {
  if (call && isCancelled(call)) return 'x';
  const delay = (event: 'arrival' | 'departure') =>
    call && call[event].time > 0 ? call[event].time - plan[k]![event] : '-';
  return `${delay('arrival')}/${delay('departure')}`;
}

describe('a delay propagates to later calls', () => {
  test.each<[what: string, reporting: ReportedStops, tripDelay: number | null, shown: string]>([
    ['no report', {}, null, '-/- -/- -/- -/- -/- -/-'],
    ['from the first call', { a: { departure: 60 } }, null, '-/60 60/60 60/60 60/60 60/60 60/60'],
    ['calls before the first report are unknown', { c: { arrival: 90 } }, null, '-/- -/- 90/90 90/90 90/90 90/90'],
    [
      'up to the next report',
      { b: { arrival: 30, departure: 60 }, d: { arrival: 120 } },
      null,
      '-/- 30/60 60/60 120/120 120/120 120/120',
    ],
    ['an arrival propagates to its departure', { b: { arrival: 45 } }, null, '-/- 45/45 45/45 45/45 45/45 45/45'],
    ['early is negative', { b: { departure: -50 } }, null, '-/- -/-50 -50/-50 -50/-50 -50/-50 -50/-50'],
    ['no data ends it', { b: { departure: 60 }, d: { state: 'noData' } }, null, '-/- -/60 60/60 -/- -/- -/-'],
    [
      'and it restarts after no data',
      { b: { departure: 60 }, c: { state: 'noData' }, e: { arrival: 20 } },
      null,
      '-/- -/60 -/- -/- 20/20 20/20',
    ],
    [
      'a skipped call does not end it',
      { b: { departure: 60 }, c: { state: 'skipped' } },
      null,
      '-/- -/60 x 60/60 60/60 60/60',
    ],
    ['the delay of the trip applies if no call has one', {}, 75, '75/75 75/75 75/75 75/75 75/75 75/75'],
    ['up to the first call that has one', { d: { arrival: 10 } }, 75, '75/75 75/75 75/75 10/10 10/10 10/10'],
    [
      'reports are used even if contradictory',
      { b: { arrival: 200, departure: 100 } },
      null,
      '-/- 200/100 100/100 100/100 100/100 100/100',
    ],
    ['more than a day is an error and is omitted', { b: { departure: 90_000 } }, null, '-/- -/- -/- -/- -/- -/-'],
  ])('%s', (_, reporting, tripDelay, shown) => {
    expect(lay(reporting, tripDelay)).toBe(shown);
  });

  test('the delay of the trip does not affect past calls', () => {
    expect(lay({}, 60, '2026-03-03T08:15:00+01:00')).toBe('-/- -/- 60/60 60/60 60/60 60/60');
  });
});

describe('any message', () => {
  const reported = fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 4,
      arbitrary: fc.record(
        { arrival: fc.integer({ min: -120, max: 1800 }), departure: fc.integer({ min: -120, max: 1800 }) },
        { requiredKeys: [] },
      ),
    },
    { weight: 1, arbitrary: fc.constant({ state: 'skipped' as const }) },
    { weight: 1, arbitrary: fc.constant({ state: 'noData' as const }) },
  );
  const message = fc.record({ a: reported, b: reported, c: reported, d: reported, e: reported, f: reported });
  const tripDelay = fc.option(fc.integer({ min: -120, max: 1800 }), { nil: null });

  /** The reference, sentence by sentence: each event looks back for the last report that applies to it. */
  function expectShown(reporting: ReportedStops, ofTrip: number | null): string {
    const events: { readonly k: number; readonly name: 'arrival' | 'departure' }[] = STOPS.flatMap((_, k) => [
      { k, name: 'arrival' as const },
      { k, name: 'departure' as const },
    ]);
    const wordBefore = (index: number): number | null => {
      for (let i = index - 1; i >= 0; i--) {
        const { k, name } = events[i]!;
        const call = reporting[STOPS[k]!];
        if (call?.state === 'noData') return null;
        const own = call?.state ? undefined : call?.[name];
        if (own !== undefined) return own;
      }
      return ofTrip;
    };
    const shown = STOPS.map((stopId, k) => {
      const call = reporting[stopId];
      if (call?.state === 'skipped') return 'x';
      if (call?.state === 'noData') return '-/-';
      const wordOfArrival = call?.arrival ?? wordBefore(2 * k);
      const word = call?.departure ?? wordBefore(2 * k + 1);
      return `${wordOfArrival ?? '-'}/${word ?? '-'}`;
    });
    return shown.join(' ');
  }

  test('propagates as the reference defines', () => {
    fc.assert(
      fc.property(message, tripDelay, (reporting, ofTrip) => {
        expect(lay(reporting as ReportedStops, ofTrip)).toBe(expectShown(reporting as ReportedStops, ofTrip));
      }),
      { numRuns: 300, seed: 20_260_303 },
    );
  });

  test('a repeated report changes nothing and emits nothing', async () => {
    await fc.assert(
      fc.asyncProperty(message, tripDelay, async (reporting, ofTrip) => {
        const live = await openLiveWorld(world);
        const report = reportOf(tripOf('t', { startDate: '2026-03-03' as never }), {
          calls: toCalls(reporting as ReportedStops),
          delaySeconds: ofTrip,
        });
        const update = { isPropagating: true, recordCount: 1, trips: [report] };
        live.report('rt', EARLY, update);
        const once = live.state.build(instant(EARLY));
        const again = live.report('rt', EARLY, update);
        expect(again.observations).toEqual([]);
        expect(live.state.build(instant(EARLY) as Instant)).toEqual(once);
      }),
      { numRuns: 100, seed: 20_260_304 },
    );
  });
});
