import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Notice } from '../../../api/contract/definitions.ts';
import type { EntitySelector } from '../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { normaliseEntities } from '../../pipeline/sources/gtfs-rt/normalise-entities.ts';
import {
  openWorld,
  queryArrivals,
  queryDepartures,
  queryJourney,
  type World,
} from '../../support/worlds/board-world.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { at, DAY, town } from './live-town.ts';

// Informed entities by the reference: compares every selector of an entity with each row of the feed text. Uses no code
// by which the service reads, matches, joins or indexes alerts.

const directions: Readonly<Record<string, number>> = { t1: 0, t2: 1, t3: 0, far: 1, night: 0 };
const feed = town
  .replace('trip_id,route_id,service_id,trip_headsign', 'trip_id,route_id,service_id,trip_headsign,direction_id')
  .replace(/^ {2}(t1|t2|t3|far|night),(r1|r2|n),daily,(.*)$/gm, (row, trip: string) => `${row},${directions[trip]}`);

interface Row {
  readonly trip: string;
  readonly route: string;
  readonly agency: string;
  readonly stop: string;
  readonly station: string;
  readonly clock: string;
}

const routes: Readonly<Record<string, string>> = { t1: 'r1', t2: 'r1', t3: 'r2', far: 'r2', night: 'n' };
const agencies: Readonly<Record<string, string>> = { r1: 'v', r2: 'v', n: 'w' };
const stations: Readonly<Record<string, string>> = { s1: 's', s2: 's' };
/** Departures of the day, read from the feed text. */
const rows: readonly Row[] = [...town.matchAll(/^ {2}(\w+),(\w+),\d,(\d\d:\d\d):00,(\d\d:\d\d):00$/gm)].map(
  ([, trip, stop, , clock]) => {
    const route = routes[trip!]!;
    return {
      trip: trip!,
      route,
      agency: agencies[route]!,
      stop: stop!,
      station: stations[stop!] ?? stop!,
      clock: clock!,
    };
  },
);

/** Whether one informed entity matches a row, as the GTFS Realtime reference defines it. */
function holds({ agencyId, routeId, stopId, directionId, trip, routeType }: EntitySelector, row: Row): boolean {
  const isAtStop = stopId === undefined || stopId === row.stop || stopId === row.station;
  if (trip?.tripId !== undefined) {
    return (
      isAtStop && trip.tripId === row.trip && (trip.startDate ?? DAY.replaceAll('-', '')) === DAY.replaceAll('-', '')
    );
  }
  // Selectors that the feed cannot decide are left out.
  if (routeType !== undefined && routeId === undefined) return false;
  const isEmpty = agencyId === undefined && routeId === undefined && stopId === undefined;
  return (
    !isEmpty &&
    isAtStop &&
    (routeId === undefined || routeId === row.route) &&
    (agencyId === undefined || agencyId === row.agency) &&
    (directionId === undefined || directionId === directions[row.trip])
  );
}

const trip = fc.record(
  { tripId: fc.constantFrom('t1', 't2', 't3', 'far', 'gone'), startDate: fc.constantFrom('20260303', '20260304') },
  { requiredKeys: ['tripId', 'startDate'] },
);
const selector: fc.Arbitrary<EntitySelector> = fc.record(
  {
    agencyId: fc.constantFrom('v', 'w', 'gone'),
    routeId: fc.constantFrom('r1', 'r2', 'n', 'gone'),
    stopId: fc.constantFrom('a', 's', 's1', 's2', 'k', 'gone'),
    directionId: fc.constantFrom(0, 1),
    routeType: fc.constantFrom(0, 3),
    trip,
  },
  { requiredKeys: [] },
);
const alerts = fc.array(fc.array(selector, { maxLength: 4 }), { minLength: 1, maxLength: 5 });

let world: World;
beforeAll(async () => {
  world = await openWorld(feed);
});

async function publish(informed: readonly (readonly EntitySelector[])[]): Promise<World> {
  const live = await openLiveWorld(world);
  const update = normaliseEntities(
    informed.map((informedEntity, i) => ({
      id: String(i),
      alert: { activePeriod: [], informedEntity, headerText: { translation: [{ text: `News ${i}` }] } },
    })),
  );
  live.report('rt', at('00:59'), { alerts: update.alerts });
  return live.at(at('01:00'));
}

const idsOf = (notices: readonly Notice[]) => notices.map(({ id }) => Number(id.slice(3))).sort((a, b) => a - b);
const expectedAt = (informed: readonly (readonly EntitySelector[])[], calls: readonly Row[]) =>
  informed.flatMap((entities, i) => (entities.some((one) => calls.some((call) => holds(one, call))) ? i : []));
/** From the night bus of the previous day to midnight. */
const WHOLE_DAY = { time: at('01:00'), durationMinutes: 1379, limit: 99 };
const isLast = (row: Row) => rows[rows.indexOf(row) + 1]?.trip !== row.trip;

test('departures, arrivals and journeys have exactly the alerts whose informed entities match them', async () => {
  await fc.assert(
    fc.asyncProperty(alerts, async (informed) => {
      const live = await publish(informed);
      for (const stop of ['a', 's1', 's2', 'k']) {
        const { departures } = await queryDepartures(live, `at:${stop}`, WHOLE_DAY);
        const due = rows
          .filter((row) => row.stop === stop && row.clock < '24:00' && !isLast(row))
          .sort((a, b) => (a.clock < b.clock ? -1 : 1));
        expect(departures.map(({ departure }) => departure.scheduled!.slice(11, 16))).toEqual(
          due.map(({ clock }) => clock),
        );
        for (const [i, row] of due.entries()) {
          expect([row.trip, stop, idsOf(departures[i]!.notices)]).toEqual([
            row.trip,
            stop,
            expectedAt(informed, [row]),
          ]);
        }
      }
      const { departures } = await queryDepartures(live, 'at:a', WHOLE_DAY);
      for (const [i, name] of ['far', 't1', 't2', 'night'].entries()) {
        const journey = await queryJourney(live, departures[i]!.journeyRef!, { now: at('01:00') });
        const calls = rows.filter((row) => row.trip === name);
        expect([name, idsOf(journey.notices)]).toEqual([name, expectedAt(informed, calls)]);
      }
      const { arrivals } = await queryArrivals(live, 'at:z', WHOLE_DAY);
      const ends = rows
        .filter((row) => row.stop === 'z' && row.clock < '24:00')
        .sort((a, b) => (a.clock < b.clock ? -1 : 1));
      expect(arrivals.map(({ notices }) => idsOf(notices))).toEqual(ends.map((row) => expectedAt(informed, [row])));
    }),
    { numRuns: 120 },
  );
});
