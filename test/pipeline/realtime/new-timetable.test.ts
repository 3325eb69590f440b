import { beforeAll, expect, test } from 'vitest';
import { readProjectFile } from '../../../pipeline/effects/project-files.ts';
import { openMatcher } from '../../../pipeline/matching/open-matcher.ts';
import { parseStopLinks } from '../../../pipeline/matching/stop-link-overrides.ts';
import type { Instant, ServiceDate } from '../../../pipeline/model/service-time.ts';
import type { StateTimetable } from '../../../pipeline/realtime/realtime-state.ts';
import { instant, openWorld, type World } from '../../support/board-world.ts';
import { soundFeed } from '../../support/ingest.ts';
import { callOf, reportOf, stopOf, tripOf } from '../../support/live-reports.ts';
import { openLiveWorld } from '../../support/live-world.ts';

const DAY = '2026-03-03' as ServiceDate;
const NOW = '2026-03-03T07:55:00+01:00';

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
}, 60_000);

/** The sound feed with other trips and times. */
async function openTimetable(trips: string, stopTimes: string): Promise<StateTimetable & { readonly world: World }> {
  const feed = new Map(soundFeed);
  feed.set('trips.txt', `trip_id,route_id,service_id\n${trips}`);
  feed.set('stop_times.txt', `trip_id,stop_id,stop_sequence,arrival_time,departure_time\n${stopTimes}`);
  const next = await openWorld({ at: feed });
  const links = parseStopLinks(await readProjectFile('data/lookups/stop-links.csv')).records;
  const matcher = openMatcher(next.timetable, { stopLinks: links, metroStations: [] });
  return { tables: next.timetable.tables, matcher, world: next };
}

const T1 = 't1,a,1,08:00:00,08:00:00\nt1,b,2,08:10:00,08:11:00\nt1,c,3,08:20:00,08:20:00\n';
const T2 = 't2,a,1,09:00:00,09:00:00\nt2,b,2,09:10:00,09:11:00\nt2,c,3,09:20:00,09:20:00\n';
const T0 = 't0,a,1,05:00:00,05:00:00\nt0,c,2,05:20:00,05:20:00\n';

async function sayBoth() {
  const live = await openLiveWorld(world);
  const at = (clock: string) => instant(`${DAY}T${clock}:00+01:00`);
  const say = (clock: string) =>
    live.say('rt', NOW, {
      trips: [
        ['t1', '08:14'],
        ['t2', clock],
      ].map(([tripId, time]) =>
        reportOf(tripOf(tripId!, { startDate: DAY }), {
          calls: [
            callOf(stopOf('b'), {
              arrival: { scheduledTime: null, time: at(time!), delaySeconds: null, isMeasured: false },
            }),
          ],
        }),
      ),
    });
  say('09:13');
  return { live, say };
}

/** Delays at the second call by trip id. */
function listArrivals(live: Awaited<ReturnType<typeof sayBoth>>['live'], { tables }: StateTimetable): string[] {
  const { trips, calls } = live.state.build(instant(NOW) as Instant);
  return [...trips.trip].map((trip, row) => {
    const clock = new Date(calls.arrival[trips.firstCall[row]! + 1]! * 1000).toISOString().slice(11, 16);
    return `${tables.trips.tripId.get(trip)} ${clock}`;
  });
}

test('what was said goes over to the rows of the new timetable', async () => {
  const { live, say } = await sayBoth();
  const next = await openTimetable('t0,r,daily\nt1,r,daily\nt2,r,daily\n', T0 + T1 + T2);
  expect(live.state.useTimetable(next)).toBe(0);
  expect(listArrivals(live, next).sort()).toEqual(['t1 07:14', 't2 08:13']);
  // And goes on as if nothing had been: nothing is news, nothing is withdrawn.
  expect(say('09:13').sightings).toEqual([]);
  expect(say('09:15').sightings).toHaveLength(1);
});

test('a trip that is gone, or is another one by now, is let go and counted', async () => {
  const { live } = await sayBoth();
  const moved = T2.replaceAll('09:', '10:');
  const next = await openTimetable('t2,r,daily\n', moved);
  expect(live.state.useTimetable(next)).toBe(2);
  expect(listArrivals(live, next)).toEqual([]);
});

test('the same timetable again changes nothing', async () => {
  const { live } = await sayBoth();
  const same = await openTimetable('t1,r,daily\nt2,r,daily\n', T1 + T2);
  const before = live.state.build(instant(NOW) as Instant);
  expect(live.state.useTimetable(same)).toBe(0);
  expect(live.state.build(instant(NOW) as Instant)).toEqual(before);
});
