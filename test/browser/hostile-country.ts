import { readSiteAssets } from '../../api/site/shell/assets.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { at, DAY } from '../api/engine/live-town.ts';
import { openService } from '../api/service-app.ts';
import { openWorld } from '../support/worlds/board-world.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf, tripOf } from '../support/worlds/live-reports.ts';
import { openLiveWorld } from '../support/worlds/live-world.ts';

/** Effect of each name if it became markup: it would set an attribute that the tests check. */
const ATTACK = "document.documentElement.dataset.taken='yes'";

/** Hostile names that a feed may contain, each for a different place on a page. */
export const hostile = {
  stop: `<img src=x onerror="${ATTACK}">Platz`,
  headsign: `"><script>${ATTACK}</script>`,
  line: `'"><b>9`,
  /** Reverses the direction of the following text unless it is isolated. */
  turned: 'Haus \u202Egnub\u2066 Ω',
  long: `Platz${'einzelhandels'.repeat(24)}`,
  notice: `</bdi></summary><iframe srcdoc="<script>parent.${ATTACK}</script>">`,
} as const;

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;

const feed = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,${quote(hostile.headsign)},https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,platform_code
  a,${quote(hostile.stop)},48.00,16.00,1
  b,${quote(hostile.turned)},48.02,16.02,
  c,${quote(hostile.long)},48.03,16.03,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type,route_color,route_text_color
  r,v,${quote(hostile.line)},${quote(hostile.headsign)},0,777777,777777
  s,v,${quote(hostile.long.slice(0, 40))},,3,,
  # trips.txt
  trip_id,route_id,service_id,trip_headsign
  t1,r,daily,${quote(hostile.headsign)}
  t2,s,daily,${quote(hostile.long)}
  t3,r,daily,${quote(hostile.turned)}
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  t1,a,1,08:00:00,08:00:00
  t1,b,2,08:10:00,08:12:00
  t1,c,3,08:20:00,08:20:00
  t2,a,1,08:05:00,08:05:00
  t2,b,2,08:15:00,08:15:00
  t3,a,1,08:07:00,08:07:00
  t3,c,2,08:30:00,08:30:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`;

interface HostileCountry {
  readonly url: string;
  /** Reference of the first journey of the board. */
  readonly journeyRef: string;
}

/** Starts a service with these names in this process, with a late trip on a changed platform and a cancelled trip. */
export async function openHostileCountry(): Promise<HostileCountry> {
  const live = await openLiveWorld(await openWorld(feed));
  const trip = (tripId: string) => tripOf(tripId, { startDate: DAY });
  const late = callOf(stopOf('a'), {
    departure: timeOf(at('08:06')),
    platform: '2',
    scheduledPlatform: '1',
  });
  live.report('rt', at('07:58'), {
    trips: [reportOf(trip('t1'), { calls: [late] }), reportOf(trip('t3'), { relationship: 'cancelled' })],
    alerts: [alertOf('n', { title: hostile.notice, text: hostile.notice, stops: [stopOf('a')] })],
  });
  const app = await openService(live.at(at('07:58')), {
    clock: fixedClock(at('07:58')),
    overrides: {
      site: {
        examples: [],
        assets: await readSiteAssets(),
        findStopName: () => hostile.stop,
        listBusiestStops: () => [{ id: 'at:a', name: hostile.stop }],
        listAnnouncements: () => [
          { id: 'n', title: hostile.notice, text: hostile.notice, kind: 'information', url: null },
        ],
        findSources: () => [{ id: 'at', attribution: hostile.notice, licence: hostile.headsign }],
      },
    },
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const board = await (await fetch(`${url}/site/data/stops/at%3Aa/departures`)).json();
  return { url, journeyRef: (board as { departures: { journeyRef: string }[] }).departures[0]!.journeyRef };
}
