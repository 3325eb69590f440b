import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FootpathRequest } from '../../api/contract/definitions.ts';
import { findFootpath } from '../../api/engine/footpath.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { buildStreets } from '../../pipeline/streets/build-streets.ts';
import { openWalkRouter } from '../../pipeline/streets/open-walk-router.ts';
import { streetModes } from '../../pipeline/streets/published-streets.ts';
import type { Point, WalkPath, WalkProfile, WalkRouter } from '../../pipeline/streets/walk-router.ts';
import { crowMeters } from '../../pipeline/streets/walk-router.ts';
import { expectValidAnswer } from '../support/checks/contract-validator.ts';
import { realData } from '../support/worlds/real-data.ts';

let dataDir: string;
let walks: WalkRouter;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-streets-'));
  const pbf = realData('osm/liechtenstein.osm.pbf');
  const begin = performance.now();
  const signal = new AbortController().signal;
  const { manifest } = await buildStreets(
    { pbf, dataDir, modes: streetModes, signal },
    { clock: systemClock, log: silentLog },
  );
  report(`built in ${(performance.now() - begin).toFixed(0)} ms: ${manifest.tiles.bytes} bytes`);
  walks = (await openWalkRouter(dataDir))!;
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const report = (line: string) => process.stdout.write(`streets of Liechtenstein: ${line}\n`);

const places = {
  vaduzPost: { lat: 47.13905, lon: 9.5208 },
  schloss: { lat: 47.13955, lon: 9.5243 },
  schaanBahnhof: { lat: 47.1687, lon: 9.5083 },
  schaanLinden: { lat: 47.16505, lon: 9.5093 },
  balzersPost: { lat: 47.068, lon: 9.503 },
  burgGutenberg: { lat: 47.0653, lon: 9.4995 },
  triesenPost: { lat: 47.1073, lon: 9.5283 },
  malbun: { lat: 47.102, lon: 9.61 },
} as const satisfies Readonly<Record<string, Point>>;
type Place = keyof typeof places;

describe('known walks', () => {
  // Approximate metres, measured on a map.
  const known: readonly [from: Place, to: Place, least: number, most: number][] = [
    ['vaduzPost', 'schloss', 900, 2100],
    ['schaanBahnhof', 'schaanLinden', 500, 800],
    ['balzersPost', 'burgGutenberg', 400, 700],
    ['vaduzPost', 'triesenPost', 3600, 4200],
    ['vaduzPost', 'malbun', 10_000, 16_000],
  ];
  test.each(known)('%s to %s', async (from, to, least, most) => {
    for (const profile of ['foot', 'wheelchair'] as const) {
      const requested: FootpathRequest = { from: places[from], to: places[to], profile, language: 'de' };
      const footpath = await findFootpath(walks, requested);
      await expectValidAnswer('Footpath', footpath);
      expect(footpath.distanceMeters).toBeGreaterThan(least);
      expect(footpath.distanceMeters).toBeLessThan(most);
      expect(footpath.polyline[0]).toEqual(places[from]);
      expect(footpath.polyline.at(-1)).toEqual(places[to]);
      expect(footpath.steps.length).toBeGreaterThan(2);
    }
  });

  test('have instructions in both languages', async () => {
    const query = async (language: 'de' | 'en') =>
      (await walks.findPath(places.schaanBahnhof, places.schaanLinden, 'foot', language))!.steps;
    const [de, en] = [await query('de'), await query('en')];
    expect(de.map(({ maneuver, from, to }) => [maneuver, from, to])).toEqual(
      en.map(({ maneuver, from, to }) => [maneuver, from, to]),
    );
    expect(de.map(({ instruction }) => instruction)).toContain('Links auf Zollstrasse abbiegen.');
    expect(en.map(({ instruction }) => instruction)).toContain('Turn left onto Zollstrasse.');
  });
});

describe('walks between random places on streets', () => {
  let pairs: readonly (readonly [Point, Point])[];
  beforeAll(async () => {
    pairs = pairUp(await findStreetPoints());
  });

  test.each<WalkProfile>(['foot', 'wheelchair'])(
    'have the same length as a matrix entry and as a walk, %s',
    async (profile) => {
      let found = 0;
      for (const [from, to] of pairs.slice(0, 300)) {
        const path = await walks.findPath(from, to, profile, 'de');
        const [there] = await walks.measure(from, [to], profile, 5000);
        const [back] = await walks.measure(to, [from], profile, 5000);
        if (path === null || path.distanceMeters > 4900) continue;
        found += 1;
        expectPlausible(path, from, to);
        // A way of the same cost may be a little longer.
        for (const measured of [there, back]) {
          expect(Math.abs(measured! - path.distanceMeters)).toBeLessThan(5 + path.distanceMeters * 0.05);
        }
      }
      expect(found).toBeGreaterThan(200);
    },
  );

  test('are computed in the expected time', async () => {
    const near = pairs.filter(([from, to]) => crowMeters(from, to) < 1000).slice(0, 300);
    await time('ways of up to 1 km', near, ([from, to]) => walks.findPath(from, to, 'foot', 'de'));
    const all = pairs.map(([from]) => from);
    const crowds = all.slice(0, 100).map((from) => {
      return [from, all.filter((to) => crowMeters(from, to) < 1500).slice(0, 100)] as const;
    });
    await time('measured to 100 places within 1.5 km', crowds, ([from, to]) => walks.measure(from, to, 'foot', 1500));
  });
});

function expectPlausible(path: WalkPath, from: Point, to: Point): void {
  expect(path.distanceMeters).toBeGreaterThanOrEqual(Math.floor(crowMeters(from, to)));
  const drawn = path.points.slice(1).reduce((sum, point, i) => sum + crowMeters(path.points[i]!, point), 0);
  // A straight way is counted longer than it is drawn; the engine counts whole metres of each street.
  if (path.steps[0]!.maneuver !== 'straightLine') {
    expect(Math.abs(drawn - path.distanceMeters)).toBeLessThan(10 + path.distanceMeters * 0.02);
  }
  for (const { instruction } of path.steps) expect(instruction).toMatch(/^[A-ZÄÖÜ].*[.]$/);
}

/** Points of long ways through the country: each lies on a street. */
async function findStreetPoints(): Promise<Point[]> {
  const ends = Object.values(places);
  const points: Point[] = [];
  for (const from of ends) {
    for (const to of ends) {
      const path = from === to ? null : await walks.findPath(from, to, 'foot', 'de');
      points.push(...(path?.points ?? []));
    }
  }
  return points;
}

/** The same pairs each time, less than 3 km apart. */
function pairUp(points: readonly Point[]): (readonly [Point, Point])[] {
  let seed = 1;
  const draw = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return points[seed % points.length]!;
  };
  return Array.from({ length: 20_000 }, () => [draw(), draw()] as const).filter(
    ([from, to]) => crowMeters(from, to) < 3000,
  );
}

async function time<Case>(what: string, cases: readonly Case[], task: (one: Case) => Promise<unknown>): Promise<void> {
  const milliseconds: number[] = [];
  for (const one of cases) {
    const begin = performance.now();
    await task(one);
    milliseconds.push(performance.now() - begin);
  }
  milliseconds.sort((a, b) => a - b);
  const at = (share: number) => milliseconds[Math.floor((milliseconds.length - 1) * share)]!.toFixed(1);
  report(`${what}: ${cases.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  expect(cases.length).toBeGreaterThan(50);
}
