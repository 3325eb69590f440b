import { beforeAll, describe, expect, test } from 'vitest';
import type { LonLat, MapSection } from '../../../../api/contract/site-map.ts';
import { cutWay, simplifyWay } from '../../../../api/engine/network/simplify-way.ts';
import { openWorld, type World } from '../../../support/worlds/board-world.ts';
import { town } from '../../engine/live-town.ts';
import { openService } from '../../service-app.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

async function getSection(query: string): Promise<MapSection> {
  const app = await openService(world);
  const answer = await app.inject({ url: `/site/data/map?${query}` });
  expect([query, answer.statusCode]).toEqual([query, 200]);
  return answer.json() as MapSection;
}

const ALL = 'minLat=47.9&minLon=15.9&maxLat=48.2&maxLon=16.2';

describe('the data of the map', () => {
  test('contains more lines and stops of a section at higher zoom', async () => {
    const near = await getSection(`${ALL}&zoom=15`);
    expect(near.lines.map(({ label, product }) => [label, product])).toEqual([
      ['N', 'cityBus'],
      ['1', 'cityBus'],
      ['2', 'tram'],
    ]);
    expect(near.stops.map(({ name }) => name).sort()).toEqual(['Anger', 'Bahnhof', 'Kirche', 'Ziel']);
    expect(near.bounds).toEqual({ south: 48, west: 16, north: 48.05, east: 16.05 });
    const far = await getSection(`${ALL}&zoom=10`);
    expect([far.lines.map(({ label }) => label), far.stops]).toEqual([['2'], []]);
  });

  test('contains only the chosen products, from farther away', async () => {
    const trams = await getSection(`${ALL}&zoom=8&products=tram`);
    expect(trams.lines.map(({ label }) => label)).toEqual(['2']);
    const near = await getSection(`${ALL}&zoom=15&products=tram`);
    expect(near.stops.map(({ name }) => name).sort()).toEqual(['Anger', 'Bahnhof', 'Kirche', 'Ziel']);
    expect(near.products).toEqual(['tram', 'cityBus']);
    expect((await getSection(`${ALL}&zoom=15&products=ship`)).lines).toEqual([]);
  });

  test('is empty elsewhere', async () => {
    const { lines, stops } = await getSection('minLat=40&minLon=10&maxLat=41&maxLon=11&zoom=15');
    expect([lines, stops]).toEqual([[], []]);
  });

  test.each(['', `${ALL}`, `${ALL}&zoom=21`, `${ALL}&zoom=5&more=1`])('refuses "%s"', async (query) => {
    const app = await openService(world);
    expect((await app.inject({ url: `/site/data/map?${query}` })).statusCode).toBe(400);
  });
});

describe('a path', () => {
  const way: LonLat[] = [
    [0, 0],
    [1, 0.001],
    [2, 0],
    [3, 5],
    [4, 5],
    [5, 0],
    [6, 0],
  ];

  test('keeps its ends and points beyond the tolerance', () => {
    expect(simplifyWay(way, 0.01)).toEqual([
      [0, 0],
      [2, 0],
      [3, 5],
      [4, 5],
      [5, 0],
      [6, 0],
    ]);
    expect(simplifyWay(way, 10)).toEqual([
      [0, 0],
      [6, 0],
    ]);
  });

  test('is clipped to a section', () => {
    const section = { minLat: -1, minLon: -1, maxLat: 1, maxLon: 10 };
    expect(cutWay(way, section).map((part) => part.length)).toEqual([4, 3]);
    expect(cutWay(way, { ...section, minLat: 6, maxLat: 7 })).toEqual([]);
  });
});

test('sharing stations are listed for a section, none without a system', async () => {
  const app = await openService(world);
  const { statusCode, body } = await app.inject({ url: `/site/data/sharing?${ALL}` });
  expect([statusCode, JSON.parse(body)]).toEqual([200, { stations: [], isPartial: false }]);
  expect((await app.inject({ url: '/site/data/sharing?minLat=91' })).statusCode).toBe(400);
});
