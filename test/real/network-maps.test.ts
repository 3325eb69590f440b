import { describe, expect, test } from 'vitest';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import { chooseMaps } from '../../pipeline/network-maps/drawing/choose-maps.ts';
import { drawMap } from '../../pipeline/network-maps/drawing/draw-map.ts';
import { readLines } from '../../pipeline/network-maps/drawing/read-lines.ts';
import { parsePlaces } from '../../pipeline/timetable/snapshot/stop-tables.ts';
import { expectSoundMap } from '../support/oracles/check-map.ts';
import { openWorld } from '../support/worlds/board-world.ts';
import { realData } from '../support/worlds/real-data.ts';

const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9 };

/** The maps of a recorded feed, and what each holds. */
async function drawFeed(feed: string) {
  const { timetable } = await openWorld({ feed: { location: realData(`gtfs/${feed}.zip`) } }, { settings: CITY_SIZE });
  const read = readLines(timetable.tables, () => true);
  const towns = parsePlaces(await readProjectFile('data/lookups/places.csv'));
  return chooseMaps(read, towns, 'de').map((choice) => {
    const notes = { language: 'de', validFrom: timetable.manifest.beginDate, attribution: null } as const;
    return { choice, map: drawMap(choice, read.places, notes) };
  });
}

describe('maps of recorded feeds', () => {
  test.each([
    ['vienna-ubahn', [['wien-metro', 'octilinear', 5, 96]]],
    ['bydgoszcz', [['zdmikp-bydgoszcz-tram', 'octilinear', 10, 72]]],
    [
      'milano-small',
      [
        ['atm-city', 'octilinear', 6, 162],
        ['atm-metro', 'octilinear', 1, 35],
      ],
    ],
    ['caltrain', [['caltrain-rail', 'octilinear', 3, 31]]],
    ['vilnius-2018', []],
    ['tricky/cairns', []],
    // The railways of a continent.
    [
      'tricky/amtrak-2021-10-06',
      [
        ['amtrak-rail', 'octilinear', 2, 500],
        ['amtrak-rail-2', 'octilinear', 1, 12],
      ],
    ],
  ])('%s', async (feed, expected) => {
    const drawn = await drawFeed(feed);
    expect(
      drawn.map(({ choice, map }) => [
        choice.id,
        map.layoutKind,
        map.network.lines.length,
        map.network.stations.length,
      ]),
    ).toEqual(expected);
    for (const { map } of drawn) {
      expectSoundMap(map);
      expect(map.unlabelled).toEqual([]);
    }
  });
});
