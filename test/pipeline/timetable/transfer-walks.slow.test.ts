import { describe, expect, it } from 'vitest';
import type { Point, WalkProfile, WalkRouter } from '../../../pipeline/streets/walk-router.ts';
import { findCompiledTransfer } from '../../support/oracles/planner-tables.ts';
import { ingestFeeds, ingestFeedText, soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { feedFromText } from '../../support/worlds/text-feed.ts';

/** From the hub, all walks lead north: a thousandth of a degree is 111 m, and 145 m with the detour factor. */
const hub = { lat: 48, lon: 16 };
const FAR_WEST = 15;

interface Case {
  readonly title: string;
  readonly north: number | null;
  readonly isSameStation?: boolean;
  /** `transfer_type,min_transfer_time` of a rule from the hub to the stop. */
  readonly rule?: string;
  /** The distance on the streets; null: none. */
  readonly foot?: number | null;
  readonly wheelchair?: number | null;
  /** With streets, then without. */
  readonly expected: string;
  readonly straight: string;
}

const cases: readonly Case[] = [
  { title: 'a way', north: 2, foot: 400, wheelchair: 450, expected: 'walk 400/450', straight: 'walk 289/289' },
  { title: 'stairs alone', north: 2, foot: 400, wheelchair: null, expected: 'walk 400/-1', straight: 'walk 289/289' },
  {
    title: 'too long on a ramp',
    north: 2,
    foot: 400,
    wheelchair: 1001,
    expected: 'walk 400/-1',
    straight: 'walk 289/289',
  },
  { title: 'no way', north: 2, foot: null, wheelchair: null, expected: 'none', straight: 'walk 289/289' },
  {
    title: 'just near enough',
    north: 2,
    foot: 1000,
    wheelchair: 1000,
    expected: 'walk 1000/1000',
    straight: 'walk 289/289',
  },
  { title: 'round about', north: 2, foot: 1001, wheelchair: 1001, expected: 'none', straight: 'walk 289/289' },
  { title: 'straight ahead', north: 8, foot: 900, wheelchair: 900, expected: 'walk 900/900', straight: 'none' },
  { title: 'too far in any case', north: 9.1, foot: 900, wheelchair: 900, expected: 'none', straight: 'none' },
  {
    title: 'in a station',
    north: 2,
    isSameStation: true,
    foot: 400,
    wheelchair: 450,
    expected: 'sameStation 400/450',
    straight: 'sameStation 289/289',
  },
  {
    title: 'in a station without lifts',
    north: 2,
    isSameStation: true,
    foot: 400,
    wheelchair: null,
    expected: 'sameStation 400/289',
    straight: 'sameStation 289/289',
  },
  {
    title: 'in a station outside the street graph',
    north: 2,
    isSameStation: true,
    foot: null,
    wheelchair: null,
    expected: 'sameStation 289/289',
    straight: 'sameStation 289/289',
  },
  {
    title: 'in a large station',
    north: 12,
    isSameStation: true,
    foot: 2500,
    wheelchair: 2600,
    expected: 'sameStation 2500/2600',
    straight: 'sameStation 1735/1735',
  },
  {
    title: 'in a station without positions',
    north: null,
    isSameStation: true,
    expected: 'sameStation 0/0',
    straight: 'sameStation 0/0',
  },
  { title: 'nowhere', north: null, expected: 'none', straight: 'none' },
  {
    title: 'with a rule',
    north: 2,
    rule: '2,60',
    foot: 400,
    wheelchair: null,
    expected: 'published 400/-1',
    straight: 'published 289/289',
  },
  {
    title: 'with a rule, outside the street graph',
    north: 2,
    rule: '1,',
    foot: null,
    wheelchair: null,
    expected: 'timed 289/289',
    straight: 'timed 289/289',
  },
  {
    title: 'with a rule, on a detour',
    north: 2,
    rule: '2,',
    foot: 1400,
    wheelchair: 1500,
    expected: 'sameStation 1400/1500',
    straight: 'sameStation 289/289',
  },
  {
    title: 'with a rule, far away',
    north: 100,
    rule: '2,900',
    foot: null,
    wheelchair: null,
    expected: 'published 14455/14455',
    straight: 'published 14455/14455',
  },
];

const latOf = (north: number) => hub.lat + north / 1000;
const stopId = (number: number) => `stop${number}`;

/** Each case has a separate hub, a degree to the east of the previous one. */
function writeFeed() {
  const [stops, trips, times, rules]: string[][] = [[], [], [], []];
  for (const [number, { north, isSameStation, rule }] of cases.entries()) {
    const lon = hub.lon + number;
    const station = isSameStation ? `station${number}` : '';
    if (isSameStation) stops!.push(`${station},${hub.lat},${lon},1,`);
    stops!.push(`hub${number},${hub.lat},${lon},,${station}`);
    stops!.push(`${stopId(number)},${north === null ? ',' : `${latOf(north)},${lon}`},,${station}`);
    trips!.push(`in${number},r,daily`, `out${number},r,daily`);
    times!.push(`in${number},west,1,08:00:00,08:00:00`, `in${number},hub${number},2,09:00:00,09:00:00`);
    times!.push(`out${number},${stopId(number)},1,10:00:00,10:00:00`, `out${number},west,2,11:00:00,11:00:00`);
    if (rule) rules!.push(`hub${number},${stopId(number)},${rule}`);
  }
  return feedFromText(`
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    v,Verkehr,https://example.org,Europe/Vienna
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    r,v,1,3
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260302,20260308
    # stops.txt
    stop_id,stop_lat,stop_lon,location_type,parent_station
    west,${hub.lat},${FAR_WEST},,
    ${stops!.join('\n')}
    # trips.txt
    trip_id,route_id,service_id
    ${trips!.join('\n')}
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    ${times!.join('\n')}
    # transfers.txt
    from_stop_id,to_stop_id,transfer_type,min_transfer_time
    ${rules!.join('\n')}
  `);
}

/** Has the walks of the cases in both directions, and throws for impossible ones. */
function caseRouter(id: string): WalkRouter {
  return {
    id,
    measure: async (from, to, profile, maxMeters) =>
      to.map((point) => {
        const meters = findWay(from, point, profile);
        return meters !== null && meters <= maxMeters ? meters : null;
      }),
    findPath: async () => null,
  };
}

function findWay(from: Point, to: Point, profile: WalkProfile): number | null {
  const number = Math.round(from.lon - hub.lon);
  const each = cases[number];
  const norths = [from.lat, to.lat].map((lat) => Math.round((lat - hub.lat) * 1e4) / 10);
  if (!each || to.lon !== from.lon || !norths.includes(0) || !norths.includes(each.north!)) {
    throw new Error(`nobody walks from ${from.lat},${from.lon} to ${to.lat},${to.lon}`);
  }
  return (profile === 'foot' ? each.foot : each.wheelchair) ?? null;
}

describe('walks between stops', () => {
  async function describeWays(walks?: WalkRouter): Promise<string[]> {
    const { timetable } = await ingestFeedText(writeFeed(), walks ? { walks } : {});
    return cases.map(({ title }, number) => {
      const { tables } = timetable.snapshot;
      const change = findCompiledTransfer(tables, `in${number}@hub${number}`, `out${number}@${stopId(number)}`);
      return `${title}: ${change ? `${change.kind} ${change.meters}/${change.wheelchairMeters}` : 'none'}`;
    });
  }

  it('are measured along streets', async () => {
    expect(await describeWays(caseRouter('streets-1'))).toEqual(
      cases.map(({ title, expected }) => `${title}: ${expected}`),
    );
  });

  it('are the straight line plus a third without streets', async () => {
    expect(await describeWays()).toEqual(cases.map(({ title, straight }) => `${title}: ${straight}`));
  });

  it('have the same length in both directions', async () => {
    const { timetable } = await ingestFeedText(writeFeed(), { walks: caseRouter('streets-1') });
    const { transfers } = timetable.snapshot.tables;
    const list = (one: Int32Array, other: Int32Array) =>
      Array.from(
        one,
        (from, row) => `${from} ${other[row]}: ${transfers.meters[row]}/${transfers.wheelchairMeters[row]}`,
      );
    // Rules may apply in one direction only.
    const [there, back] = [new Set(list(transfers.from, transfers.to)), list(transfers.to, transfers.from)];
    const known = new Set(Array.from(transfers.from, (from, row) => `${from} ${transfers.to[row]}`));
    const both = back.filter((line) => known.has(line.split(':')[0]!));
    expect(both.filter((line) => !there.has(line))).toEqual([]);
    expect(both.length).toBeGreaterThan(cases.length);
  });

  it('are measured with a concurrency of four, until one fails', async () => {
    const known = caseRouter('streets-1');
    let [active, most, measured] = [0, 0, 0];
    const counting = (mostAnswers: number): WalkRouter => ({
      ...known,
      async measure(...question) {
        most = Math.max(most, ++active);
        await new Promise(setImmediate);
        active--;
        if (++measured > mostAnswers) throw new Error('the engine is gone');
        return known.measure(...question);
      },
    });
    await ingestFeedText(writeFeed(), { walks: counting(Number.POSITIVE_INFINITY) });
    expect([most, measured]).toEqual([4, expect.toSatisfy((count: number) => count > 20)]);
    measured = 0;
    await expect(ingestFeedText(writeFeed(), { walks: counting(10) })).rejects.toThrow('the engine is gone');
    expect(measured).toBeLessThan(16);
  });

  it('report their progress', async () => {
    const steps: string[] = [];
    const log = { info: () => {}, warn: () => {}, progress: (message: string) => steps.push(message) };
    await ingestFeedText(writeFeed(), { walks: caseRouter('streets-1'), log });
    expect(steps.at(-1)).toMatch(/^walks between stops: 0 of \d+ stops$/);
  });
});

it('builds a separate snapshot for each street graph', async () => {
  const dataDir = await temporaryFolder();
  const straightRouter = (id: string): WalkRouter => ({
    id,
    measure: async (_from, to) => to.map(() => 1),
    findPath: async () => null,
  });
  const publish = async (walks?: WalkRouter) => {
    const { outcome } = await ingestFeeds({ test: soundFeed }, { dataDir, ...(walks ? { walks } : {}) });
    return outcome;
  };
  const without = await publish();
  const first = await publish(straightRouter('streets-1'));
  const second = await publish(straightRouter('streets-2'));
  expect(new Set([without.snapshotId, first.snapshotId, second.snapshotId]).size).toBe(3);
  expect((await publish(straightRouter('streets-2'))).isUnchanged).toBe(true);
});
