import { beforeAll, describe, expect, it } from 'vitest';
import { openRecentShares, type ReportedEvent } from '../../../../api/engine/predictions/recent-delays.ts';
import type { TripReport } from '../../../../pipeline/model/realtime.ts';
import { toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { instant, openWorld, type World } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { at, DAY, townTrip } from '../live-town.ts';

/** Buses every five minutes from 08:00, ten minutes to the station; a tram from there at 09:00. */
const buses = Array.from({ length: 12 }, (_, i) => ({ id: `b${i}`, minute: 5 * i }));
const clockAt = (minutes: number, seconds = 0) =>
  [8 + Math.floor(minutes / 60), minutes % 60, seconds].map((part) => String(part).padStart(2, '0')).join(':');
const feed = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  a,Anger,48.000,16.000
  s,Bahnhof,48.040,16.040
  z,Ziel,48.030,16.060
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r1,v,1,3
  r2,v,2,0
  # trips.txt
  trip_id,route_id,service_id
  ${buses.map(({ id }) => `${id},r1,daily`).join('\n  ')}
  tram,r2,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  ${buses.flatMap(({ id, minute }) => [`${id},a,1,${clockAt(minute)},${clockAt(minute)}`, `${id},s,2,${clockAt(minute + 10)},${clockAt(minute + 10)}`]).join('\n  ')}
  tram,s,1,09:00:00,09:00:00
  tram,z,2,09:10:00,09:10:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`;

let world: World;
beforeAll(async () => {
  world = await openWorld(feed);
});

/** The bus with a number arrives with a delay in seconds. */
const late = (bus: number, seconds: number): TripReport =>
  reportOf(townTrip(`b${bus}`), {
    calls: [
      callOf(stopOf('s'), { arrival: timeOf(at(clockAt(5 * bus + 10 + Math.floor(seconds / 60), seconds % 60))) }),
    ],
  });

async function openShares(trips: readonly TripReport[], now: string) {
  const live = await openLiveWorld(world);
  live.report('rt', at(now), { trips });
  return openRecentShares(live.at(at(now)), instant(at(now)));
}

function eventOf(tripId: string, position: number, clock: string, over: Partial<ReportedEvent> = {}): ReportedEvent {
  const { tripId: ids } = world.timetable.tables.trips;
  const trip = Array.from({ length: ids.length }, (_, row) => ids.get(row)).indexOf(tripId);
  const scheduled = instant(at(clock));
  return {
    scheduled,
    expected: scheduled,
    prognosis: null,
    delay: null,
    at: { trip, day: toEpochDay(DAY), position },
    ...over,
  };
}

const bus = (over: Partial<ReportedEvent> = {}) => eventOf('b9', 1, '08:55', over);
const tram = () => eventOf('tram', 0, '09:00');
/** Six buses, 0 to 5 minutes late, that arrived from 08:25 to 08:55. */
const recent = [3, 4, 5, 6, 7].map((number, i) => late(number, 60 * i));

describe('the share of recent delays with which a transfer would have been made', () => {
  it.each([
    [0, 1],
    [60, 1],
    [61, 0.8],
    [180, 0.6],
    [300, 0.2],
    [301, 0],
  ])('for a walk of %i seconds is %f', async (neededSeconds, share) => {
    const shareOf = await openShares(recent, '08:49');
    expect(shareOf(bus(), tram(), neededSeconds)).toBe(share);
  });

  it('is unknown with fewer than five delays within 30 minutes', async () => {
    expect((await openShares(recent.slice(1), '08:49'))(bus(), tram(), 60)).toBeNull();
    // The first delay is then more than 30 minutes old; a minute earlier, the last one has not been reported yet.
    expect((await openShares(recent, '08:55:01'))(bus(), tram(), 60)).toBeNull();
    expect((await openShares(recent, '08:48:59'))(bus(), tram(), 60)).toBeNull();
    expect(openRecentShares({ ...world, realtime: null }, instant(at('08:49')))(bus(), tram(), 60)).toBeNull();
  });

  it('with a forecast arrival weights the spread of delays by the time ahead', async () => {
    const shareOf = await openShares(recent, '08:49');
    const expectedAt = (clock: string) => bus({ expected: instant(at(clock)), prognosis: 'forecast' });
    // Six minutes ahead, the spread of -120 to 120 s is weighted by 6 / 46: -16 to 16 s.
    const shares = [0, 20, 40].map((seconds) =>
      shareOf(expectedAt(`08:55:${String(seconds).padStart(2, '0')}`), tram(), 272),
    );
    expect(shares).toEqual([1, 0.6, 0.2]);
  });

  it('with an observed arrival is certain', async () => {
    const shareOf = await openShares(recent, '08:49');
    const seen = bus({ expected: instant(at('08:48')), prognosis: 'observed_actual' });
    expect([shareOf(seen, tram(), 720), shareOf(seen, tram(), 721)]).toEqual([1, 0]);
  });

  it('includes the delays of the departing line', async () => {
    const shareOf = await openShares(recent, '08:49');
    const fromTram = eventOf('tram', 1, '09:10');
    const toBus = eventOf('b9', 1, '09:12');
    expect([120, 180, 360, 361].map((seconds) => shareOf(fromTram, toBus, seconds))).toEqual([1, 0.8, 0.2, 0]);
  });
});
