import { beforeAll, describe, expect, it, test } from 'vitest';
import { parseMetroStations } from '../../../../pipeline/model/metro-stations.ts';
import type { IdSpace, StopName } from '../../../../pipeline/model/realtime.ts';
import { parseStopLinks } from '../../../../pipeline/realtime/matching/stop-link-overrides.ts';
import { feedFromText } from '../../../support/worlds/text-feed.ts';
import { context, type MatchingWorld, openMatching, stopName } from './matching-world.ts';

/** Only stops matter; all of them are on the only trip. */
function feedOfStops(rows: readonly string[]) {
  const ids = rows.map((row) => row.split(',')).flatMap(([id, , , , type]) => (type === '1' ? [] : [id!]));
  return feedFromText(`
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    v,Verkehr,https://example.org,Europe/Vienna
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
    ${rows.join('\n    ')}
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    r,v,1,3
    # trips.txt
    trip_id,route_id,service_id
    t,r,daily
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    ${ids.map((id, i) => `t,${id},${i + 1},08:${10 + i}:00,08:${10 + i}:00`).join('\n    ')}
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260302,20260308
  `);
}

const feed = feedOfStops([
  'at:49:1349,Südtiroler Pl. - Hbf.,48.18720,16.37350,1,',
  'at:49:1349:0:3,Südtiroler Pl. - Hbf.,48.18720,16.37358,0,at:49:1349',
  'at:49:1320,Stephansplatz,48.20806,16.37166,1,',
  'at:49:1320:0:6,Stephansplatz,48.20806,16.37166,0,at:49:1320',
  'at:49:00657,Karlsplatz,48.20100,16.36900,0,',
  'at:43:3499,Gerasdorf Bahnhof,48.29331,16.48374,0,',
  '60200949,Oberlaa,48.14222,16.40024,0,',
  'at:47:1187:0:21,Innsbruck Hbf,47.26259,11.40054,0,',
  '1000,Zentrum,48.30000,16.30000,0,',
  // Two poles of one stop without a station, 40 m apart.
  'pole-1,Dorfplatz,48.40000,16.40000,0,',
  'pole-2,Dorfplatz,48.40036,16.40000,0,',
  'next,Dorfplatz Nord,48.40040,16.40000,0,',
  'market,Feldkirch Marktplatz,47.24000,9.60000,0,',
  'nowhere,Irgendwo,,,0,',
]);

const metroStations = parseMetroStations(`diva,name,lines,lat,lon,stop_points
60201320,Stephansplatz,U1 U3,48.20806,16.37166,4111 4113
60209999,Dorfplatz,U2,48.40010,16.40000,4999
`);

const stopLinks = parseStopLinks(`id_space,id,timetable_source,stop_id,note
hafas,8101590,at,pole-2,the pole of the trains' replacement, checked on site
diva,60200949,at,,closed
hafas,77,at,gone,a stop of last year's timetable
hafas,78,elsewhere,gone,none of our business
`).records;

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: feed }, { metroStations, stopLinks });
});

const place = (name: string | null, lat: number, lon: number) => ({ name, lat, lon });

function findLink(stop: StopName): string {
  const link = world.matcher.findStopLink(stop, context('2026-03-02T08:00:00Z'));
  return link ? `${link.how} ${link.stops.map(world.stopId).join(' ')}` : 'none';
}

describe('links by id', () => {
  test.each<[reason: string, space: IdSpace, id: string, reported: Partial<StopName>, expected: string]>([
    ['the timetable’s own', 'gtfs', 'pole-1', {}, 'id pole-1'],
    ['the timetable’s own, unknown', 'gtfs', 'pole-9', {}, 'none'],
    ['a platform of Austria’s register', 'ifopt', 'at:49:1320:0:6', {}, 'id at:49:1320:0:6'],
    ['a platform that the timetable lacks', 'ifopt', 'at:49:1320:0:99', {}, 'station_id at:49:1320'],
    ['a station, its number with zeros there', 'ifopt', 'at:49:657', {}, 'id at:49:00657'],
    ['a station, its number with zeros here', 'ifopt', 'at:49:01349', {}, 'id at:49:1349'],
    ['a station of the city', 'diva', '60201349', {}, 'id at:49:1349'],
    ['a station of the city, without its prefix', 'diva', '1349', {}, 'id at:49:1349'],
    ['a station outside of the city', 'diva', '60203499', {}, 'id at:43:3499'],
    ['a platform of the underground', 'rbl', '4111', {}, 'id at:49:1320'],
    ['a platform of nothing we know', 'rbl', '17', {}, 'none'],
    [
      'a platform of the underground that only its station’s name finds',
      'rbl',
      '4999',
      {},
      'same_name_near pole-1 pole-2',
    ],
    ['a stop of Austria’s HAFAS', 'hafas', '490134900', {}, 'id at:49:1349'],
    ['a platform of Austria’s HAFAS', 'hafas', '470118721', {}, 'id at:47:1187:0:21'],
    ['an equal number at the same place', 'hafas', '1000', place(null, 48.3, 16.301), 'id 1000'],
    ['an equal number with the same name', 'hafas', '1000', { name: 'Zentrum' }, 'id 1000'],
    ['an equal number with nothing to bear it out', 'hafas', '1000', {}, 'none'],
    ['an equal number elsewhere', 'hafas', '1000', place('Zentrum', 47.3, 16.3), 'none'],
  ])('%s', (_reason, space, id, reported, expected) => {
    expect(findLink(stopName(id, space, reported))).toBe(expected);
  });
});

