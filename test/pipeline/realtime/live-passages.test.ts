import { beforeAll, describe, expect, it } from 'vitest';
import type { CallObservation } from '../../../pipeline/model/observation.ts';
import { openMatcher } from '../../../pipeline/realtime/matching/open-matcher.ts';
import { callFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { at, badInputs, DAY, drive, makeFeed, report, runSteps, type Step, secondsOf, show } from './passage-cases.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: makeFeed('') });
});

const run = (steps: readonly Step[]) => runSteps(world, steps);

it('calls between two positions are observed, in the lake and live', async () => {
  const { live, shown, observations } = await run(drive(-30, 300).map(([seconds, one]) => [seconds + 7, one]));
  expect(shown).toMatchInlineSnapshot(`
    [
      "t1 a departure 16 ±18",
      "t1 b arrival 118 ±18",
      "t1 b departure 136 ±18",
      "t1 c arrival 238 ±18",
      "t1 c departure 256 ±18",
    ]
  `);
  expect(observations.every(({ channel }) => channel === 'positions')).toBe(true);
  const { calls } = live.state.build(instant(at(310)));
  const isFromPosition = Array.from(calls.flags, (flags) => (flags & callFlags.fromPosition) !== 0);
  expect(isFromPosition).toEqual([true, true, true, false, false]);
});

it('a time that is too uncertain is kept in the lake, and counts for nothing', async () => {
  const { live, shown } = await run([...drive(-30, 60), [300, { stops: 2.5 }], [330, { stops: 2.75 }]]);
  expect(shown).toMatchInlineSnapshot(`
    [
      "t1 a departure 9 ±18",
      "t1 b arrival 120 ±146 unknown",
      "t1 b departure 120 ±146 unknown",
      "t1 c arrival 240 ±146 unknown",
      "t1 c departure 240 ±146 unknown",
    ]
  `);
  expect([...live.state.listObserved('rt')].flatMap(({ arrival }) => [...arrival].filter((time) => time > 0))).toEqual(
    [],
  );
});

describe('another time of the same event', () => {
  const measured = (seconds: number) =>
    reportOf(tripOf('t1', { startDate: DAY as never }), {
      calls: [callOf(stopOf('b'), { stopSequence: 2, arrival: timeOf(at(seconds), null, true) })],
    });

  it('measured by the publisher replaces it, also when it comes later', async () => {
    const { live } = await run(drive(-30, 180));
    const applied = live.report('rt', at(190), { trips: [measured(111)] }, 'trips');
    expect(applied.observations.map(show)).toEqual(['t1 b arrival 111']);
    const [trip] = live.state.listObserved('rt');
    expect(secondsOf(trip!.arrival[1]!)).toBe(111);
  });

  it('measured by the publisher stays, when it comes first', async () => {
    const live = await openLiveWorld(world);
    const derived: string[] = [];
    for (const [seconds, one] of drive(-30, 180)) {
      derived.push(...report(live, seconds, one).observations.map(show));
      if (seconds === 120) live.report('rt', at(120), { trips: [measured(111)] }, 'trips');
    }
    expect(derived.filter((text) => text.startsWith('t1 b'))).toEqual([expect.stringMatching(/^t1 b departure/)]);
  });

  it('seen by the publisher, which says that the vehicle stands there, stays', async () => {
    const stopped = { stopStatus: 'stoppedAt', stopSequence: 2 } as const;
    const { shown } = await run(drive(-30, 210).map(([s, one]) => [s, s === 120 ? { ...one, over: stopped } : one]));
    expect(shown.filter((text) => text.startsWith('t1 b'))).toEqual(['t1 b arrival 120', 't1 b departure 129 ±18']);
  });
});

it.each(badInputs)('bad input: $name', async ({ steps, shown, problems }) => {
  const result = await run(steps);
  expect({ shown: result.shown, problems: result.problems }).toEqual({ shown, problems });
});

it('observations that the lake holds are not derived again after a restart', async () => {
  const { observations } = await run(drive(-30, 180));
  const live = await openLiveWorld(world);
  const restored = observations.map((one) => ({ ...one, lastSeenAt: instant(at(190)), part: 'vehicles' }));
  live.state.restore('rt', restored);
  const again = drive(200, 440).flatMap(([seconds, one]) => report(live, seconds, one).observations.map(show));
  expect(again.every((text) => !/ [ab] /.test(text))).toBe(true);
  expect(again.length).toBeGreaterThan(2);
});

it('the same answers give the same observations, whether or not tables are built between them', async () => {
  const whole = await run(drive(-30, 420));
  const live = await openLiveWorld(world);
  const observations: CallObservation[] = [];
  for (const [seconds, one] of drive(-30, 420)) {
    observations.push(...report(live, seconds, one).observations);
    live.state.build(instant(at(seconds + 5)));
  }
  expect(observations).toEqual(whole.observations);
});

it('a vehicle is followed across a change of the timetable that leaves its trip as it is', async () => {
  const { timetable } = await openWorld({ at: makeFeed('\n  t0,r,s') });
  const whole = await run(drive(-30, 300));
  const live = await openLiveWorld(world);
  const shown: string[] = [];
  for (const [seconds, one] of drive(-30, 300)) {
    shown.push(...report(live, seconds, one).observations.map(show));
    const matcher = openMatcher(timetable, { stopLinks: [], metroStations: [] });
    if (seconds === 90) live.state.useTimetable({ tables: timetable.tables, matcher });
  }
  expect(shown).toEqual(whole.shown);
});
