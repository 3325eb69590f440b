import { beforeAll, describe, expect, test } from 'vitest';
import type { AlertReport, SourceUpdate } from '../../../pipeline/model/realtime.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import { openWorld, queryArrivals, queryDepartures, type World } from '../../support/worlds/board-world.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { lineOf, NOW, window } from './alert-times.ts';
import { at, DAY, town, townTrip } from './live-town.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

async function liveWorld(update: Partial<SourceUpdate>, over?: Partial<RealtimeSourceState>): Promise<World> {
  const live = await openLiveWorld(world, ['rt'], over);
  live.report('rt', at('07:58'), update);
  return live.at(at(NOW));
}

// ---- Notices -----------------------------------------------------------------------------------

describe('notices of a departure', () => {
  /** Departures of the morning with the alert: `a 1`, the stop and the line. */
  async function findBearers(alert: Partial<AlertReport>): Promise<string[]> {
    const live = await liveWorld({ alerts: [alertOf('x', alert)] });
    const bearers: string[] = [];
    for (const stop of ['a', 's1', 's2', 'k']) {
      const { departures } = await queryDepartures(live, `at:${stop}`, { now: at(NOW), durationMinutes: 20 });
      bearers.push(
        ...departures.filter(({ notices }) => notices.length > 0).map(({ line }) => `${stop} ${line.label}`),
      );
    }
    return bearers;
  }

  test.each<[string, Partial<AlertReport>, string[]]>([
    ['a line, by its label', { lines: [lineOf({ label: '1' })] }, ['a 1', 's1 1']],
    ['a line, by its id', { lines: [lineOf({ routeId: 'r2' })] }, ['s2 2']],
    ['all lines of an operator', { lines: [lineOf({ operatorName: 'Verkehr' })] }, ['a 1', 's1 1', 's2 2']],
    ['a trip', { trips: [townTrip('t1')] }, ['a 1', 's1 1']],
    ['the trip on another day', { trips: [tripOf('t1', { startDate: '2026-03-04' as never })] }, []],
    ['a platform', { stops: [stopOf('s2')] }, ['s2 2']],
    ['a station', { stops: [stopOf('s')] }, ['s1 1', 's2 2']],
    ['a stop', { stops: [stopOf('a')] }, ['a 1']],
    ['a line at a stop', { lines: [lineOf({ label: '1' })], stops: [stopOf('a')] }, ['a 1']],
    ['a line at a stop where it does not call', { lines: [lineOf({ label: '1' })], stops: [stopOf('s2')] }, []],
    [
      'two lines at a station',
      { lines: [lineOf({ label: '1' }), lineOf({ label: '2' })], stops: [stopOf('s')] },
      ['s1 1', 's2 2'],
    ],
    ['an unknown line at a stop', { lines: [lineOf({ label: '13A' })], stops: [stopOf('a')] }, []],
    [
      'a lift of a line at an unknown stop',
      { isAccess: true, lines: [lineOf({ label: '1' })], stops: [stopOf('gone', 'Weg')] },
      [],
    ],
    ['a line at an unknown stop', { lines: [lineOf({ label: '1' })], stops: [stopOf('gone', 'Weg')] }, []],
    [
      'a line at an unknown numeric stop',
      { lines: [lineOf({ label: '1' })], stops: [{ ...stopOf('7', 'Weg'), idSpace: 'rbl' }] },
      ['a 1', 's1 1'],
    ],
    ['nothing specific', {}, []],
  ])('%s', async (_what, alert, expected) => {
    expect(await findBearers(alert)).toEqual(expected);
  });

  test.each<[string, AlertReport['activeWindows'], string[]]>([
    ['always', [], ['a 1', 's1 1']],
    ['open at both ends', [window(null, null)], ['a 1', 's1 1']],
    ['starting at the departure', [window('08:00', null)], ['a 1', 's1 1']],
    ['starting a second after it', [window('08:00:01', null)], ['s1 1']],
    ['ending at the departure', [window(null, '08:12')], ['a 1', 's1 1']],
    ['ending a second before it', [window(null, '08:11:59')], ['a 1']],
    ['between the two departures', [window('08:05', '08:10')], []],
    ['one of several periods', [window('07:00', '07:59'), window('08:11', '08:13')], ['s1 1']],
  ])('apply %s', async (_when, activeWindows, expected) => {
    expect(await findBearers({ lines: [lineOf({ label: '1' })], activeWindows })).toEqual(expected);
  });

  test('use the shown time: a late departure can fall into a period that its schedule misses', async () => {
    const trips = [reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { departure: timeOf(at('08:20')) })] })];
    const alerts = [alertOf('x', { stops: [stopOf('s')], activeWindows: [window('08:16', '09:00')] })];
    const live = await liveWorld({ trips, alerts });
    const { departures } = await queryDepartures(live, 'at:s', { now: at(NOW), durationMinutes: 20 });
    expect(departures.map(({ line, notices }) => `${line.label} ${notices.length}`)).toEqual(['2 0', '1 1']);
  });

  test('apply to arrivals too, and to added trips of their line and stop', async () => {
    const extra = reportOf(tripOf('extra', { startDate: DAY, routeId: 'r2' }), {
      relationship: 'added',
      calls: ['k', 'h'].map((id) =>
        callOf(stopOf(id), { arrival: timeOf(at('08:10')), departure: timeOf(at('08:10')) }),
      ),
    });
    const alerts = [alertOf('line', { lines: [lineOf({ label: '2' })] }), alertOf('stop', { stops: [stopOf('h')] })];
    const live = await liveWorld({ trips: [extra], alerts });
    const { arrivals } = await queryArrivals(live, 'at:h', { now: at(NOW) });
    expect(arrivals.map(({ notices }) => notices.map(({ title }) => title))).toEqual([['Title line', 'Title stop']]);
  });

  test('contain everything that the publisher sent, the most urgent first', async () => {
    const alerts = [
      alertOf('b', { lines: [lineOf({ label: '1' })], priority: 20 }),
      alertOf('a', { lines: [lineOf({ label: '1' })], priority: 20, title: 'A', text: 'a' }),
      alertOf('full', {
        kind: 'construction',
        category: 'umbau',
        priority: 3,
        title: 'Umbau',
        text: 'Die Haltestelle wird verlegt.',
        operatorName: 'Verkehr',
        isAccess: true,
        activeWindows: [window('07:00', '09:00'), window('10:00', '24:30')],
        lines: [lineOf({ label: '1', region: 'Wien' }), lineOf({ label: '99' })],
        stops: [stopOf('a'), stopOf('gone', 'Weg')],
      }),
    ];
    const live = await liveWorld({ alerts });
    const { departures } = await queryDepartures(live, 'at:a', { now: at(NOW), limit: 1 });
    const [first, ...rest] = departures[0]!.notices;
    expect(first).toEqual({
      id: 'rt:full',
      title: 'Umbau',
      text: 'Die Haltestelle wird verlegt.',
      kind: 'construction',
      priority: 3,
      access: true,
      operatorName: 'Verkehr',
      activeFrom: '2026-03-03T07:00:00+01:00',
      activeTo: '2026-03-04T00:30:00+01:00',
      affectedLines: ['1', '99'],
      lines: [{ label: '1', operatorName: 'Verkehr', region: 'Wien' }, { label: '99' }],
      affectedStops: ['Anger', 'Weg'],
    });
    expect(rest.map(({ id }) => id)).toEqual(['rt:a', 'rt:b']);
  });
});
