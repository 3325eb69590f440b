import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CallReport } from '../../../../pipeline/model/realtime.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { instant } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf } from '../../../support/worlds/live-reports.ts';
import { feedFromText } from '../../../support/worlds/text-feed.ts';
import { clock, MONDAY } from './line-one-feed.ts';
import { type MatchingWorld, openMatching, tripName } from './matching-world.ts';

/** A trip that returns to its stops, each on a separate line, from eight o'clock on. */
interface Loop {
  readonly calls: readonly { readonly stop: string; readonly sequence: number; readonly minutes: number }[];
}

const stops = ['a', 'b', 'c', 'h1', 'h2'] as const;
const station = (stop: string) => stop.slice(0, 1);

const loops: fc.Arbitrary<Loop> = fc
  .array(
    fc.record({
      stop: fc.constantFrom(...stops),
      gap: fc.integer({ min: 2, max: 15 }),
      step: fc.integer({ min: 1, max: 4 }),
    }),
    { minLength: 3, maxLength: 9 },
  )
  .map((legs) => {
    let [sequence, minutes] = [0, -legs[0]!.gap];
    return {
      calls: legs.map(({ stop, gap, step }) => {
        sequence += step;
        minutes += gap;
        return { stop, sequence, minutes };
      }),
    };
  });

function toFeed(all: readonly Loop[]): string {
  const time = (minutes: number) => {
    const all = 8 * 60 + minutes;
    return `${String(Math.floor(all / 60)).padStart(2, '0')}:${String(all % 60).padStart(2, '0')}:00`;
  };
  const rows = (read: (loop: Loop, i: number) => string | string[]) => all.flatMap(read).join('\n');
  return `
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    v,Verkehrsbetriebe,https://example.org,Europe/Vienna
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
    a,Anger,48.00,16.00,,
    b,Berg,48.00,16.01,,
    c,Kirche,48.00,16.03,,
    h,Hauptbahnhof,48.00,16.02,1,
    h1,Hauptbahnhof,48.00,16.02,,h
    h2,Hauptbahnhof,48.00,16.02,,h
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    ${rows((_, i) => `r${i},v,${i},3`)}
    # trips.txt
    trip_id,route_id,service_id,direction_id
    ${rows((_, i) => `t${i},r${i},daily,0`)}
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    ${rows(({ calls }, i) => calls.map((c) => `t${i},${c.stop},${c.sequence},${time(c.minutes)},${time(c.minutes)}`))}
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260301,20261031
  `;
}

/** Built once, from the common seed: building a timetable takes longer than matching. */
const drawn = fc.sample(loops, { numRuns: 60, seed: 20260302 });
const begin = instant('2026-03-02T08:00:00+01:00');
const instantOf = (minutes: number, seconds = 0) => (begin + minutes * 60 + seconds) as Instant;

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: feedFromText(toFeed(drawn)) });
});

/** Positions at which the matcher puts the calls of a report whose trip id is not in the timetable. */
function placeDrifted(line: number, calls: readonly CallReport[], now: Instant): number[] {
  const trip = tripName({
    tripId: `drifted-${line}`,
    routeId: `r${line}`,
    directionId: 0,
    startDate: MONDAY,
    startTime: clock('08:00'),
  });
  const match = world.matcher.matchTrip(reportOf(trip, { calls }), { timetableSource: 'at', now });
  if (match.kind !== 'dated') throw new Error(world.describe(match));
  expect([match.how, world.tables.trips.tripId.get(match.trip)]).toEqual(['route_start', `t${line}`]);
  return [...match.positions];
}

const aLine = fc.nat({ max: drawn.length - 1 });
const someOf = (count: number) => fc.array(fc.boolean(), { minLength: count, maxLength: count });

