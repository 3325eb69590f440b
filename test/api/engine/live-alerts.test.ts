import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DisruptionQuery, listDisruptions } from '../../../api/engine/alerts/disruptions.ts';
import { openRealtime } from '../../../api/engine/read/realtime.ts';
import type { AlertReport, SourceUpdate } from '../../../pipeline/model/realtime.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { findRefusal, instant, openWorld, queryDepartures, type World } from '../../support/worlds/board-world.ts';
import { alertOf, stopOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { lineOf, NOW, window } from './alert-times.ts';
import { at, town, townTrip } from './live-town.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

async function liveWorld(update: Partial<SourceUpdate>, over?: Partial<RealtimeSourceState>): Promise<World> {
  const live = await openLiveWorld(world, ['rt'], over);
  live.report('rt', at('07:58'), update);
  return live.at(at(NOW));
}

// ---- Disruptions -------------------------------------------------------------------------------

async function requestDisruptions(live: World, filters: Partial<DisruptionQuery> = {}) {
  const query = { offset: 0, limit: 50, activeAt: instant(at(NOW)), ...filters };
  const list = listDisruptions(live, query, instant(at(NOW)));
  await expectValidAnswer('DisruptionList', list);
  return list;
}

describe('conditions that are merged or kept separate', () => {
  const at1 = (lines: number[], stops: number[], trips: number[] = []) => ({ lines, stops, trips, directionId: null });
  const alerts = [
    alertOf('apart', {
      lines: [lineOf({ routeId: 'r1' }), lineOf({ routeId: 'r2' }), lineOf({ label: '99' })],
      stops: [stopOf('a'), stopOf('s2')],
      entities: [at1([0], [0]), at1([1], [1]), at1([2], [1])],
    }),
    alertOf('trip', {
      lines: [lineOf({ routeId: 'r1' })],
      stops: [stopOf('s1')],
      trips: [townTrip('t1')],
      entities: [at1([], [0], [0])],
    }),
    alertOf('agency', { lines: [lineOf({ agencyId: 'w' })] }),
  ];

  test.each<[Partial<DisruptionQuery>, string[]]>([
    [{ line: '1' }, ['apart', 'trip']],
    [{ line: '1', stopId: 'at:a' }, ['apart']],
    [{ line: '2', stopId: 'at:a' }, []],
    [{ line: '2', stopId: 'at:s2' }, ['apart']],
    [{ line: '99', stopId: 'at:s2' }, ['apart']],
    [{ line: '99', stopId: 'at:a' }, []],
    [{ line: '1', stopId: 'at:s1' }, ['trip']],
    [{ line: '2', stopId: 'at:s1' }, []],
    [{ operator: 'wiesenbus' }, ['agency']],
  ])('lists disruptions of %j', async (filters, expected) => {
    const { disruptions } = await requestDisruptions(await liveWorld({ alerts }), filters);
    expect(disruptions.map(({ title }) => title.slice(6)).sort()).toEqual(expected);
  });

  test('an alert for a trip at a stop concerns only that stop, one for an agency all of its departures', async () => {
    const live = await liveWorld({ alerts });
    const titlesAt = async (stop: string, now: string) => {
      const { departures } = await queryDepartures(live, `at:${stop}`, { now: at(now), durationMinutes: 60 });
      return departures.map(({ line, notices }) => [line.label, ...notices.map(({ title }) => title.slice(6))]);
    };
    expect(await titlesAt('a', NOW)).toEqual([
      ['1', 'apart'],
      ['1', 'apart'],
    ]);
    expect(await titlesAt('s1', NOW)).toEqual([['1', 'trip'], ['1']]);
    expect(await titlesAt('a', '23:30')).toEqual([['N', 'agency']]);
    const { disruptions } = await requestDisruptions(live);
    expect(disruptions.find(({ title }) => title === 'Title agency')!.operator).toBe('Wiesenbus');
    const { departures } = await queryDepartures(live, 'at:a', { now: at('23:30') });
    expect(departures[0]!.notices[0]!.operatorName).toBe('Wiesenbus');
  });
});

describe('disruptions', () => {
  const alerts = [
    alertOf('line 1', { lines: [lineOf({ label: '1' })], kind: 'construction' }),
    alertOf('line 99', { lines: [lineOf({ label: '99', operatorName: 'Bergbahn' })], category: 'Stau' }),
    alertOf('operator', { lines: [lineOf({ agencyId: 'w' })], operatorName: 'WIESENBUS' }),
    alertOf('station', { stops: [stopOf('s')] }),
    alertOf('platform', { stops: [stopOf('s2')] }),
    alertOf('stop', { stops: [stopOf('k')], activeWindows: [window('09:00', '10:00')] }),
    alertOf('pinned', { pin: { lat: 47, lon: 15 }, activeWindows: [window('07:00', '08:00')] }),
    alertOf('unknown', { stops: [stopOf('gone', 'Weg')], kind: 'allClear' }),
  ];
  const near = (lat: number, lon: number, radiusMeters: number) => ({ near: { lat, lon, radiusMeters } });

  test.each<[string, Partial<DisruptionQuery>, string[]]>([
    ['all that are active now', {}, ['line 1', 'line 99', 'operator', 'pinned', 'platform', 'station', 'unknown']],
    [
      'at another time',
      { activeAt: instant(at('09:30')) },
      ['line 1', 'line 99', 'operator', 'platform', 'station', 'stop', 'unknown'],
    ],
    ['of a line', { line: '1' }, ['line 1']],
    ['of an unknown line', { line: '99' }, ['line 99']],
    ['of a line of an operator, if all of its lines are meant', { line: 'N' }, ['operator']],
    ['of part of a line', { line: '9' }, []],
    ['of a station, including its platforms', { stopId: 'at:s' }, ['platform', 'station']],
    ['of a platform, including its station', { stopId: 'at:s2' }, ['platform', 'station']],
    ['of another platform', { stopId: 'at:s1' }, ['station']],
    ['of a stop, while active', { stopId: 'at:k', activeAt: instant(at('09:00')) }, ['stop']],
    ['of a stop, while inactive', { stopId: 'at:k' }, []],
    ['of an operator, ignoring case', { operator: 'wiesenbus' }, ['operator']],
    ['of the operator of a line', { operator: 'Verkehr' }, ['line 1']],
    ['of the operator of an unknown line', { operator: 'bergbahn' }, ['line 99']],
    ['of a category, as the publisher names it', { category: 'stau' }, ['line 99']],
    ['of a kind', { category: 'construction' }, ['line 1']],
    ['of another kind', { category: 'emergency' }, []],
    ['around a stop', near(48.04, 16.04, 1), ['platform', 'station']],
    ['around a pin', near(47.0089, 15, 1000), ['pinned']],
    ['just outside its radius', near(47.0091, 15, 1000), []],
    ['with all filters at once', { stopId: 'at:s2', ...near(48.04, 16.04, 50), line: '1' }, []],
  ])('%s', async (_what, filters, expected) => {
    const { disruptions, total, nextOffset } = await requestDisruptions(await liveWorld({ alerts }), filters);
    expect(disruptions.map(({ id }) => id.replace('rt:', ''))).toEqual(expected);
    expect([total, nextOffset]).toEqual([expected.length, undefined]);
  });

  test('rejects an unknown stop and names it', async () => {
    const live = await liveWorld({ alerts });
    expect(await findRefusal(() => requestDisruptions(live, { stopId: 'at:gone' }))).toBe('unknown_stop stopId');
  });

  test('without realtime there are none, and only Vienna is covered', async () => {
    expect(await requestDisruptions(world)).toEqual({
      generatedAt: '2026-03-03T08:00:00+01:00',
      coverage: 'vienna_only',
      total: 0,
      disruptions: [],
    });
  });

  test.each<[string, Partial<RealtimeSourceState>, string]>([
    ['a source for the whole country', { isNationwide: true }, 'nationwide'],
    ['a source for a region', { isNationwide: false }, 'vienna_only'],
    [
      'a source for the whole country without disruptions',
      { isNationwide: true, provides: ['departures'] },
      'vienna_only',
    ],
    ['a paused source', { isNationwide: true, isStandby: true }, 'vienna_only'],
    ['a stale source', { isNationwide: true, maxAgeSeconds: 119 }, 'vienna_only'],
    ['a source that is about to become stale', { isNationwide: true, maxAgeSeconds: 120 }, 'nationwide'],
  ])('reports the coverage of live sources: %s', async (_what, over, expected) => {
    expect((await requestDisruptions(await liveWorld({ alerts }, over))).coverage).toBe(expected);
  });

  test('pages neither repeat nor skip, and report where the next one starts', async () => {
    const priorities = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(priorities, fc.integer({ min: 1, max: 5 }), async (all, limit) => {
        const live = await liveWorld({ alerts: all.map((priority, i) => alertOf(`${(i * 7) % 12}`, { priority })) });
        const whole = await requestDisruptions(live, { limit: 200 });
        expect(whole.total).toBe(all.length);
        const keys = whole.disruptions.map(({ priority, id }) => `${priority} ${id}`);
        expect(keys).toEqual([...keys].sort());
        const ids: string[] = [];
        for (let offset: number | undefined = 0; offset !== undefined; ) {
          const page = await requestDisruptions(live, { limit, offset });
          expect(page.total).toBe(all.length);
          ids.push(...page.disruptions.map(({ id }) => id));
          offset = page.nextOffset;
        }
        expect(ids).toEqual(whole.disruptions.map(({ id }) => id));
        expect((await requestDisruptions(live, { offset: all.length + 3 })).disruptions).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a disruption', () => {
  const only = async (alert: Partial<AlertReport>) =>
    (await requestDisruptions(await liveWorld({ alerts: [alertOf('x', alert)] }))).disruptions[0]!;

  test('contains everything that its publisher sent', async () => {
    const disruption = await only({
      kind: 'construction',
      category: 'Umbau',
      priority: 3,
      operatorName: 'Verkehr',
      isAccess: true,
      activeWindows: [window('07:00', '09:00'), window('10:00', null)],
      lines: [lineOf({ label: '1', region: 'Wien' })],
      stops: [stopOf('s2'), stopOf('gone', 'Weg')],
      links: [{ title: 'Mehr', url: 'https://example.org/mehr' }],
      pin: { lat: 48.123456789, lon: 16 },
    });
    expect(disruption).toEqual({
      id: 'rt:x',
      title: 'Title x',
      text: 'Text x',
      priority: 3,
      operator: 'Verkehr',
      category: 'Umbau',
      access: true,
      // Its second period starts at seven and has no end.
      activeFrom: '2026-03-03T07:00:00+01:00',
      activeWindows: [{ from: '2026-03-03T07:00:00+01:00', to: '2026-03-03T09:00:00+01:00' }],
      affectedLines: ['1'],
      lines: [{ label: '1', operatorName: 'Verkehr', region: 'Wien' }],
      affectedStops: ['Bahnhof', 'Weg'],
      affectedStopIds: ['at:s2'],
      links: [{ title: 'Mehr', url: 'https://example.org/mehr' }],
      pin: { lat: 48.123457, lon: 16 },
    });
  });

  test('has few members if it contains little', async () => {
    expect(await only({})).toEqual({
      id: 'rt:x',
      title: 'Title x',
      text: 'Text x',
      priority: 50,
      category: 'information',
      affectedLines: [],
      lines: [],
      affectedStops: [],
      affectedStopIds: [],
    });
  });

  test.each<[string, Partial<AlertReport>, unknown]>([
    ['the only place it concerns', { stops: [stopOf('k')] }, { lat: 48.02, lon: 16.02 }],
    ['the station of its platforms', { stops: [stopOf('s1'), stopOf('s2')] }, { lat: 48.04, lon: 16.04 }],
    ['none for several', { stops: [stopOf('s1'), stopOf('k')] }, undefined],
    ['none for a line', { lines: [lineOf({ label: '1' })] }, undefined],
    ['the one that its publisher names', { stops: [stopOf('k')], pin: { lat: 1, lon: 2 } }, { lat: 1, lon: 2 }],
  ])('has a position: %s', async (_what, alert, expected) => {
    expect((await only(alert)).pin).toEqual(expected);
  });

  test('has only web links, spelled as the contract requires', async () => {
    const urls = [
      'https://example.org/a b',
      'https://example.org/ä?q=[1]|2#%',
      'ftp://example.org',
      'www.example.org',
      '',
    ];
    const { links } = await only({ links: urls.map((url) => ({ title: 'Mehr', url })) });
    expect(links?.map(({ url }) => url)).toEqual([
      'https://example.org/a%20b',
      'https://example.org/%C3%A4?q=%5B1%5D%7C2#%25',
    ]);
  });
});

test('alerts that have not changed are not read again', async () => {
  const live = await liveWorld({ alerts: [alertOf('x', { lines: [lineOf({ label: '1' })] })] });
  const again = openRealtime(live.realtime!, live.realtime);
  expect(again.alertIndex.alerts[0]).toBe(live.realtime!.alertIndex.alerts[0]);
});
