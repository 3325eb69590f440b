import { describe, expect, it } from 'vitest';
import { distanceMeters } from '../../../../pipeline/model/geo.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { listSampleDirections } from '../../../../pipeline/sample/feed/sample-trips.ts';
import { buildSampleStops } from '../../../../pipeline/sample/feed/stops-table.ts';
import { openTrackPaths } from '../../../../pipeline/sample/feed/track-paths.ts';

const lookups = await readSampleLookups();
const findWaypoints = openTrackPaths(lookups.lines);
const placeNamed = (name: string) => lookups.places.find((place) => place.name === name)!;
const nameOf = new Map(lookups.places.map(({ id, name }) => [id, name]));
const passed = (lineId: string, from: string, to: string) => {
  const line = lookups.lines.find(({ id }) => id === lineId)!;
  return findWaypoints(line, placeNamed(from), placeNamed(to)).map(({ id }) => nameOf.get(id) ?? id);
};

describe('a long-distance train', () => {
  it('leaves the city past the stations of local trains', () => {
    const way = passed('rjx-west', 'Wien Meidling', 'St. Pölten Hbf');
    expect(way).toContain('Tullnerfeld');
    expect(passed('rjx-west', 'St. Pölten Hbf', 'Wien Meidling')).toEqual(way.toReversed());
  });

  it('takes no detour where there are no other trains', () => {
    expect(passed('ic-graz-villach', 'Graz Hbf', 'Klagenfurt Hbf')).toEqual([]);
  });
});

it('trains to Krems follow the railway past Tulln, in both directions', () => {
  const way = passed('rex-krems', 'Wien Heiligenstadt', 'Krems a.d. Donau');
  expect(way).toHaveLength(10);
  expect(way[5]).toBe('railway Tulln');
  expect(passed('rex-krems', 'Krems a.d. Donau', 'Wien Heiligenstadt')).toEqual(way.toReversed());
});

it('ships follow the river, trams go straight', () => {
  const [first, ...others] = passed('donau', 'Wien Reichsbrücke Schiffstation', 'Dürnstein Schiffstation');
  expect(first).toBe('danube 16.355');
  expect(others).toHaveLength(4);
  expect(passed('wien-1', 'Stefan-Fadinger-Platz', 'Karlsplatz')).toEqual([]);
});

describe('shapes', () => {
  const directions = listSampleDirections(lookups, buildSampleStops(lookups), 1);

  it('pass each platform of their calls', () => {
    for (const { shape, boardingPlaces } of directions) {
      const points = shape.callPoints.map((point) => shape.points[point]!);
      expect(points.map(({ lat, lon }) => [lat, lon])).toEqual(boardingPlaces.map(({ lat, lon }) => [lat, lon]));
    }
  });

  it('are the same in both directions, up to the distance of platforms', () => {
    const pairs = directions.filter(({ direction }) => direction === 1);
    expect(pairs.length).toBeGreaterThan(70);
    for (const { line, shape } of pairs) {
      const there = directions.find((one) => one.line === line && one.direction === 0)!.shape.points;
      const back = shape.points.toReversed();
      expect(back.length, line.id).toBe(there.length);
      const apart = there.map(({ lat, lon }, i) => distanceMeters(lat, lon, back[i]!.lat, back[i]!.lon));
      expect(Math.max(...apart), line.id).toBeLessThan(100);
    }
  });

  it('bend by at most 1.5 km', () => {
    const longest = directions.flatMap(({ line, shape }) =>
      shape.points.slice(1).map((point, i) => ({ line: line.id, meters: point.meters - shape.points[i]!.meters })),
    );
    // Straight parts of half an hour by train, which are hardly longer than a third of the longest leg.
    expect(longest.filter(({ meters }) => meters > 50_000)).toEqual([]);
  });
});

it('no two places of a city share a name', () => {
  const names = lookups.places.map(({ id, name }) => `${name} ${id.split(':').slice(0, 2).join(':')}`);
  const twice = names.filter((name, i) => names.indexOf(name) !== i);
  expect(twice).toEqual([]);
});
