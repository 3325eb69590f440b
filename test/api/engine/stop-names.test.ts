import { describe, expect, it } from 'vitest';
import { findStopsByName } from '../../../api/engine/places/find-stops.ts';
import { openWorld, type World } from '../../support/worlds/board-world.ts';
import { mergeNothing } from '../../support/worlds/ingest.ts';

const FRAME = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  x,Xbus,https://example.org,Europe/Vienna
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r,x,REX,2
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`;

/** A feed of one trip through some stops, in the order of the list; a stop that is absent from it has no service. */
function feed(stops: string, calls: readonly string[], others = ''): string {
  const times = calls.map((stop, i) => `t,${stop},${i},08:${10 + i}:00,08:${10 + i}:00`);
  return `${FRAME}
  # stops.txt
  stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type,parent_station
${stops}
  # trips.txt
  trip_id,route_id,service_id
  t,r,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  ${times.join('\n  ')}
${others}`;
}

type Bias = { readonly lat: number; readonly lon: number };

/** Ids of the stops that a query finds, without the source. */
function search({ timetable }: World, query: string, bias?: Bias): string[] {
  const found = findStopsByName(timetable, { query, limit: 10, ...(bias ? { bias } : {}) });
  return found.map(({ id }) => id.replace(/^at:/, ''));
}

const AUSTRIA = `
  W,,Wien Hauptbahnhof,48.185,16.376,,
  F,,Flughafen Wien Bahnhof,48.1207,16.563,,
  M,,Bruck/Mur Bahnhof,47.414,15.279,,
  LE,,Bruck an der Leitha Bahnhof,48.02,16.78,,
  LM,,Bruck an der Leitha Murgasse,48.021,16.781,,`;
const AUSTRIAN_CALLS = ['W', 'F', 'LE', 'LM', 'M', 'LE', 'LM', 'LE', 'LM'];

describe('names in other languages', () => {
  const forms = {
    'by record': `
  # translations.txt
  table_name,field_name,language,translation,record_id
  stops,stop_name,en,Vienna Main Station,W
  stops,stop_name,en,Vienna Airport,F
  stops,stop_name,cs,Vídeň letiště,F`,
    'by value': `
  # translations.txt
  table_name,field_name,language,translation,record_id,record_sub_id,field_value
  stops,stop_name,en,Vienna Main Station,,,Wien Hauptbahnhof
  stops,stop_name,en,Vienna Airport,,,Flughafen Wien Bahnhof
  stops,stop_name,cs,Vídeň letiště,,,Flughafen Wien Bahnhof`,
    'in the form of Google': `
  # translations.txt
  trans_id,lang,translation
  Wien Hauptbahnhof,en,Vienna Main Station
  Flughafen Wien Bahnhof,en,Vienna Airport
  Flughafen Wien Bahnhof,cs,Vídeň letiště`,
  };

  it.each(Object.entries(forms))('%s find their stop, which keeps its own name', async (_, translations) => {
    const world = await openWorld(feed(AUSTRIA, AUSTRIAN_CALLS, translations));
    expect(search(world, 'Vienna Airport')[0]).toBe('F');
    expect(search(world, 'airport vienna')[0]).toBe('F');
    expect(search(world, 'Videň letiste')[0]).toBe('F');
    expect(search(world, 'vienna airp')[0]).toBe('F');
    expect(search(world, 'Vienna')[0]).toBe('W');
    expect(search(world, 'Vienna Main Station')[0]).toBe('W');
    expect(search(world, 'Flughafen Wien')[0]).toBe('F');
    expect(findStopsByName(world.timetable, { query: 'Vienna Airport', limit: 1 })[0]!.name).toBe(
      'Flughafen Wien Bahnhof',
    );
  });

  it('a translation by record is preferred to one of the same language by value', async () => {
    const world = await openWorld(
      feed(
        AUSTRIA,
        AUSTRIAN_CALLS,
        `
  # translations.txt
  table_name,field_name,language,translation,record_id,field_value
  stops,stop_name,en,Capital Station,,Wien Hauptbahnhof
  stops,stop_name,en,Vienna Main Station,W,
  stops,stop_name,fr,Gare centrale,,Wien Hauptbahnhof
  stops,stop_desc,en,Lisbon,W,
  routes,route_short_name,en,Madrid,,Wien Hauptbahnhof`,
      ),
    );
    expect(search(world, 'Vienna Main Station')[0]).toBe('W');
    expect(search(world, 'Gare centrale')[0]).toBe('W');
    expect(['Capital', 'Lisbon', 'Madrid'].flatMap((query) => search(world, query))).toEqual([]);
  });

  it('towns have theirs without translations in the feed', async () => {
    const world = await openWorld(feed(AUSTRIA, AUSTRIAN_CALLS));
    for (const query of ['Vienna', 'vienne', 'Bécs', 'Wiedeń']) expect(search(world, query)[0], query).toBe('W');
    expect(search(world, 'Vienna Flughafen')[0]).toBe('F');
  });
});

describe('the town of a query', () => {
  it('outweighs a longer prefix of another town with more departures or nearby', async () => {
    const world = await openWorld(feed(AUSTRIA, AUSTRIAN_CALLS));
    const leitha = { lat: 48.02, lon: 16.78 };
    for (const query of ['Bruck an der Mur', 'bruck a. d. mur', 'Bruck/Mur', 'Mur Bruck', 'Bruck an der Mur Bahnhof']) {
      expect(search(world, query)[0], query).toBe('M');
      expect(search(world, query, leitha)[0], query).toBe('M');
    }
    for (const query of ['Bruck an der Leitha', 'Bruck/Leitha Bahnhof']) {
      expect(search(world, query, { lat: 47.414, lon: 15.279 })[0], query).toBe('LE');
    }
  });
});

describe('stops, platforms and entrances of a station', () => {
  const STATION = `
  at:49:1349,60201349,Wien Hbf,48.185,16.376,1,
  at:49:1349:0:3,W-3 A,Wien Hbf Bahnsteig 3,48.185,16.376,0,at:49:1349
  at:49:1349:0:4,,Wien Hbf,48.185,16.376,0,at:49:1349
  e1,,Gerhard-Bronner-Straße,48.186,16.377,2,at:49:1349
  n1,,Passage Süd,48.186,16.377,3,at:49:1349
  Pat:47:1187,,Landeck-Zams,47.15,10.57,,
  8100108,🛫,Innsbruck Hbf,47.2633,11.4009,,
  x1,12 B,Südtiroler Platz,48.187,16.375,,
  x2,,Alte Wache,48.19,16.37,,`;
  const open = () => openWorld(feed(STATION, ['at:49:1349:0:3', 'Pat:47:1187', '8100108', 'x1']));

  it.each([
    ['the name of a platform', 'Wien Hbf Bahnsteig 3', 'at:49:1349'],
    ['the name of an entrance', 'Gerhard-Bronner-Straße', 'at:49:1349'],
    ['the name of a generic node', 'passage sued', 'at:49:1349'],
    ['an IFOPT id', 'at:49:1349', 'at:49:1349'],
    ['an IFOPT id in capitals', 'AT:49:1349', 'at:49:1349'],
    ['an IFOPT id with zeros', 'at:49:01349', 'at:49:1349'],
    ['an IFOPT id with spaces', 'at 49 1349', 'at:49:1349'],
    ['a platform’s IFOPT id', 'at:49:1349:0:3', 'at:49:1349'],
    ['the IFOPT id of an unknown platform', 'at:49:1349:0:99', 'at:49:1349'],
    ['a DIVA number', '60201349', 'at:49:1349'],
    ['a HAFAS number', '490134900', 'at:49:1349'],
    ['an IFOPT id that the feed prefixes', 'at:47:1187', 'Pat:47:1187'],
    ['a HAFAS number from elsewhere', '470118700', 'Pat:47:1187'],
    ['an EVA number', '8100108', '8100108'],
    ['a code with letters and a space', 'W-3 A', 'at:49:1349'],
    ['the same, written differently', 'w3a', 'at:49:1349'],
    ['a code with a space', '12 B', 'x1'],
    ['the same without', '12b', 'x1'],
    ['a code that is a symbol', '🛫', '8100108'],
    ['the name of a stop without service', 'Alte Wache', 'x2'],
  ])('%s finds it', async (_, query, expected) => {
    expect(search(await open(), query)[0]).toBe(expected);
  });

  it('a station is one result, however many of its names match', async () => {
    expect(search(await open(), 'Wien Hbf').filter((id) => id.includes('1349'))).toEqual(['at:49:1349']);
  });

  it('unknown numbers find nothing', async () => {
    const world = await open();
    expect(['60209999', '8100109', 'at:49:9', '???', '🚇'].flatMap((query) => search(world, query))).toEqual([]);
  });
});

describe('a whole name comes first, before names with more traffic, a better station or nearer', () => {
  const NAMES = [
    'Southbound 8th St @ 8th Ave',
    '6th St @ 8th Ave',
    '8th Ave @ 8th St',
    'Linz',
    'Linz Hbf',
    'Linz/Donau Hbf',
    'Neu Au',
    'Neue Au',
    'Bahnhof Bahnhof',
    'Bahnhof',
    'Bahnhofstraße 1',
    'Bahnhofstraße 11',
    'Bahnhofstraße 1/11',
    'A-B',
    'A B',
    'AB',
    'Am Berg',
    'Berg',
    'Unter Am',
    'St. Veit',
    'Sankt Veit',
    'Platz der Republik',
    'Republikplatz',
    'ul. 3 Maja 3',
    'ul. 3 Maja',
    'Площадь Ленина',
    '東京駅',
    'via s. rita via bari',
    'Gh. Post (Abzw.)',
    'Gh. Post',
    '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20',
    '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 20 19',
    '?!',
  ];
  const rows = NAMES.map((name, i) => `  s${i},,"${name}",48.${100 + i},16.3,,`).join('\n');
  const busy = NAMES.flatMap((_, i) => Array.from({ length: 1 + ((i * 7) % 5) }, () => `s${i}`));

  it.each(NAMES)('%s', async (name) => {
    const world = await openWorld(feed(rows, busy), { settings: { merging: mergeNothing } });
    expect(search(world, name)[0]).toBe(`s${NAMES.indexOf(name)}`);
    expect(search(world, name.toUpperCase(), { lat: 48.1, lon: 16.3 })[0]).toBe(`s${NAMES.indexOf(name)}`);
  });
});
