import { beforeEach, describe, expect, it } from 'vitest';
import { openMatcher } from '../../../pipeline/realtime/matching/open-matcher.ts';
import type { StateTimetable } from '../../../pipeline/realtime/state/realtime-state.ts';
import { REALTIME_FORMAT_VERSION } from '../../../pipeline/snapshots/realtime-contract.ts';
import { writeRealtimeBytes } from '../../../pipeline/snapshots/realtime-files.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import { mergeNothing } from '../../support/worlds/ingest.ts';
import {
  clock,
  DATE,
  DAY,
  describeAdded,
  describeObservation,
  describeTrip,
  type LiveLine,
  lineFeed,
  openLiveLine,
  reported,
  tripRow,
} from './live-line.ts';
import { alertReport, vehicleReport } from './matching/matching-world.ts';

async function openTimetable(feed: string): Promise<StateTimetable> {
  const { timetable } = await openWorld(feed);
  return { tables: timetable.tables, matcher: openMatcher(timetable, { stopLinks: [], metroStations: [] }) };
}

/** Stops, lines and trips that sort before those of the line, so that all rows move. */
const movedFeed = lineFeed
  .replace('a,Anger,', '0,Am Anfang,47.90,16.00,,,\n  a,Anger,')
  .replace('r,v,1,3', '0,v,0,3\n  r,v,1,3')
  .replace('bus,r,daily', 'ante,0,daily,0,\n  bus,r,daily')
  .replace('bus,a,1,08', 'ante,0,1,07:00:00,07:00:00\n  ante,a,2,07:30:00,07:30:00\n  bus,a,1,08');

let line: LiveLine;
beforeEach(async () => {
  line = await openLiveLine();
});

const extra = reported(
  { tripId: 'extra', startDate: DATE, lineLabel: '1' },
  [
    { stop: 'a', times: [null, '08:40'] },
    { stop: 'd', times: ['09:00', null] },
  ],
  { relationship: 'added' },
);
const replacement = reported(
  'late',
  [
    { stop: 'a', times: [null, '09:05'] },
    { stop: 'd', times: ['09:35', null] },
  ],
  {
    relationship: 'replacement',
  },
);

function reportAll(at: string): ReturnType<LiveLine['report']> {
  return line.report(at, {
    trips: [reported('bus', [{ sequence: 2, times: [60, 120] }]), extra, replacement],
    vehicles: [
      vehicleReport({ tripId: 'bus', startDate: DATE }, { id: 'v1', stopSequence: 2 }),
      vehicleReport({ tripId: 'extra' }, { id: 'v2' }),
    ],
    alerts: [alertReport({ lines: [{ label: '1', routeId: null, agencyId: null, operatorName: null, region: null }] })],
  });
}

describe('a timetable in which all rows have moved', () => {
  it('keeps reports: trips, added trips, vehicles and alerts', async () => {
    reportAll('08:00');
    const before = line.build('08:00');
    const next = await openTimetable(movedFeed);
    expect(line.state.useTimetable(next)).toBe(0);
    const after = line.build('08:00');

    const bus = tripRow(next.tables, 'bus');
    expect(bus).not.toBe(tripRow(line.timetable, 'bus'));
    expect(describeTrip(after, next.tables, 'bus')).toBe(describeTrip(before, line.timetable, 'bus'));
    expect(describeTrip(after, next.tables, 'late')).toMatch(/^replaced/);
    expect(describeAdded(after)).toEqual(describeAdded(before));
    const stopsOf = (tables: typeof after, { stops }: typeof next.tables) =>
      [...tables.addedCalls.stop].map((row) => stops.stopId.get(row));
    expect(stopsOf(after, next.tables)).toEqual(stopsOf(before, line.timetable));
    expect([...after.addedTrips.route].map((route) => next.tables.routes.label.get(route))).toEqual(['1', '1']);
    expect([...after.addedTrips.basedOn].filter((row) => row >= 0)).toEqual([tripRow(next.tables, 'late')]);
    expect([after.vehicles.trip[0], after.vehicles.position[0]]).toEqual([bus, 1]);
    expect(after.vehicles.addedTrip[1]).toBeGreaterThanOrEqual(0);
    const [alert] = [JSON.parse(after.alerts.json.get(0))] as [{ entities: { routes: number[] }[] }];
    expect(alert.entities[0]!.routes.map((route) => next.tables.routes.label.get(route))).toEqual(['1']);
  });

  it('emits nothing a second time; confirmed responses are sufficient', async () => {
    reportAll('08:00');
    line.state.useTimetable(await openTimetable(movedFeed));
    expect(line.state.confirm('rt', 'all', clock('08:01'))).toBe(true);
    expect(reportAll('08:02').observations.map(describeObservation)).toEqual([]);
  });

  it('the same timetable twice changes nothing', async () => {
    reportAll('08:00');
    const bytes = () => {
      const manifest = {
        kind: 'realtime',
        formatVersion: REALTIME_FORMAT_VERSION,
        id: '',
        timetableId: '',
        createdAt: '',
        sources: [],
        models: [],
      } as const;
      return writeRealtimeBytes({ manifest, tables: line.build('08:00') });
    };
    const before = bytes();
    expect(line.state.useTimetable(await openTimetable(lineFeed))).toBe(0);
    expect(line.state.useTimetable(await openTimetable(lineFeed))).toBe(0);
    expect(Buffer.compare(bytes(), before)).toBe(0);
  });
});

