import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Trip, TripRequest } from '../../../../api/contract/definitions.ts';
import { openWorld, type World } from '../../../support/worlds/board-world.ts';
import { mergeNothing } from '../../../support/worlds/ingest.ts';
import { buildTripRequest, openTrips, requestTrips } from '../trips/trip-questions.ts';

// Oracle: the same towns, in which each use of a call that a request rules out is no boarding or no alighting at all:
// because its booking has closed, or because the request avoids its line, operator or stop.

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

/** What a town lacks. */
interface Restriction {
  readonly isTripOut: (town: number, route: number) => boolean;
  readonly isStopOut: (stop: number) => boolean;
  /** Whether booking has closed, instead of rules. */
  readonly isBooked: boolean;
}

const nothing: Restriction = { isTripOut: () => false, isStopOut: () => false, isBooked: false };
const closed: Restriction = { ...nothing, isBooked: true };
const AVOIDED_STOP = 3;
/** Even towns avoid line 2, odd ones the operator of line 3. */
const avoided: Restriction = {
  isTripOut: (number, route) => route === 1 + (number % 2),
  isStopOut: (stop) => stop === AVOIDED_STOP,
  isBooked: false,
};

function writeTown(trips: Town, number: number, { isTripOut, isStopOut, isBooked }: Restriction) {
  const files = { stops: [] as string[], trips: [] as string[], times: [] as string[] };
  for (let stop = 0; stop < 6; stop++)
    files.stops.push(`${number}s${stop},Stop ${number} ${stop},48.${stop},${-170 + 5 * number}`);
  trips.forEach(({ begin, route, block, calls }, i) => {
    if (isTripOut(number, route)) return;
    // Blocks of one line only: a block would continue differently without its trips of another.
    files.trips.push(`r${route},day,${number}t${i},${block && route === 0 ? `${number}b` : ''}`);
    let time = begin;
    calls.forEach(({ stop, minutes, pickup, dropOff }, k) => {
      time += k === 0 ? 0 : minutes;
      const isOut = (name: string, from: number) => isStopOut(stop) || (isBooked && findDeadline(name, from) < NOW);
      const types = [isOut(pickup, time), isOut(dropOff, begin)].map(Number);
      const rules = isBooked ? ',' : `${pickup},${dropOff}`;
      files.times.push(`${number}t${i},${number}s${stop},${k},${clock(time)},${clock(time)},${types},${rules}`);
    });
  });
  return files;
}

function writeFeed(towns: readonly Town[], restriction: Restriction): string {
  const written = towns.map((each, number) => writeTown(each, number, restriction));
  const list = (name: 'stops' | 'trips' | 'times') => written.flatMap((files) => files[name]).join('\n');
  return `# agency.txt
agency_id,agency_name,agency_url,agency_timezone
v,Verkehr,https://example.org,Europe/Vienna
w,Werk,https://example.org,Europe/Vienna
# stops.txt
stop_id,stop_name,stop_lat,stop_lon
${list('stops')}
# routes.txt
route_id,agency_id,route_short_name,route_type
r0,v,1,3
r1,v,2,3
r2,w,3,3
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

let worlds: { readonly whole: World; readonly closed: World; readonly avoided: World };
beforeAll(async () => {
  const towns = fc.sample(town, { numRuns: TOWNS, seed: 33 });
  const open = (restriction: Restriction) =>
    openWorld({ at: writeFeed(towns, restriction) }, { settings: { merging: mergeNothing } });
  worlds = { whole: await open(nothing), closed: await open(closed), avoided: await open(avoided) };
});

const describeTrip = ({ departure, arrival, transfers }: Trip) =>
  `${departure.scheduled} ${arrival.scheduled} ${transfers}`;

const AT_EIGHT = '2026-03-03T08:00:00+01:00';

/** Compares all requests on the whole network with those on the restricted one. @returns all trips found */
async function compare(
  restricted: World,
  now: string,
  toAvoid: (number: number) => Partial<TripRequest> = () => ({}),
): Promise<Trip[]> {
  const contexts = [openTrips(worlds.whole, now), openTrips(restricted, now)] as const;
  const found: Trip[] = [];
  for (let number = 0; number < TOWNS; number++) {
    for (const [from, to] of [
      [0, 1],
      [2, 3],
      [4, 5],
      [1, 4],
    ] as const) {
      for (const timeMode of ['departure', 'arrival'] as const) {
        const time = timeMode === 'departure' ? AT_EIGHT : '2026-03-03T11:00:00+01:00';
        const ends = [from, to].map((stop) => ({ stopId: `at:${number}s${stop}` }));
        const body = buildTripRequest(ends[0]!, ends[1]!, { timeMode, time, limit: 6, maxWalkMeters: 0 });
        const own = await requestTrips(contexts[0], { ...body, ...toAvoid(number) });
        const wanted = await requestTrips(contexts[1], body);
        expect(own.trips.map(describeTrip), `${number} ${from} ${to} ${timeMode}`).toEqual(
          wanted.trips.map(describeTrip),
        );
        found.push(...own.trips);
      }
    }
  }
  return found;
}

it('finds what it finds without the calls that can no longer be booked', async () => {
  const found = await compare(worlds.closed, AT_EIGHT);
  expect(found.length).toBeGreaterThan(80);
  expect(found.filter(({ attributes }) => attributes.includes('onDemand:yes')).length).toBeGreaterThan(20);
});

it('finds what it finds without the lines, operators and stops that a request avoids', async () => {
  // Nothing is closed yet.
  const found = await compare(worlds.avoided, '2026-03-02T12:00:00+01:00', (number) => ({
    avoid: {
      ...(number % 2 === 0 ? { lines: ['2'] } : { operators: ['Werk'] }),
      stopIds: [`at:${number}s${AVOIDED_STOP}`],
    },
  }));
  expect(found.length).toBeGreaterThan(60);
});
