import { stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readParkAndRide } from '../../../pipeline/streets/read-park-and-ride.ts';
import { writeOsmPbf } from '../../support/worlds/osm-pbf.ts';
import { makeFolder } from './made-up-town.ts';

let file: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  const made = await makeFolder();
  file = path.join(made.folder, 'town.osm.pbf');
  remove = made.remove;
});
afterEach(() => remove());

const parking = { amenity: 'parking', park_ride: 'yes' };
const read = () => readParkAndRide(file, new AbortController().signal);

/** Squares of 0.002° around a middle: four nodes each. */
const square = (id: number, lat: number, lon: number) =>
  [
    [-1, -1],
    [-1, 1],
    [1, 1],
    [1, -1],
  ].map(([north, east], i) => ({ id: id + i, lat: lat + north! * 0.001, lon: lon + east! * 0.001, tags: {} }));

async function write(isCompact: boolean): Promise<void> {
  const nodes = [
    { id: 1, lat: 47.1, lon: 13.1, tags: parking },
    { id: 2, lat: 47.2, lon: 13.1, tags: { ...parking, park_ride: 'no' } },
    { id: 3, lat: 47.3, lon: 13.1, tags: { amenity: 'parking' } },
    { id: 4, lat: 47.4, lon: 13.1, tags: { park_ride: 'yes' } },
    ...square(10, 47.5, 13.5),
    ...square(20, 47.6, 13.6),
    ...square(30, 47.7, 13.7),
  ];
  const ring = (id: number) => [id, id + 1, id + 2, id + 3, id];
  await writeOsmPbf(
    file,
    nodes,
    [
      { id: 1, nodes: ring(10), tags: { ...parking, park_ride: 'train' } },
      { id: 2, nodes: ring(20), tags: {} },
      { id: 3, nodes: ring(30), tags: { amenity: 'parking' } },
      // Its nodes are not in the extract.
      { id: 4, nodes: ring(90), tags: parking },
    ],
    { relations: [{ id: 1, ways: [2], tags: { type: 'multipolygon', ...parking } }], isCompact },
  );
}

it.each([false, true])('finds points, areas and multipolygons, compact: %s', async (isCompact) => {
  await write(isCompact);
  const found = await read();
  expect(found.map(({ lat, lon }) => [lat.toFixed(4), lon.toFixed(4)])).toEqual([
    ['47.1000', '13.1000'],
    ['47.5000', '13.5000'],
    ['47.6000', '13.6000'],
  ]);
});

/** Corners 1 to 4 of an area that is 0.001° high, and 0.004° long in the south. */
const corners = [
  [47, 13],
  [47, 13.004],
  [47.001, 13.003],
  [47.001, 13],
].map(([lat, lon], i) => ({ id: i + 1, lat: lat!, lon: lon!, tags: {} }));

it.each<[outline: string, ways: readonly (readonly number[] | null)[]]>([
  [
    'ways that run in different directions',
    [
      [1, 2, 3],
      [1, 4, 3],
    ],
  ],
  [
    'ways out of order',
    [
      [4, 1],
      [2, 3],
      [1, 2],
      [3, 4],
    ],
  ],
  ['a way and one that the extract lacks', [[1, 2, 3, 4, 1], null]],
])('places a multipolygon of %s in its middle', async (_outline, nodesOfWays) => {
  const ways = nodesOfWays.flatMap((nodes, i) => (nodes ? [{ id: i + 1, nodes, tags: {} }] : []));
  const members = nodesOfWays.map((_, i) => i + 1);
  const relation = { id: 1, ways: members, tags: { type: 'multipolygon', ...parking } };
  await writeOsmPbf(file, corners, ways, { relations: [relation], isCompact: true });
  expect(await read()).toEqual([{ lat: 47.0005, lon: 13.002 }]);
});

it('refuses a truncated extract', async () => {
  await write(true);
  await truncate(file, (await stat(file)).size - 10);
  await expect(read()).rejects.toMatchObject({ code: 'pbf_unreadable' });
});
