import { austrianSources } from '../../../pipeline/config/austria.ts';
import { mvoSettings } from '../../../pipeline/config/mvo-settings.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { fetchHttp, type Http, type HttpAnswer } from '../../../pipeline/effects/http.ts';
import { encodeFeedMessage } from '../../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { feedFromText, packFeed, withFiles } from '../worlds/text-feed.ts';
import { type FakeMvo, startFakeMvo } from './mvo-platform.ts';

/** Answers under the real addresses of the Austrian publishers, so that configurations are used as they stand. */
interface AustrianUpstreams {
  readonly http: Http;
  readonly mvo: FakeMvo;
  /** Addresses of all requests, without query. */
  readonly requests: string[];
}

const PLATFORM = mvoSettings.mvo.url.default;
const TOKENS = mvoSettings.mvo.tokenUrl.default;

/** A timetable of two stops, every hour; parents, agencies and names as the publishers have them. */
export function austrianFeed(region: string, from: string, until: string): Map<string, string> {
  const station = region === 'wl' ? 'at:49:1349' : 'Pat:49:1349';
  return feedFromText(`
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    04,Verkehr ${region},https://example.org,Europe/Vienna
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
    ${station},Wien Hauptbahnhof,48.185,16.375,1,
    at:49:1349:0:1,Wien Hauptbahnhof,48.185,16.375,0,${station}
    at:49:657:0:1,Wien Karlsplatz,48.2,16.369,0,
    at:40:${region}:0:1,${region} Bahnhof,47.5,14.5,0,
    # routes.txt
    route_id,agency_id,route_short_name,route_long_name,route_type
    r,04,${region === 'rail' ? 'RJX 162' : 'U1'},Wien - Linz - Salzburg,${region === 'rail' ? 2 : 1}
    # trips.txt
    trip_id,route_id,service_id
    ${hours.map((hour) => `t${hour},r,daily`).join('\n')}
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    ${hours.flatMap((hour) => callsAt(hour, region)).join('\n')}
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,${from},${until}
  `);
}

const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

function callsAt(hour: string, region: string): string[] {
  return [
    `t${hour},at:49:657:0:1,1,${hour}:10:00,${hour}:10:00`,
    `t${hour},at:49:1349:0:1,2,${hour}:14:00,${hour}:14:00`,
    `t${hour},at:40:${region}:0:1,3,${hour}:50:00,${hour}:50:00`,
  ];
}

/** Styria and Carinthia name agencies that they lack. */
const WITHOUT_AGENCIES = { 'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\n' };

/** A HAFAS server that knows no key. */
export const VAO_ENDPOINT = 'https://vao.example/hamm/gate';

/** A disruption at a platform that is known by its number alone. */
const NOTICES = {
  data: {
    trafficInfos: [
      {
        name: 'I20261123-0001',
        title: 'U1: Verspätungen',
        description: 'Nach einem Rettungseinsatz.',
        status: 'active',
        relatedStops: [9001],
      },
    ],
  },
};

const PLATFORMS = `StopID;DIVA;StopText;Municipality;MunicipalityID;Longitude;Latitude
9001;60201349;Hauptbahnhof;Wien;49000001;16.375;48.185
9002;;Praterstern S U;;;0000000000;0000000000
`;

const HEADER = { gtfsRealtimeVersion: '2.0' };

/**
 * Starts the fakes of all publishers.
 * @param nowSeconds clock of the publishers
 */
export async function startAustrianUpstreams(nowSeconds: () => number): Promise<AustrianUpstreams> {
  const mvo = await startFakeMvo();
  mvo.clientId = mvoSettings.mvo.clientId.default;
  mvo.now = () => nowSeconds() * 1000;
  for (const { id, about, lines, account } of austrianSources) {
    if (account !== 'mvo') continue;
    const number = Number(lines.find((line) => line.startsWith('dataSet:'))!.split(' ')[1]);
    const feed = austrianFeed(id, '20251214', '20261212');
    const published = lines.some((line) => line.startsWith('zone:')) ? withFiles(feed, WITHOUT_AGENCIES) : feed;
    mvo.dataSets.set(number, { name: `${about} (GTFS)`, files: new Map([[2026, await packFeed(published)]]) });
    mvo.accepted.add(number);
  }
  const openFeed = await packFeed(austrianFeed('wl', '20261101', '20261231'));
  const requests: string[] = [];
  const answers: readonly (readonly [prefix: string, answer: () => Uint8Array | string])[] = [
    ['https://www.wienerlinien.at/ogd_realtime/doku/ogd/gtfs/gtfs.zip', () => openFeed],
    [VAO_ENDPOINT, () => '{"ver":"1.59","err":"AUTH","errTxt":"HCI Core: AUTH","svcResL":[]}'],
    ['https://www.wienerlinien.at/ogd_realtime/monitor', () => JSON.stringify(monitorAt(nowSeconds()))],
    ['https://www.wienerlinien.at/ogd_realtime/trafficInfoList', () => JSON.stringify(NOTICES)],
    ['https://www.wienerlinien.at/ogd_realtime/doku/ogd/wienerlinien-ogd-haltepunkte.csv', () => PLATFORMS],
    ['https://www.wienerlinien.at/ogd_realtime/newsList', () => '{"data":{"pois":[]}}'],
    [
      'https://efa.verbundlinie.at:77',
      () => encodeFeedMessage({ header: { ...HEADER, timestamp: nowSeconds() }, entity: [] }),
    ],
  ];
  const http: Http = async (request) => {
    requests.push(request.url.split('?')[0]!);
    if (request.url.startsWith('http://127.0.0.1:')) return fetchHttp(request);
    const moved = toFake(request.url, mvo);
    if (moved !== null) return withoutDate(await fetchHttp({ ...request, url: moved }));
    const answer = answers.find(([prefix]) => request.url.startsWith(prefix))?.[1];
    if (answer === undefined) throw new ExternalError('http_unreachable', `${request.url} cannot be reached`);
    return { status: 200, headers: new Headers(), body: bytes(answer()) };
  };
  return { http, mvo, requests };
}

/** The same request at the fake platform; null for other publishers. */
function toFake(url: string, { settings }: FakeMvo): string | null {
  if (url === TOKENS) return settings.tokenUrl;
  return url.startsWith(PLATFORM) ? `${settings.url}${url.slice(PLATFORM.length)}` : null;
}

/** The clock of the machine is not that of the test. */
function withoutDate(answer: HttpAnswer): HttpAnswer {
  const headers = new Headers(answer.headers);
  headers.delete('date');
  return { ...answer, headers };
}

async function* bytes(content: Uint8Array | string): AsyncIterable<Uint8Array> {
  yield Buffer.from(content);
}

/** The next departure of the U1 from Karlsplatz, two minutes late. */
function monitorAt(now: number): object {
  const planned = Math.ceil((now - 600) / 3600) * 3600 + 600;
  const at = (seconds: number) => new Date(seconds * 1000).toISOString().replace('Z', '+0000');
  const departure = { departureTime: { timePlanned: at(planned), timeReal: at(planned + 120), countdown: 5 } };
  const line = {
    name: 'U1',
    towards: 'wl Bahnhof',
    direction: 'H',
    type: 'ptMetro',
    departures: { departure: [departure] },
  };
  const locationStop = {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [16.369, 48.2] },
    properties: { name: '60200657', title: 'Karlsplatz', attributes: { rbl: 4101 } },
  };
  return {
    data: { monitors: [{ locationStop, lines: [line] }] },
    message: { value: 'OK', messageCode: 1, serverTime: at(now) },
  };
}
