import { describe, expect, test } from 'vitest';
import { namesOf, readNetwork } from './town-plan.ts';

describe('the network of a map', () => {
  test.each([
    ['all paths of a line with many trips', 'abcd\n   e', { 1: 'abcd 10, abce 5' }, ['abcd', 'abce']],
    ['no path with hardly any trips', 'abcd\n   e', { 1: 'abcd 100, abce 1' }, ['abcd']],
    ['the only path of a line with few trips', 'abc\nd', { 1: 'abc 100', 2: 'da 1' }, ['abc', 'da']],
    ['both directions once', 'abc', { 1: 'abc 2' }, ['abc']],
  ])('is %s', (_, plan, ways, expected) => {
    const network = readNetwork(plan, ways as Record<string, string>);
    expect(network.runs.map(({ stations }) => namesOf(network, stations))).toEqual(expected);
  });

  test('draws an express through stations that it passes without calling', () => {
    const network = readNetwork('abcde', { R: 'abcde', IC: 'ace' }, 'train');
    const [, express] = network.runs;
    expect(namesOf(network, express!.stations)).toBe('abcde');
    expect(express!.isStop).toEqual([true, false, true, false, true]);
    expect(network.edges.map(({ lines }) => lines)).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });

  test('keeps a direct path if the stations are too far away', () => {
    const network = readNetwork('a c\n\n b ', { R: 'abc', IC: 'ac' }, 'train');
    expect(network.edges).toHaveLength(3);
  });

  test('counts calls at stations, not passing trains', () => {
    const network = readNetwork('abc', { R: 'abc 2', IC: 'ac 5' }, 'train');
    expect(network.stations.map(({ name, calls }) => [name, calls])).toEqual([
      ['a', 7],
      ['b', 2],
      ['c', 7],
    ]);
  });
});
