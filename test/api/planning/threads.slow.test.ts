import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { TripResult } from '../../../api/contract/definitions.ts';
import { ApiProblem } from '../../../api/contract/problems.ts';
import { createThreadPlanning, type ThreadOptions, threadWorkers } from '../../../api/planning/create-planning.ts';
import type { PlannerWorker, Planning, PlanningTask } from '../../../api/planning/planning.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { offerEngine } from '../../../pipeline/streets/open-walk-router.ts';
import type { StreetEngine } from '../../../pipeline/streets/street-engine.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { compileProgram } from '../../support/fakes/compiled-program.ts';
import { instant, openWorld, TEST_KEY, type World } from '../../support/worlds/board-world.ts';
import { silentLog, soundFeed } from '../../support/worlds/ingest.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { buildSample } from '../../support/worlds/sample.ts';
import { testPlanning } from '../service-app.ts';

/** A task, its snapshots, and its time. */
interface TaskCase {
  readonly task: PlanningTask;
  readonly world: World | null;
  readonly now: string;
}

const trips = (world: World, from: string, to: string, now: string): TaskCase => ({
  task: {
    kind: 'trips',
    body: {
      from: { stopId: from },
      to: { stopId: to },
      timeMode: 'departure',
      limit: 3,
      walkSpeedKmh: 4.7,
      maxWalkMeters: 1500,
      wheelchair: false,
    },
  },
  world,
  now,
});

const footpath = (lat: number): TaskCase => ({
  task: {
    kind: 'footpath',
    body: { from: { lat: 48.2, lon: 16.37 }, to: { lat, lon: 16.37 }, profile: 'foot', language: 'de' },
  },
  world: null,
  now: '2026-03-16T07:30:00Z',
});

const pairOf = ({ timetable, realtime }: World) => ({ value: { timetable, realtime }, dataVersion: 'of no interest' });

/** The result of a task: its response, or the problem of its refusal. */
async function request(planning: Planning, { task, world, now }: TaskCase): Promise<unknown> {
  try {
    const bytes = await planning.answer(task, world && pairOf(world), instant(now));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const { code, message, parameter } = error;
    return { code, message, parameter };
  }
}

/** The main thread as the service builds it. */
async function threadOptions(): Promise<ThreadOptions> {
  const file = pathToFileURL(await compileProgram('api/planning/planner-thread.ts'));
  return { file, referenceKey: TEST_KEY, walks: null, clock: fixedClock('2026-03-16T07:00:00Z') };
}

/** The small feed with its only trip late by these minutes, one dataset each. */
async function openLateWorlds(minutesLate: readonly number[]): Promise<World[]> {
  const live = await openLiveWorld(await openWorld({ at: soundFeed }));
  const trip = tripOf('t1', { startDate: '2026-03-03' as never });
  return minutesLate.map((minutes) => {
    const departure = timeOf(`2026-03-03T08:0${minutes}:00+01:00`);
    const now = `2026-03-03T06:3${minutes}:00Z`;
    live.report('rt', now, { trips: [reportOf(trip, { calls: [callOf(stopOf('a'), { departure })] })] });
    return live.at(now);
  });
}

test('threads answer like the main thread: any timetable, times in any order, refusals, and without data', async () => {
  const limits = { threads: 2, maxQueued: 64, timeLimitSeconds: 60, startLimitSeconds: 60 };
  const planning = createThreadPlanning({ limits, log: silentLog, ...(await threadOptions()) });
  onTestFinished(() => planning.close());
  const country = await openWorld({ sample: await buildSample('2026-03-15') }, { now: '2026-03-15T03:00:00Z' });
  const late = await openLateWorlds([1, 2, 3, 4]);
  const here = testPlanning(country.references);
  const railway = (from: string, to: string) => trips(country, `sample:at:49:${from}`, to, '2026-03-16T07:30:00Z');
  const bus = (which: number) => trips(late[which]!, 'at:a', 'at:b', '2026-03-03T06:35:00Z');

  const cases = [
    footpath(48.21),
    ...[railway('1349', 'sample:at:49:743'), railway('1349', 'nowhere'), railway('743', 'sample:at:49:1349')],
    ...[0, 1, 0, 2, 1, 3, 0, 0].map(bus),
    railway('1349', 'sample:at:49:743'),
    footpath(48.22),
  ];
  const answers = await Promise.all(cases.map((one) => request(planning, one)));
  const expected = [];
  for (const one of cases) expected.push(await request(here, one));
  expect(answers).toEqual(expected);
  const departures = (answers as TripResult[]).map(({ trips }) => trips?.[0]?.departure.realtime?.slice(11, 16));
  expect(departures.slice(4, 12)).toEqual([0, 1, 0, 2, 1, 3, 0, 0].map((which) => `08:0${which + 1}`));
  await expectValidAnswer('TripResult', answers[1]);
  expect((answers[1] as TripResult).trips).toHaveLength(3);
  expect(answers[2]).toMatchObject({ code: 'unknown_stop', parameter: '/to/stopId' });
});