describe('matches a trip that returns to its stops, by route and start', () => {
  it('by scheduled time, whatever its number in the former timetable', () => {
    const cases = aLine.chain((line) =>
      fc.record({
        line: fc.constant(line),
        reported: someOf(drawn[line]!.calls.length),
        // Numbers that no trip here has.
        number: fc.constantFrom(null, 1000),
        isArrival: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(cases, ({ line, reported, number, isArrival }) => {
        const { calls } = drawn[line]!;
        const positions = calls.flatMap((_, i) => (reported[i] ? [i] : []));
        const reports = positions.map((position) => {
          const { stop, minutes } = calls[position]!;
          const time = { scheduledTime: instantOf(minutes), time: null, delaySeconds: 0, isMeasured: false };
          const event = isArrival ? { arrival: time } : { departure: time };
          return callOf(stopOf(stop), { ...event, stopSequence: number === null ? null : number + position });
        });
        expect(placeDrifted(line, reports, begin)).toEqual(positions);
      }),
      { numRuns: 400 },
    );
  });

  it('by estimated time, as long as it is nearer to this call than to another visit', () => {
    const cases = aLine.chain((line) =>
      fc.record({
        line: fc.constant(line),
        reported: someOf(drawn[line]!.calls.length),
        // Legs take two minutes and more.
        lateSeconds: fc.integer({ min: -59, max: 59 }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ line, reported, lateSeconds }) => {
        const { calls } = drawn[line]!;
        const positions = calls.flatMap((_, i) => (reported[i] ? [i] : []));
        const reports = positions.map((position) => {
          const { stop, minutes } = calls[position]!;
          const time = { scheduledTime: null, time: instantOf(minutes, lateSeconds), delaySeconds: null };
          return callOf(stopOf(stop), { departure: { ...time, isMeasured: false } });
        });
        expect(placeDrifted(line, reports, begin)).toEqual(positions);
      }),
      { numRuns: 400 },
    );
  });

  it('by order if all calls are reported without times', () => {
    fc.assert(
      fc.property(aLine, fc.constantFrom('skipped', 'noData', 'delay'), (line, kind) => {
        const { calls } = drawn[line]!;
        const departure = { scheduledTime: null, time: null, delaySeconds: 60, isMeasured: false };
        const reports = calls.map(({ stop }) =>
          callOf(stopOf(stop), kind === 'delay' ? { departure } : { state: kind as CallReport['state'] }),
        );
        expect(placeDrifted(line, reports, begin)).toEqual(calls.map((_, i) => i));
      }),
      { numRuns: 200 },
    );
  });

  it('by the documented rule with correct, shifted or invented numbers, and with times that are far off', () => {
    const aCall = fc.record({
      isReported: fc.boolean(),
      number: fc.constantFrom<'none' | 'own' | 'shifted'>('none', 'own', 'shifted'),
      lateMinutes: fc.integer({ min: -10, max: 40 }),
    });
    const cases = aLine.chain((line) => {
      const { length } = drawn[line]!.calls;
      return fc.record({
        line: fc.constant(line),
        shift: fc.integer({ min: -6, max: 6 }),
        reported: fc.array(aCall, { minLength: length, maxLength: length }),
      });
    });
    fc.assert(
      fc.property(cases, ({ line, shift, reported }) => {
        const { calls } = drawn[line]!;
        const requested = calls.flatMap(({ stop, sequence, minutes }, i) => {
          const { isReported, number, lateMinutes } = reported[i]!;
          const numbers = { none: null, own: sequence, shifted: Math.max(1, sequence + shift) };
          return isReported ? [{ stop, number: numbers[number], minutes: minutes + lateMinutes }] : [];
        });
        const reports = requested.map(({ stop, number, minutes }) =>
          callOf(stopOf(stop), {
            stopSequence: number,
            departure: { scheduledTime: instantOf(minutes), time: null, delaySeconds: null, isMeasured: false },
          }),
        );
        const placed = placeDrifted(line, reports, begin);
        const cost = costOf(drawn[line]!, requested, placed);
        const best = listPlacings(drawn[line]!, requested).map((placing) => costOf(drawn[line]!, requested, placing));
        expect(best.every((other) => compareCosts(cost, other) <= 0)).toBe(true);
        // Even the best placement is rejected if it is impossible.
        expect(listPlacings(drawn[line]!, requested)).toContainEqual(placed);
      }),
      { numRuns: 400 },
    );
  });
});

// ---- The rule, written out --------------------------------------------------------------------

interface CallQuery {
  readonly stop: string;
  readonly number: number | null;
  readonly minutes: number;
}

/** All ways to assign calls to visits of their stops, ascending; -1 for an unassigned one. */
function listPlacings({ calls }: Loop, requested: readonly CallQuery[], from = 0): number[][] {
  const [first, ...rest] = requested;
  if (!first) return [[]];
  const left = listPlacings({ calls }, rest, from).map((placing) => [-1, ...placing]);
  const placed = calls.flatMap(({ stop }, position) => {
    if (position < from || station(stop) !== station(first.stop)) return [];
    return listPlacings({ calls }, rest, position + 1).map((placing) => [position, ...placing]);
  });
  return [...left, ...placed];
}

/** Unassigned calls, ignored numbers whose stop matches, minutes of difference; lower is better. */
function costOf({ calls }: Loop, requested: readonly CallQuery[], placing: readonly number[]): number[] {
  let [lost, disbelieved, minutes] = [0, 0, 0];
  for (const [i, { stop, number, minutes: planned }] of requested.entries()) {
    const position = placing[i]!;
    if (position < 0) {
      lost++;
      continue;
    }
    const numbered = calls.findIndex(({ sequence }) => sequence === number);
    const isThere = numbered >= 0 && station(calls[numbered]!.stop) === station(stop);
    if (isThere && numbered !== position) disbelieved++;
    minutes += Math.abs(calls[position]!.minutes - planned);
  }
  return [lost, disbelieved, minutes];
}

function compareCosts(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((value, i) => value !== b[i]);
  return differing < 0 ? 0 : a[differing]! - b[differing]!;
}
