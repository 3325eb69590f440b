import { beforeAll, describe, expect, test } from 'vitest';
import { getStopInfo } from '../../../api/engine/search/stops.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { findRefusal, openWorld, type World } from '../../support/worlds/board-world.ts';
import { flexFeed } from '../../support/worlds/flex-feed.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';

const junction = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  w,Westbus,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
  s,Bahnhof,48.0,16.0,1,
  s1,Bahnhof,48.0,16.0,0,s
  s2,Bahnhof,48.0,16.0,0,s
  in,Eingang,48.0,16.0,2,s
  z,Ziel,,,0,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type,route_color,route_text_color
  b10,v,10,Zehner,3,,
  b2,v,2,Zweier,3,0073AC,FFFFFF
  b2again,v,2,Zweier abends,3,0073AC,FFFFFF
  b2blue,v,2,Anders gefärbt,3,0000FF,FFFFFF
  b2west,w,2,Westlicher Zweier,3,0073AC,FFFFFF
  b2none,nobody,2,Betreiber unbekannt,3,0073AC,FFFFFF
  tram2,v,2,Straßenbahn,0,,
  u1,v,U1,U-Bahn,1,e3000f,ffffff
  n1,v,N1,Nachtbus,3,,
  elsewhere,v,99,Fährt nicht her,3,,
  # trips.txt
  trip_id,route_id,service_id
  t1,b10,daily
  t2,b2,daily
  t3,b2again,daily
  t4,b2blue,daily
  t5,b2west,daily
  t6,b2none,daily
  t7,tram2,daily
  t8,u1,daily
  t9,n1,daily
  t10,b10,daily
  t11,elsewhere,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  t1,s1,1,08:00:00,08:00:00
  t1,z,2,08:10:00,08:10:00
  t2,s1,1,08:00:00,08:00:00
  t2,z,2,08:10:00,08:10:00
  t3,s2,1,20:00:00,20:00:00
  t3,z,2,20:10:00,20:10:00
  t4,s1,1,08:00:00,08:00:00
  t4,z,2,08:10:00,08:10:00
  t5,s1,1,08:00:00,08:00:00
  t5,z,2,08:10:00,08:10:00
  t6,s1,1,08:00:00,08:00:00
  t6,z,2,08:10:00,08:10:00
  t7,s2,1,08:00:00,08:00:00
  t7,z,2,08:10:00,08:10:00
  t8,s2,1,08:00:00,08:00:00
  t8,z,2,08:10:00,08:10:00
  t9,z,1,25:00:00,25:00:00
  t9,s1,2,25:10:00,25:10:00
  t10,s2,1,09:00:00,09:00:00
  t10,z,2,09:10:00,09:10:00
  t11,z,1,09:00:00,09:00:00
  t11,z,2,09:10:00,09:10:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`;

let world: World;
beforeAll(async () => {
  world = await openWorld(junction);
});

async function infoOf(stopId: string) {
  const info = getStopInfo(world.timetable, stopId);
  await expectValidAnswer('StopInfo', info);
  return info;
}

const PLATFORM_1 = ['2 cityBus b2', '2 cityBus b2blue', '2 cityBus b2none', '2 cityBus b2west', '10 cityBus b10'];

describe('lines that call at a stop', () => {
  test.each([
    [
      'the station: by product, natural order of labels, id; a line in two routes once',
      's',
      ['2 tram tram2', ...PLATFORM_1, 'N1 nightBus n1', 'U1 subway u1'],
    ],
    ['only a platform, including a line that only arrives', 's1', [...PLATFORM_1, 'N1 nightBus n1']],
    ['the other platform', 's2', ['2 tram tram2', '2 cityBus b2again', '10 cityBus b10', 'U1 subway u1']],
    ['an entrance', 'in', []],
  ])('%s', async (_what, stop, expected) => {
    const { lines } = await infoOf(`at:${stop}`);
    expect(lines.map(({ label, product, lineId }) => `${label} ${product} ${lineId!.replace('at:', '')}`)).toEqual(
      expected,
    );
  });

  test('a line with all its details', async () => {
    const { lines } = await infoOf('at:s2');
    expect(lines.at(-1)).toEqual({
      label: 'U1',
      name: 'U-Bahn',
      product: 'subway',
      colorHex: '#E3000F',
      textColorHex: '#FFFFFF',
      operatorName: 'Verkehr',
      lineId: 'at:u1',
    });
  });

  test('omits unknown details', async () => {
    const { lines } = await infoOf('at:s1');
    const unnamed = lines.find(({ lineId }) => lineId === 'at:b2none')!;
    expect(Object.keys(unnamed)).not.toContain('operatorName');
    const uncoloured = lines.find(({ lineId }) => lineId === 'at:b10')!;
    expect(Object.keys(uncoloured)).toEqual(['label', 'name', 'product', 'operatorName', 'lineId']);
  });
});

test.each([
  // tram 1, cityBus 2, nightBus 8, subway 128.
  ['s', { lat: 48, lon: 16 }, 1 + 2 + 8 + 128],
  ['s1', { lat: 48, lon: 16 }, 2 + 8],
  ['z', undefined, 1 + 2 + 8 + 128],
  ['in', { lat: 48, lon: 16 }, 0],
])('the stop itself: %s', async (id, coord, productClasses) => {
  const { stop } = await infoOf(`at:${id}`);
  const { name: _, ...facts } = stop;
  expect(facts).toEqual({ id: `at:${id}`, extId: id, kind: 'station', productClasses, ...(coord ? { coord } : {}) });
});

test('an id belongs to one source, even if it would be the next in order', async () => {
  const rename = (file: string) => soundFeed.get(file)!.replace(/(^|,)([abc]),/gm, '$1x$2,');
  const renamed = withFiles(soundFeed, {
    'stops.txt': rename('stops.txt'),
    'stop_times.txt': rename('stop_times.txt'),
  });
  const { timetable } = await openWorld({ at: soundFeed, zz: renamed });
  expect(getStopInfo(timetable, 'zz:xa').lines).toHaveLength(1);
  for (const id of ['at:xa', 'zz:a', 'zz:xd', 'at:x']) {
    expect(await findRefusal(() => getStopInfo(timetable, id))).toBe('unknown_stop');
  }
});

test.each(['at:nowhere', 's', 'other:s', ''])('"%s" is unknown', async (id) => {
  expect(await findRefusal(() => infoOf(id))).toBe('unknown_stop');
});

test('lists on-demand service of a stop, and of a zone around it', async () => {
  const flexible = await openWorld({ at: flexFeed });
  const listLines = (id: string) => getStopInfo(flexible.timetable, id).lines.map(({ label }) => label);
  expect(listLines('at:m')).toEqual(['Nachtruf', 'Ruf Dorf']);
  expect(listLines('at:c')).toEqual(['AST 9', 'Ruf Mitte', 'Ruf Ost', 'Ruf Tür', 'S1']);
  // AST 9 also calls at fixed times; boards do not list the others, so pages do not offer them as filters.
  const { lines } = getStopInfo(flexible.timetable, 'at:c', 'scheduled');
  expect(lines.map(({ label }) => label)).toEqual(['AST 9', 'S1']);
});
