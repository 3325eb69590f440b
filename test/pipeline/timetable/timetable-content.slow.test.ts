import { describe, expect, it } from 'vitest';
import { ingestFeedText, listRefused, listRepaired, soundFeed } from '../../support/worlds/ingest.ts';
import { feedFromText, withFiles } from '../../support/worlds/text-feed.ts';
import { feedOfTrips } from './feed-of-trips.ts';

it('interpolates and marks missing times: by distance, else by location, else evenly', async () => {
  const { timetable, report } = await ingestFeedText(
    feedOfTrips([
      'by-distance: a 10:00 0, b - 1000, c - 3000, d 10:12 4000',
      'by-geography: a 10:00, b -, c -, d 10:12',
      'evenly, as a stop lies nowhere: a 10:00, x -, c -, d 10:12'.replace(', as a stop lies nowhere', ''),
      'by-geography-where-one-distance-lacks: a 10:00 0, b - 1, c -, d 10:12 4',
      'by-distance-although-a-stop-lies-nowhere: a 10:00 0, x - 1, c - 3, d 10:12 4',
      'between-the-nearest-times: a 10:00, b -, c 10:20/10:30, b -, a 10:40',
      'one-place: a 10:00, a -, a 10:10',
      'arrival-alone: a 10:00, b 10:05/, c /10:10, d 10:12',
      'not-a-number: a 10:00 0, b - nan, c - inf, d 10:12 4',
      'endless: a 10:00 0, b - inf, c - inf, d 10:12 inf',
      'odd-seconds: a 10:00 0, b - 1, d 10:01 7',
    ]),
  );
  expect(timetable.trips).toEqual([
    'arrival-alone: a 10:00, b 10:05, c 10:10, d 10:12',
    'between-the-nearest-times: a 10:00, b ~10:10, c 10:20/10:30, b ~10:35, a 10:40',
    'by-distance-although-a-stop-lies-nowhere: a 10:00, x ~10:03, c ~10:09, d 10:12',
    'by-distance: a 10:00, b ~10:03, c ~10:09, d 10:12',
    'by-geography-where-one-distance-lacks: a 10:00, b ~10:03, c ~10:06, d 10:12',
    'by-geography: a 10:00, b ~10:03, c ~10:06, d 10:12',
    'endless: a 10:00, b ~10:03, c ~10:06, d 10:12',
    'evenly: a 10:00, x ~10:04, c ~10:08, d 10:12',
    'not-a-number: a 10:00, b ~10:03, c ~10:06, d 10:12',
    'odd-seconds: a 10:00, b ~10:00:09, d 10:01',
    'one-place: a 10:00, a ~10:05, a 10:10',
  ]);
  expect(listRefused(report)).toEqual([]);
  expect(listRepaired(report)).toEqual(['stop_times: 18 interpolated_time', 'stops: 1 missing_coordinates']);
});

it('compares calls with valid neighbours only', async () => {
  const { timetable, report } = await ingestFeedText(
    feedOfTrips(['t1: a 08:00, b 08:10, c 08:20'], {
      'stop_times.txt': `
        trip_id,stop_id,stop_sequence,arrival_time,departure_time
        t1,a,1,08:00:00,08:00:00
        t1,b,2,08:10:00,08:10:00
        t1,c,3,08:20:00,08:20:00
        t1,c,3,08:50:00,08:50:00
        t1,d,4,08:30:00,08:30:00
        t1,a,5,,
        t1,a,6,08:25:00,08:25:00
        `,
    }),
  );
  // The copy at 08:50 is no reason to reject 08:30; and nothing is left to interpolate the fifth call's time from.
  expect(timetable.trips).toEqual(['t1: a 08:00, b 08:10, c 08:20, d 08:30']);
  expect(listRefused(report)).toEqual([
    'stop_times: 1 duplicate_sequence',
    'stop_times: 1 no_time_to_start_from',
    'stop_times: 1 time_runs_backwards',
  ]);
});

it('accepts only valid times', async () => {
  const odd = [
    '08:1',
    '8:10:0',
    '1.5:00:00',
    '+8:10:00',
    '-8:10:00',
    '8:10:5.',
    '8:1e:00',
    '1e2:00:00',
    '0x8:10:00',
    '８:10:00',
  ];
  const { timetable, report } = await ingestFeedText(
    withFiles(soundFeed, {
      'stop_times.txt': `
        trip_id,stop_id,stop_sequence,arrival_time,departure_time
        t1,a,1, 8:00:00 ,8:00:00
        t1,b,50,132:10:00,132:10:00
        ${odd.map((time, i) => `t1,c,${i + 2},${time},${time}`).join('\n        ')}
        `,
      'trips.txt': 'trip_id,route_id,service_id\nt1,r,daily\n',
    }),
  );
  expect(timetable.trips).toEqual(['t1: a 08:00, b 132:10']);
  expect(listRefused(report)).toEqual([`stop_times: ${odd.length} bad_time`]);
});

