import { beforeAll, describe, expect, it } from 'vitest';
import type { Leg, Place, Trip } from '../../../../api/contract/definitions.ts';
import { clockOf, openWorld, type World } from '../../../support/worlds/board-world.ts';
import { feedFromText } from '../../../support/worlds/text-feed.ts';
import { buildTripRequest, openTrips, requestTrips } from './trip-questions.ts';

/** A railway, and on-demand service between two meeting points without scheduled service, one of them at the station. */
const feed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  a,Anger,48.0,16.0
  b,Berg,48.0,16.1
  m,Mühle,48.05,16.0
  p,Vorplatz,48.0008,16.0
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r,v,S1,2
  g,v,Ruf,715
  # trips.txt
  trip_id,route_id,service_id
  r1,r,daily
  r2,r,daily
  g1,g,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time,location_group_id,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_type,drop_off_type,pickup_booking_rule_id
  r1,a,1,08:00:00,08:00:00,,,,,,
  r1,b,2,08:10:00,08:10:00,,,,,,
  r2,b,1,12:00:00,12:00:00,,,,,,
  r2,a,2,12:10:00,12:10:00,,,,,,
  g1,,1,,,g,06:00:00,20:00:00,2,1,hour
  g1,,2,,,g,06:00:00,20:00:00,1,2,
  # location_groups.txt
  location_group_id,location_group_name
  g,Dörfer
  # location_group_stops.txt
  location_group_id,stop_id
  g,m
  g,p
  # booking_rules.txt
  booking_rule_id,booking_type,prior_notice_duration_min,phone_number
  hour,1,60,+43 1 234
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260315
`);

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: feed });
});

const on = (clock: string) => `2026-03-03T${clock}:00+01:00`;
const describeLeg = ({ mode, line, origin, destination }: Leg) =>
  `${line?.label ?? mode} ${clockOf(origin.departure!.scheduled!)} ${origin.name} - ${destination.name} ${clockOf(destination.arrival!.scheduled!)}`;

async function search(from: Place, to: Place, time: string, now = '05:00'): Promise<Trip | undefined> {
  const body = buildTripRequest(from, to, { time: on(time), limit: 1 });
  return (await requestTrips(openTrips(world, on(now)), body)).trips[0];
}

const home: Place = { coord: { lat: 48.052, lon: 16 }, name: 'Haus' };
const shop: Place = { coord: { lat: 48.0015, lon: 16.0005 }, name: 'Laden' };
const berg: Place = { stopId: 'at:b' };

describe('a meeting point without scheduled service', () => {
  it.each([
    [
      'is reached on foot, and left on foot to the station',
      home,
      berg,
      '07:00',
      [
        'walk 07:40:49 Haus - Mühle 07:44:31',
        'Ruf 07:44:31 Mühle - Vorplatz 07:55:31',
        'walk 07:55:31 Vorplatz - Anger 07:57',
        'S1 08:00 Anger - Berg 08:10',
      ],
    ],
    [
      'is reached from the station, and left on foot',
      berg,
      home,
      '11:50',
      [
        'S1 12:00 Berg - Anger 12:10',
        'walk 12:10 Anger - Vorplatz 12:11:29',
        'Ruf 12:14:29 Vorplatz - Mühle 12:25:29',
        'walk 12:25:29 Mühle - Haus 12:29:11',
      ],
    ],
    [
      'leads to another one, on foot at both ends',
      home,
      shop,
      '10:00',
      [
        'walk 10:00 Haus - Mühle 10:03:42',
        'Ruf 10:03:42 Mühle - Vorplatz 10:14:42',
        'walk 10:14:42 Vorplatz - Laden 10:16:08',
      ],
    ],
    [
      'is an origin from which the station is reached on foot',
      { stopId: 'at:p' },
      berg,
      '07:50',
      ['walk 07:58:31 Vorplatz - Anger 08:00', 'S1 08:00 Anger - Berg 08:10'],
    ],
  ] as [string, Place, Place, string, string[]][])('%s', async (_, from, to, time, expected) => {
    expect((await search(from, to, time))?.legs.map(describeLeg)).toEqual(expected);
  });

  it('has the deadline of the ride, not of the walk', async () => {
    const trip = await search(home, berg, '07:00');
    const ride = trip!.legs.find(({ line }) => line?.label === 'Ruf')!;
    expect(ride.attributes).toContain('bookBy:2026-03-03T06:44:31+01:00');
    expect(ride.distanceMeters).toBe(7112);
    expect(await search(home, berg, '07:00', '06:45')).not.toMatchObject({ legs: [{}, { line: { label: 'Ruf' } }] });
  });
});
