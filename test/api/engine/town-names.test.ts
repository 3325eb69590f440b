import { beforeAll, expect, it } from 'vitest';
import { findStopsByName } from '../../../api/engine/places/find-stops.ts';
import { openWorld, queryDepartures, queryJourney, type World } from '../../support/worlds/board-world.ts';

/** A line that calls at the Hauptplatz of two towns. */
const FEED = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  g1,Graz Hbf,47.072,15.417
  g2,Graz Jakominiplatz,47.067,15.442
  g3,Graz Süd,47.065,15.430
  g4,Hauptplatz,47.071,15.438
  b1,Bruck an der Mur Bahnhof,47.413,15.279
  b2,Bruck an der Mur Spital,47.411,15.270
  b3,Bruck an der Mur Schule,47.409,15.272
  b4,Hauptplatz,47.410,15.269
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r,v,1,3
  # trips.txt
  trip_id,route_id,service_id
  t,r,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  t,g1,1,08:00:00,08:00:00
  t,g2,2,08:02:00,08:02:00
  t,g3,3,08:03:00,08:03:00
  t,g4,4,08:05:00,08:05:00
  t,b1,5,08:40:00,08:40:00
  t,b2,6,08:42:00,08:42:00
  t,b3,7,08:43:00,08:43:00
  t,b4,8,08:45:00,08:45:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`;

let world: World;
beforeAll(async () => {
  world = await openWorld(FEED);
});

const search = (query: string) => findStopsByName(world.timetable, { query, limit: 10 }).map(({ name }) => name);

it('search finds such a stop by its name alone, and with the town before or after it', () => {
  const both = ['Bruck an der Mur Hauptplatz', 'Graz Hauptplatz'];
  expect(search('Hauptplatz').slice(0, 2).sort()).toEqual(both);
  expect(search('hauptpl').slice(0, 2).sort()).toEqual(both);
  expect(search('Graz Hauptplatz')[0]).toBe('Graz Hauptplatz');
  expect(search('Hauptplatz Graz')[0]).toBe('Graz Hauptplatz');
  expect(search('Hauptplatz, Bruck an der Mur')[0]).toBe('Bruck an der Mur Hauptplatz');
});

it('boards and journeys have the same name for the stop, the calls and the direction', async () => {
  const time = '2026-03-02T08:00:00+01:00';
  const { departures, stop } = await queryDepartures(world, 'at:g4', { time });
  expect([stop.name, departures[0]!.stopName, departures[0]!.direction]).toEqual([
    'Graz Hauptplatz',
    'Graz Hauptplatz',
    'Bruck an der Mur Hauptplatz',
  ]);
  const journey = await queryJourney(world, departures[0]!.journeyRef!, { now: time });
  expect(JSON.stringify(journey)).not.toMatch(/"Hauptplatz"/);
});