it('keeps times past one or two midnights, and sorts calls by stop_sequence', async () => {
  const { timetable } = await ingestFeedText(
    withFiles(soundFeed, {
      'stop_times.txt': `
        departure_time,trip_id,stop_sequence,stop_id,arrival_time
        48:45:00,t1,30,c,48:40:00
        22:00:00,t1,1,a,22:00:00
        9:00:00,t2,1,b,9:00:00
        26:30:00,t1,7,b,26:30:00
        9:05:00,t2,2,c,9:05:00
        `,
    }),
  );
  expect(timetable.trips).toEqual(['t1: a 22:00, b 26:30, c 48:40/48:45', 't2: b 09:00, c 09:05']);
  expect(timetable.patterns).toEqual(['r: a b c = t1', 'r: b c = t2']);
});

describe('service dates', () => {
  const week = '20260302,20260308';
  const header = 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date';
  const [mon, tue, wed, thu, fri, sat, sun] = [2, 3, 4, 5, 6, 7, 8].map((day) => `2026-03-0${day}`);
  it.each<[title: string, files: Record<string, string | null>, dates: (string | undefined)[]]>([
    ['only calendar', { 'calendar.txt': `${header}\ndaily,1,0,1,0,1,0,1,${week}\n` }, [mon, wed, fri, sun]],
    [
      'only calendar_dates',
      {
        'calendar.txt': null,
        'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20260307,1\ndaily,20260303,1\ndaily,20260304,2\n',
      },
      [tue, sat],
    ],
    [
      'both: exceptions add and remove',
      {
        'calendar.txt': `${header}\ndaily,1,1,1,1,1,0,0,${week}\n`,
        'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20260303,2\ndaily,20260308,1\ndaily,20260302,1\n',
      },
      [mon, wed, thu, fri, sun],
    ],
    [
      'an exception beyond the period of the calendar',
      {
        'calendar.txt': `${header}\ndaily,0,0,0,0,0,0,1,${week}\n`,
        'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20260401,1\n',
      },
      [sun, '2026-04-01'],
    ],
    [
      'a rejected calendar leaves its exceptions',
      {
        'calendar.txt': `${header}\ndaily,1,1,1,1,1,1,1,20260302,\n`,
        'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20260303,1\n',
      },
      [tue],
    ],
  ])('%s', async (_title, files, dates) => {
    const { timetable } = await ingestFeedText(withFiles(soundFeed, files));
    expect(timetable.dates.get('t1')).toEqual(dates);
    const { beginDate, endDate } = timetable.snapshot.manifest;
    expect([beginDate, endDate]).toEqual([dates[0], dates.at(-1)]);
  });
});

it('expands frequencies, and marks approximate runs', async () => {
  const { timetable } = await ingestFeedText(
    feedOfTrips(['exact: a 06:00, b 06:08/06:09, c 06:15', 'headway: a 00:00, b 00:07, c -, d 00:20'], {
      'frequencies.txt': `
        trip_id,start_time,end_time,headway_secs,exact_times
        exact,06:00:00,07:30:00,1800,1
        exact,07:00:00,08:30:00,1800,1
        headway,23:40:00,24:20:00,1200,0
        `,
    }),
  );
  // 07:00 is listed twice and runs once; the end is not a departure any more.
  expect(timetable.trips).toEqual([
    'exact@06:00: a 06:00, b 06:08/06:09, c 06:15',
    'exact@06:30: a 06:30, b 06:38/06:39, c 06:45',
    'exact@07:00: a 07:00, b 07:08/07:09, c 07:15',
    'exact@07:30: a 07:30, b 07:38/07:39, c 07:45',
    'exact@08:00: a 08:00, b 08:08/08:09, c 08:15',
    'headway@~23:40: a 23:40, b 23:47, c ~23:51:20, d 24:00',
    'headway@~24:00: a 24:00, b 24:07, c ~24:11:20, d 24:20',
  ]);
});