describe('links by name and place', () => {
  test.each<[reason: string, reported: Partial<StopName>, expected: string]>([
    ['the same name near by, every pole of it', place('DORFPLATZ', 48.4001, 16.4), 'same_name_near pole-1 pole-2'],
    [
      'the same name in other letters',
      place('Suedtiroler Platz-Hauptbahnhof', 48.1872, 16.3735),
      'same_name_near at:49:1349',
    ],
    ['the same name 290 m away', place('Stephansplatz', 48.21067, 16.37166), 'same_name_near at:49:1320'],
    ['the same name 310 m away', place('Stephansplatz', 48.21085, 16.37166), 'none'],
    ['a similar name at the place', place('Wien Stephansplatz (U)', 48.2082, 16.3718), 'similar_name_near at:49:1320'],
    ['a similar name 120 m away', place('Wien Stephansplatz', 48.20914, 16.37166), 'none'],
    ['another name at the same position', place('Schwedenplatz', 48.20806, 16.37166), 'none'],
    ['only a common word', place('Bahnhof', 48.29331, 16.48374), 'none'],
    ['a name without a position', { name: 'Stephansplatz' }, 'none'],
    ['a position without a name', place(null, 48.20806, 16.37166), 'none'],
    ['an empty name', place(' – ', 48.20806, 16.37166), 'none'],
    ['an invalid position', place('Stephansplatz', 4820.8, 16.4), 'none'],
    ['a stop without a position', place('Irgendwo', 0, 0), 'none'],
  ])('%s', (_reason, reported, expected) => {
    expect(findLink(stopName(null, 'hafas', reported))).toBe(expected);
  });
});

describe('reviewed links', () => {
  it('come first', () => {
    expect(findLink(stopName('8101590', 'hafas', place('Stephansplatz', 48.20806, 16.37166)))).toBe('override pole-2');
  });
  it('can forbid a link', () => {
    expect(findLink(stopName('60200949', 'diva', place('Oberlaa', 48.14222, 16.40024)))).toBe('none');
  });
  it('are reported and skipped if their stop no longer exists', () => {
    expect(findLink(stopName('77', 'hafas', place('Stephansplatz', 48.20806, 16.37166)))).toBe(
      'same_name_near at:49:1320',
    );
    expect(world.matcher.problems).toEqual([
      { code: 'unknown_stop', source: 'stop-links.csv', place: 'row 3', detail: 'gone' },
    ]);
  });

  it('are read from a file; its bad rows are reported', () => {
    const { records, problems } = parseStopLinks(
      [
        'id_space,id,timetable_source,stop_id,note',
        'diva,60201349,at,at:49:1349,',
        'zhv,1,at,a,',
        'hafas,,at,a,',
        'hafas,1,,a,',
        'hafas,1,at',
        'diva,60201349,at,at:49:1,',
        'hafas,2,at,,not here',
        '',
      ].join('\r\n'),
    );
    expect(records.map(({ id, stopId, row }) => [id, stopId, row])).toEqual([
      ['60201349', 'at:49:1349', 1],
      ['2', null, 7],
    ]);
    expect(problems.map(({ place, code }) => `${place} ${code}`)).toEqual([
      'row 2 unknown_id_space',
      'row 3 missing_id',
      'row 4 missing_id',
      'row 5 too_few_values',
      'row 6 duplicate_link',
    ]);
    expect(() => parseStopLinks('id,name\n')).toThrow('stop-links.csv begins with "id,name"');
  });
});

it('gives the nearest row, and -1 in lists', () => {
  const about = context('2026-03-02T08:00:00Z', 'at');
  const { matcher } = world;
  expect(world.stopId(matcher.matchStop(stopName(null, 'hafas', place('Dorfplatz', 48.4004, 16.4)), about))).toBe(
    'pole-2',
  );
  expect(matcher.matchStop(stopName('pole-1'), context('2026-03-02T08:00:00Z', 'elsewhere'))).toBeNull();
});
