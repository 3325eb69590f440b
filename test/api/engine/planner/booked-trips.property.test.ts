import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Trip } from '../../../../api/contract/definitions.ts';
import { openWorld, type World } from '../../../support/worlds/board-world.ts';
import { mergeNothing } from '../../../support/worlds/ingest.ts';
import { buildTripRequest, openTrips, requestTrips } from '../trips/trip-questions.ts';

// Oracle: the same towns, in which each use of a call whose booking has closed is no boarding or no alighting at all.

const TOWNS = 24;
/** The time of every request, in minutes of the only day. */
const NOW = 8 * 60;

const rule = fc.constantFrom('', '', 'm0', 'm15', 'm60', 'm120', 'day', 'any');
const notices: Readonly<Record<string, number>> = { m0: 0, m15: 15, m60: 60, m120: 120 };

const call = fc.record({
  stop: fc.integer({ min: 0, max: 5 }),
  minutes: fc.integer({ min: 1, max: 12 }),
  pickup: rule,
  dropOff: rule,
});
const trip = fc.record({
  begin: fc.integer({ min: NOW - 20, max: NOW + 150 }),
  route: fc.integer({ min: 0, max: 2 }),
  block: fc.constantFrom('', '', '1'),
  calls: fc.uniqueArray(call, { minLength: 2, maxLength: 5, selector: ({ stop }) => stop }),
});
const town = fc.array(trip, { minLength: 4, maxLength: 9 });
type Town = readonly (typeof trip extends fc.Arbitrary<infer One> ? One : never)[];

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`;

/** Until when it is booked, in minutes of the day; infinite without a deadline. */
function findDeadline(name: string, minutes: number): number {
  if (name === 'day') return -6 * 60;
  return minutes - (notices[name] ?? Number.NEGATIVE_INFINITY);
}

function writeTown(trips: Town, number: number, isOracle: boolean) {
  const files = { stops: [] as string[], trips: [] as string[], times: [] as string[] };
  for (let stop = 0; stop < 6; stop++)
    files.stops.push(`${number}s${stop},Stop ${number} ${stop},48.${stop},${-170 + 5 * number}`);
  trips.forEach(({ begin, route, block, calls }, i) => {
    files.trips.push(`r${route},day,${number}t${i},${block && `${number}b`}`);
    let time = begin;
    calls.forEach(({ stop, minutes, pickup, dropOff }, k) => {
      time += k === 0 ? 0 : minutes;
      const isShut = { pickup: findDeadline(pickup, time) < NOW, dropOff: findDeadline(dropOff, begin) < NOW };
      const rules = isOracle ? `${Number(isShut.pickup)},${Number(isShut.dropOff)},,` : `0,0,${pickup},${dropOff}`;
      files.times.push(`${number}t${i},${number}s${stop},${k},${clock(time)},${clock(time)},${rules}`);
    });
  });
  return files;
}

function writeFeed(towns: readonly Town[], isOracle: boolean): string {
  const written = towns.map((each, number) => writeTown(each, number, isOracle));
  const list = (name: 'stops' | 'trips' | 'times') => written.flatMap((files) => files[name]).join('\n');
  return `# agency.txt
agency_id,agency_name,agency_url,agency_timezone
v,Verkehr,https://example.org,Europe/Vienna
# stops.txt
stop_id,stop_name,stop_lat,stop_lon
${list('stops')}
# routes.txt
route_id,agency_id,route_short_name,route_type
r0,v,1,3
r1,v,2,3
r2,v,3,3
# trips.txt
route_id,service_id,trip_id,block_id
${list('trips')}
# stop_times.txt
trip_id,stop_id,stop_sequence,arrival_time,departure_time,pickup_type,drop_off_type,pickup_booking_rule_id,drop_off_booking_rule_id
${list('times')}
# booking_rules.txt
booking_rule_id,booking_type,prior_notice_duration_min,prior_notice_last_day,prior_notice_last_time
${Object.entries(notices)
  .map(([id, minutes]) => `${id},1,${minutes},,`)
  .join('\n')}
day,2,,1,18:00:00
any,0,,,
# calendar.txt
service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
day,1,1,1,1,1,1,1,20260303,20260303
`;
}

let worlds: { readonly booked: World; readonly oracle: World };
beforeAll(async () => {
  const towns = fc.sample(town, { numRuns: TOWNS, seed: 33 });
  const [booked, oracle] = await Promise.all(
    [false, true].map((isOracle) =>
      openWorld({ at: writeFeed(towns, isOracle) }, { settings: { merging: mergeNothing } }),
    ),
  );
  worlds = { booked: booked!, oracle: oracle! };
});

const describeTrip = ({ departure, arrival, transfers }: Trip) =>
  `${departure.scheduled} ${arrival.scheduled} ${transfers}`;

it('finds what it finds without the calls that can no longer be booked', async () => {
  const now = '2026-03-03T08:00:00+01:00';
  const contexts = [openTrips(worlds.booked, now), openTrips(worlds.oracle, now)] as const;
  let [found, restricted] = [0, 0];
  for (let number = 0; number < TOWNS; number++) {
    for (const [from, to] of [
      [0, 1],
      [2, 3],
      [4, 5],
      [1, 4],
    ] as const) {
      for (const timeMode of ['departure', 'arrival'] as const) {
        const time = timeMode === 'departure' ? now : '2026-03-03T11:00:00+01:00';
        const ends = [from, to].map((stop) => ({ stopId: `at:${number}s${stop}` }));
        const body = buildTripRequest(ends[0]!, ends[1]!, { timeMode, time, limit: 6, maxWalkMeters: 0 });
        const [own, wanted] = await Promise.all(contexts.map((context) => requestTrips(context, body)));
        expect(own!.trips.map(describeTrip), `${number} ${from} ${to} ${timeMode}`).toEqual(
          wanted!.trips.map(describeTrip),
        );
        found += own!.trips.length;
        restricted += own!.trips.filter(({ attributes }) => attributes.includes('onDemand:yes')).length;
      }
    }
  }
  expect(found).toBeGreaterThan(80);
  expect(restricted).toBeGreaterThan(20);
});