test('threads walk on the streets that the main thread has opened', async () => {
  const cases: string[] = [];
  const engine: StreetEngine = {
    request(action) {
      cases.push(action);
      return Promise.reject(new Error('there are no streets in this test'));
    },
  };
  const nobody = () => Promise.reject(new Error('streets were requested by threads'));
  const walks = {
    id: 'made-up',
    measure: nobody,
    findPath: nobody,
    share: () => ({ id: 'made-up', vehicles: { modes: [], parkAndRide: [] }, port: offerEngine(engine) }),
  };
  const limits = { threads: 1, maxQueued: 64, timeLimitSeconds: 60, startLimitSeconds: 60 };
  const planning = createThreadPlanning({ limits, log: silentLog, ...(await threadOptions()), walks });
  onTestFinished(() => planning.close());
  await expect(request(planning, footpath(48.21))).rejects.toThrow('there are no streets in this test');
  expect(cases).toEqual(['route']);
});

test('a thread reports its progress step by step until it is ready', async () => {
  const { timetable } = await openWorld({ at: soundFeed });
  const options = await threadOptions();
  const steps: string[] = [];
  await new Promise<void>((resolve) => {
    const worker = threadWorkers(
      timetable,
      options,
    )({
      progressed: () => void steps.push('step'),
      ready: () => {
        steps.push('ready');
        void worker.end();
      },
      ended: () => resolve(),
    });
  });
  // Started, timetable opened, planner opened; then each query of the warm-up.
  expect(steps.length).toBeGreaterThan(4);
  expect(steps.indexOf('ready')).toBe(steps.length - 1);
});

test('a cancelled query ends at once, and the thread answers the next one', async () => {
  const world = await openWorld({ at: soundFeed });
  const options = await threadOptions();
  const worker = await new Promise<PlannerWorker>((resolve, reject) => {
    const opened = threadWorkers(
      world.timetable,
      options,
    )({
      progressed: () => {},
      ready: () => resolve(opened),
      ended: reject,
    });
  });
  const { task } = trips(world, 'at:a', 'at:b', '2026-03-03T06:30:00Z');
  const question = { task, realtime: null, instant: instant('2026-03-03T06:30:00Z') };
  const answer = worker.answer(question, 60_000);
  worker.cancel();
  await expect(answer).rejects.toMatchObject({ code: 'overloaded' });
  expect(JSON.parse(new TextDecoder().decode(await worker.answer(question, 60_000)))).toHaveProperty('trips');
  await worker.end().catch(() => {});
});

test('a thread that fails to start or dies during a query reports the cause', async () => {
  const options = await threadOptions();
  const open = (over: Partial<ThreadOptions>) =>
    new Promise<string>((resolve) => {
      const worker = threadWorkers(null, { ...options, ...over })({
        progressed: () => {},
        ready: () => void worker.end(),
        ended: (reason) => resolve(reason.message),
      });
    });
  expect(await open({})).toBe('it was stopped');
  expect(await open({ referenceKey: new Uint8Array(3) })).toMatch('a reference key has 32 bytes');
  expect(await open({ file: new URL('gone.js', options.file) })).toMatch('Cannot find module');

  const ended: string[] = [];
  const worker = await new Promise<PlannerWorker>((resolve) => {
    const opened = threadWorkers(
      null,
      options,
    )({
      progressed: () => {},
      ready: () => resolve(opened),
      ended: (reason) => ended.push(reason.message),
    });
  });
  const { task } = footpath(48.21);
  const answer = worker.answer({ task, realtime: null, instant: instant('2026-03-16T07:30:00Z') }, 1000);
  const end = worker.end();
  await expect(answer).rejects.toThrow('the thread ended before it answered a question');
  await end;
  expect(ended).toEqual(['it was stopped']);
});
