import { describe, expect, test } from 'vitest';
import { shortName } from '../../../../pipeline/network-maps/drawing/draw-map.ts';
import { breakName, placeLabels } from '../../../../pipeline/network-maps/drawing/place-labels.ts';
import { textWidth } from '../../../../pipeline/network-maps/drawing/text-width.ts';

describe('names of stations', () => {
  test.each([
    ['Hauptplatz', null],
    ['Burggasse-Stadthalle', ['Burggasse-', 'Stadthalle']],
    ['Josefstädter Straße', ['Josefstädter', 'Straße']],
    ['Toruńska - Filmowa hala', ['Toruńska -', 'Filmowa hala']],
    ['Donaudampfschifffahrtsgesellschaft', null],
  ])('break at allowed positions: %s', (name, lines) => {
    expect(breakName(name)).toEqual(lines);
  });

  test.each([
    ['Wien Praterstern', 'Wien', 'Praterstern'],
    ['Wien, Oper', 'Wien', 'Oper'],
    ['Wien Hbf', 'Wien', 'Wien Hbf'],
    ['Wiener Neustadt', 'Wien', 'Wiener Neustadt'],
    ['Graz  Hbf', 'Wien', 'Graz Hbf'],
  ])('%s is on a map of %s %s', (name, region, expected) => {
    expect(shortName(name, region)).toBe(expected);
  });

  test('have the width of their letters in any script', () => {
    expect(textWidth('W', 10)).toBeGreaterThan(textWidth('i', 10));
    expect(textWidth('ü', 10)).toBe(textWidth('u', 10));
    expect(textWidth('東京', 10)).toBeGreaterThan(20);
  });

  test('are on the same side along a line, and over no line if there is room', () => {
    const requests = [0, 1, 2].map((station) => ({
      station,
      name: `Platz ${station}`,
      isImportant: false,
      badges: [],
      marker: {
        station,
        kind: 'stop' as const,
        points: [{ x: 0, y: station * 40 }],
        center: { x: 0, y: station * 40 },
        reach: 4,
      },
      before: station > 0 ? station - 1 : null,
    }));
    const { labels, overLines, unplaced } = placeLabels(requests, [
      { from: { x: 0, y: 0 }, to: { x: 0, y: 80 }, width: 8 },
    ]);
    expect(labels.map(({ anchor, turn }) => [anchor, turn])).toEqual([
      ['start', 0],
      ['start', 0],
      ['start', 0],
    ]);
    expect([overLines, unplaced]).toEqual([[], []]);
  });
});