describe('a changed trip is dropped, and reported again by the next response', () => {
  it.each<[reason: string, feed: string]>([
    ['it departs at another minute', lineFeed.replace('bus,c,3,08:20:00,08:22:00', 'bus,c,3,08:20:00,08:23:00')],
    ['it arrives at another minute', lineFeed.replace('bus,c,3,08:20:00,08:22:00', 'bus,c,3,08:19:00,08:22:00')],
    ['it calls at other stops', lineFeed.replace('bus,b1,2', 'bus,b2,2')],
    ['it has fewer calls', lineFeed.replace('bus,c,3,08:20:00,08:22:00', '')],
  ])('%s', async (_reason, feed) => {
    reportAll('08:00');
    const next = await openTimetable(feed);
    expect(line.state.useTimetable(next)).toBe(1);
    expect(describeTrip(line.build('08:00'), next.tables, 'bus')).toBe('silence');
    reportAll('08:01');
    expect(describeTrip(line.build('08:01'), next.tables, 'bus')).toContain('/08:13');
  });

  it.each<[reason: string, feed: string]>([
    ['it is removed', lineFeed.replaceAll(/^\s*bus,.*\n/gm, '')],
    [
      'it does not run on that day',
      `${lineFeed.replace('bus,r,daily', 'bus,r,never')}  never,1,1,1,1,1,1,1,20260401,20260402\n`,
    ],
  ])('%s', async (_reason, feed) => {
    reportAll('08:00');
    const next = await openTimetable(feed);
    expect(line.state.useTimetable(next)).toBe(1);
    const tables = line.build('08:00');
    expect([...tables.trips.day]).toEqual([DAY]);
    // The vehicle is still shown, with its line if known.
    expect([...tables.vehicles.trip]).toEqual([-1, -1]);
    expect(reportAll('08:01').tally.unmatched).not.toEqual({});
  });

  it('with the trip its replacement is dropped', async () => {
    reportAll('08:00');
    const next = await openTimetable(lineFeed.replace('late,c,3,09:20:00', 'late,c,3,09:19:00'));
    expect(line.state.useTimetable(next)).toBe(1);
    const tables = line.build('08:00');
    expect(describeAdded(tables)).toHaveLength(1);
    expect([...tables.trips.replacedBy]).toEqual([-1]);
  });
});

it('the timetable of a source is determined again', async () => {
  const { timetable } = await openWorld({ at: lineFeed, other: movedFeed }, { settings: { merging: mergeNothing } });
  const matcher = openMatcher(timetable, { stopLinks: [], metroStations: [] });
  line.state.useTimetable({ tables: timetable.tables, matcher });
  // The source of this test configures none of several, so an id in two of them is ambiguous.
  const { tally } = line.report('08:00', [reported('bus', [{ sequence: 2, times: [60, 60] }])]);
  expect(tally.unmatched).toEqual({ ambiguous: 1 });
});
