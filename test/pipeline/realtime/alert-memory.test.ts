import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AlertReport } from '../../../pipeline/model/realtime.ts';
import type { PublishedAlert } from '../../../pipeline/snapshots/realtime-contract.ts';
import { clock, type LiveLine, openLiveLine, type Speaker } from './live-line.ts';
import { alertReport, stopName } from './matching/matching-world.ts';

let line: LiveLine;
beforeEach(async () => {
  line = await openLiveLine(['one', 'two']);
});

function report(at: string, alerts: readonly Partial<AlertReport>[], by: Speaker & { scope?: 'mentioned' } = {}) {
  const { scope, ...speaker } = by;
  line.report(at, { alerts: alerts.map(alertReport), ...(scope ? { scope } : {}) }, speaker);
}

function list(at: string): PublishedAlert[] {
  const { json } = line.build(at).alerts;
  return Array.from({ length: json.length }, (_, row) => JSON.parse(json.get(row)) as PublishedAlert);
}

const ids = (at: string) => list(at).map(({ id }) => id);
const toLine = (label: string) => ({ label, routeId: null, agencyId: null, operatorName: null, region: null });

describe('alerts are published', () => {
  it.each<[reason: string, windows: AlertReport['activeWindows'], isThere: boolean]>([
    ['without a period: always', [], true],
    ['with an open end', [{ from: clock('07:00'), to: null }], true],
    ['in the future', [{ from: clock('10:00'), to: clock('11:00') }], true],
    ['ending in this second', [{ from: null, to: clock('08:00') }], true],
    ['expired', [{ from: null, to: clock('07:59') }], false],
    [
      'with two periods of which one has expired',
      [
        { from: null, to: clock('07:00') },
        { from: clock('09:00'), to: null },
      ],
      true,
    ],
    [
      'with two expired periods',
      [
        { from: null, to: clock('07:00') },
        { from: null, to: clock('07:30') },
      ],
      false,
    ],
  ])('%s', (_reason, activeWindows, isThere) => {
    report('06:00', [{ activeWindows }]);
    expect(list('08:00')).toHaveLength(isThere ? 1 : 0);
  });

  it('a complete response replaces the alerts of its part, a differential one those that it names', () => {
    report(
      '08:00',
      [
        { id: 'a', title: 'A' },
        { id: 'b', title: 'B' },
      ],
      { part: 'news' },
    );
    report('08:01', [{ id: 'c', title: 'C' }], { part: 'works' });
    expect(ids('08:01')).toEqual(['one:a', 'one:b', 'one:c']);
    report(
      '08:02',
      [
        { id: 'b', title: 'B again' },
        { id: 'd', title: 'D' },
      ],
      { part: 'news', scope: 'mentioned' },
    );
    expect(list('08:02').map(({ title }) => title)).toEqual(['A', 'B again', 'C', 'D']);
    line.report('08:03', { scope: 'mentioned', deletedIds: ['a'] }, { part: 'news' });
    expect(ids('08:03')).toEqual(['one:b', 'one:c', 'one:d']);
    report('08:04', [], { part: 'news' });
    expect(ids('08:04')).toEqual(['one:c']);
  });

  it('most urgent first, then by id', () => {
    report('08:00', [
      { id: 'c', title: 'C', priority: 10 },
      { id: 'b', title: 'B', priority: 50 },
      { id: 'a', title: 'A', priority: 50 },
    ]);
    expect(ids('08:00')).toEqual(['one:c', 'one:a', 'one:b']);
  });

  it('with their entries in the timetable', () => {
    report('08:00', [{ lines: [toLine('1')], stops: [stopName('c'), stopName(null, 'gtfs', { name: 'Irgendwo' })] }]);
    const [alert] = list('08:00');
    expect(alert).toMatchObject({ lines: [{ label: '1' }], stopNames: ['Kirche', 'Irgendwo'] });
    expect(alert!.entities).toEqual([
      { routes: [expect.any(Number)], directionId: null, stops: [expect.any(Number)], trips: null },
    ]);
  });
});

it('platforms that have numbers alone are found by the register of their publisher', () => {
  const platform = (id: string, row: object) => ({
    ...{ place: `row ${id}`, idSpace: 'rbl' as const, id, name: null, lat: null, lon: null },
    ...{ parentStation: null, platformCode: null, ...row },
  });
  const namesOf = (at: string) => list(at).map(({ stopNames, entities }) => [stopNames, entities[0]?.stops?.length]);
  const notice = { stops: [stopName('4711', 'rbl')] };
  report('08:00', [notice], { part: 'traffic-info' });
  expect(namesOf('08:00')).toEqual([[[], 0]]);
  line.report('08:01', { stops: [platform('4711', { name: 'Kirche', lat: 48, lon: 16.02 })] }, { part: 'stop-points' });
  report('08:02', [notice], { part: 'traffic-info' });
  expect(namesOf('08:02')).toEqual([[['Kirche'], 1]]);
  // Its own name of the place, and another platform.
  report('08:03', [{ stops: [stopName('4711', 'rbl', { name: 'Kirche' }), stopName('1', 'rbl')] }], {
    part: 'traffic-info',
  });
  expect(namesOf('08:03')).toEqual([[['Kirche'], 1]]);
});

describe('several responses', () => {
  it('use the newest text of an id', () => {
    report('08:01', [{ id: 'x', title: 'Neu' }], { part: 'b' });
    report('08:00', [{ id: 'x', title: 'Alt' }], { part: 'a' });
    expect(list('08:01').map(({ id, title }) => [id, title])).toEqual([['one:x', 'Neu']]);
    report('08:02', [{ id: 'x', title: 'Neu' }], { part: 'a' });
    expect(list('08:02')).toHaveLength(1);
  });

  it('give the same alerts in any order', async () => {
    const alerts = fc.array(
      fc.record({
        source: fc.constantFrom('one', 'two'),
        part: fc.constantFrom('a', 'b', 'c'),
        id: fc.constantFrom('x', 'y', 'z'),
        lines: fc.subarray(['1', '9']).map((labels) => labels.map(toLine)),
        priority: fc.constantFrom(10, 50),
      }),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(alerts, fc.func(fc.integer()), async (all, chance) => {
        const reported = [...new Map(all.map((one) => [`${one.source} ${one.part}`, one])).values()];
        const shuffled = [...reported].sort((a, b) => chance(a.source, a.part) - chance(b.source, b.part));
        const [expected, ...others] = await Promise.all(
          [reported, shuffled].map(async (order) => {
            line = await openLiveLine(['one', 'two']);
            for (const { source, part, ...alert } of order) report('08:00', [alert], { source, part });
            return list('08:00');
          }),
        );
        for (const other of others) expect(other).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });
});