it('stores each list of stop sequences once', async () => {
  const { timetable } = await ingestFeedText(
    feedOfTrips(['plain: a 08:00, b 08:10', 'repeated: a 09:00, b 09:10'], {
      'trips.txt': 'trip_id,route_id,service_id\nplain,r,daily\nsparse,r,daily\nrepeated,r,daily\nshort,r,daily\n',
      'stop_times.txt': `
        trip_id,stop_id,stop_sequence,arrival_time,departure_time
        plain,a,1,08:00:00,08:00:00
        plain,b,2,08:10:00,08:10:00
        plain,c,3,08:20:00,08:20:00
        sparse,c,4000,09:20:00,09:20:00
        sparse,a,0,09:00:00,09:00:00
        sparse,b,70000,09:30:00,09:30:00
        repeated,a,1,09:00:00,09:00:00
        repeated,b,2,09:10:00,09:10:00
        repeated,c,3,09:20:00,09:20:00
        short,a,1,10:00:00,10:00:00
        short,b,2,10:10:00,10:10:00
        `,
      'frequencies.txt': 'trip_id,start_time,end_time,headway_secs\nrepeated,12:00:00,14:00:00,3600\n',
    }),
  );
  const { trips, patterns, stopSequences } = timetable.snapshot.tables;
  const numbers = new Map<string, number[]>();
  for (let trip = 0; trip < trips.firstSequence.length; trip++) {
    const first = trips.firstSequence[trip]!;
    const count = patterns.callCount[trips.pattern[trip]!]!;
    const run = trips.frequencyStart[trip]! < 0 ? '' : `@${trips.frequencyStart[trip]! / 3600}`;
    numbers.set(`${trips.tripId.get(trip)}${run}`, [...stopSequences.sequence.subarray(first, first + count)]);
  }
  expect(Object.fromEntries(numbers)).toEqual({
    plain: [1, 2, 3],
    'repeated@12': [1, 2, 3],
    'repeated@13': [1, 2, 3],
    short: [1, 2],
    sparse: [0, 4000, 70_000],
  });
  // Three different lists of eight numbers, however many trips use them.
  expect(stopSequences.sequence.length).toBe(8);
});

it('splits trips that overtake, and keeps every pattern in order', async () => {
  const { timetable } = await ingestFeedText(
    feedOfTrips([
      'express: a 08:05, b 08:10, c 08:15',
      'local: a 08:00, b 08:20, c 08:40',
      'next: a 09:00, b 09:20, c 09:40',
      'other_way: c 08:00, b 08:20, a 08:40',
    ]),
  );
  expect(timetable.patterns).toEqual(['r: a b c = express', 'r: a b c = local next', 'r: c b a = other_way']);
});

it('finds the station of a stop up to two levels above', async () => {
  const { timetable } = await ingestFeedText(
    withFiles(soundFeed, {
      'stops.txt': `
        stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
        a,,48,16,0,s,1
        b,Bay B,48,16,4,a,
        c,Kirche,48,16,0,nowhere,
        s,Bahnhof,48,16,1,,
        own,Own,48,16,0,own,
        p,Round P,48,16,0,q,
        q,Round Q,48,16,0,p,
        w,Deep,48,16,4,b,
        `,
    }),
  );
  expect(timetable.stops).toEqual([
    'a "Bahnhof" 48,16 in s platform 1',
    'b "Bay B" 48,16 in s',
    'c "Kirche" 48,16',
    'own "Own" 48,16',
    'p "Round P" 48,16',
    'q "Round Q" 48,16',
    's "Bahnhof" 48,16',
    'w "Deep" 48,16',
  ]);
});

it('reads agencies, zones and products with and without ids', async () => {
  const { timetable, report } = await ingestFeedText(
    withFiles(soundFeed, {
      'agency.txt': `
        agency_id,agency_name,agency_timezone
        ,Ohne,Europe/Vienna
        l,London,Europe/London
        w,Wien,Europe/Vienna
        `,
      'routes.txt': `
        route_id,agency_id,route_short_name,route_long_name,route_type
        r,,U1,,1
        s,l,,Thames,4
        t,w,,,0
        u,unknown,S1,,109
        `,
      'trips.txt': 'trip_id,route_id,service_id\nt1,r,daily\nt2,s,daily\n',
    }),
  );
  expect(timetable.routes).toEqual([
    'r "U1" subway of Ohne, Europe/Vienna',
    's "Thames" ship of London, Europe/London',
    't "t" tram of Wien, Europe/Vienna',
    'u "S1" sBahn of nobody, Europe/Vienna',
  ]);
  expect(listRepaired(report)).toEqual(['routes: 1 unknown_agency']);
});

it('uses the only agency for routes without one', async () => {
  const { timetable, report } = await ingestFeedText(
    withFiles(soundFeed, {
      'agency.txt': 'agency_name,agency_timezone\n,Europe/Vienna\n',
      'routes.txt': 'route_id,route_type\nr,3\n',
    }),
  );
  expect(timetable.routes).toEqual(['r "r" cityBus of , Europe/Vienna']);
  expect(listRepaired(report)).toEqual([]);
});

it('reads a feed of required files and columns only', async () => {
  const { timetable, report } = await ingestFeedText(
    feedFromText(`
      # agency.txt
      agency_timezone
      Europe/Vienna
      # stops.txt
      stop_id
      a
      b
      # routes.txt
      route_id,route_type
      r,3
      # trips.txt
      trip_id,route_id,service_id
      t,r,s
      # stop_times.txt
      trip_id,stop_id,stop_sequence,departure_time
      t,a,0,8:00:00
      t,b,1,8:05:00
      # calendar_dates.txt
      service_id,date,exception_type
      s,20260302,1
      # shapes.txt
      # frequencies.txt
      trip_id
    `),
  );
  expect(timetable).toMatchObject({ trips: ['t: a 08:00, b 08:05'], stops: ['a "a" nowhere', 'b "b" nowhere'] });
  expect(listRefused(report)).toEqual([]);
});
