import { expect, test } from 'vitest';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
import { planRescue } from '../../../../api/engine/rescue/plan-rescue.ts';
import { openPlaces } from '../../../../api/engine/trips/places.ts';
import { type ServiceDate, toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { instant, openWorld } from '../../../support/worlds/board-world.ts';
import { at, DAY } from '../live-town.ts';

const STOPS = 12;
const LINES_PER_STOP = 6;
const TRIPS_PER_LINE = 8;

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`;

/**
 * A bus that crosses many lines on its way to the last one, which leads to the destination. All others lead there, too,
 * up to two hours later.
 */
function makeCrossings(): string {
  const stops = Array.from({ length: STOPS }, (_, i) => `c${i},Kreuzung ${i},48.0,${16 + i / 20}`);
  const trips = ['bus,main,daily', 'last,main,daily'];
  const times = Array.from({ length: STOPS }, (_, i) => `bus,c${i},${i},${clock(480 + 3 * i)},${clock(480 + 3 * i)}`);
  times.push(`last,c${STOPS - 1},0,${clock(530)},${clock(530)}`, `last,z,1,${clock(540)},${clock(540)}`);
  for (let stop = 0; stop < STOPS; stop++) {
    for (let line = 0; line < LINES_PER_STOP; line++) {
      for (let trip = 0; trip < TRIPS_PER_LINE; trip++) {
        const id = `t${stop}-${line}-${trip}`;
        const [begin, end] = [485 + 3 * stop + line + 5 * trip, 560 + line + 5 * trip];
        trips.push(`${id},l${stop}-${line},daily`);
        times.push(`${id},c${stop},0,${clock(begin)},${clock(begin)}`, `${id},z,1,${clock(end)},${clock(end)}`);
      }
    }
  }
  const routes = [...new Set(trips.map((trip) => trip.split(',')[1]))].map((route) => `${route},v,${route},3`);
  return `
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    v,Verkehr,https://example.org,Europe/Vienna
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    ${stops.join('\n')}
    z,Ziel,48.2,16.2
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    ${routes.join('\n')}
    # trips.txt
    trip_id,route_id,service_id
    ${trips.join('\n')}
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    ${times.join('\n')}
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260301,20260307
  `;
}

test('the search for options estimates few of the transfers on the way', async () => {
  const { timetable, realtime, references } = await openWorld(makeCrossings());
  const { tripId: ids, key } = timetable.tables.trips;
  const day = toEpochDay(DAY as ServiceDate);
  const seal = (id: string) => {
    const row = Array.from({ length: ids.length }, (_, i) => ids.get(i)).indexOf(id);
    return references.sealJourney({ tripKey: key[row]!, day });
  };
  let estimates = 0;
  const { options } = await planRescue(
    {
      published: { timetable, realtime },
      planner: openPlanner(timetable),
      places: openPlaces(timetable),
      references,
      instant: instant(at('08:01')),
      walks: null,
      isSpent: () => false,
    },
    {
      legs: [
        { journeyRef: seal('bus'), originId: 'at:c0', destinationId: `at:c${STOPS - 1}` },
        { journeyRef: seal('last'), originId: `at:c${STOPS - 1}`, destinationId: 'at:z' },
      ],
      time: at('08:01'),
      limit: 4,
    },
    (arrival, departure) => {
      estimates++;
      const probability = departure.expected - arrival.expected < 900 ? 0.97 : 1;
      return { probability, estimate: { probability, sampleSize: 100, from: 'live' } };
    },
  );
  expect(options.map(({ kind, arrivalDeltaMinutes }) => `${kind} ${arrivalDeltaMinutes}`)).toEqual(['wait 0']);
  // Estimated when they were found, these were 190.
  expect(estimates).toBeLessThan(20);
});
