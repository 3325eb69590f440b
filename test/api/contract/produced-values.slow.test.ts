import type { FastifyInstance } from 'fastify';
import { beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../../api/app.ts';
import { routes } from '../../../api/contract/routes.ts';
import { emitOptions } from '../../../api/watches/service/emit-options.ts';
import { serveWatches } from '../../../api/watches/service/watches.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { prognoses } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { addSeen, listDeclared } from '../../support/checks/produced-values.ts';
import { testWatchService } from '../../support/fakes/test-watches.ts';
import { instant, openWorld, TEST_KEY, type World } from '../../support/worlds/board-world.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { at } from '../engine/live-town.ts';
import { tripTown } from '../engine/trips/trip-town.ts';
import { serviceOptions, testPlanning } from '../service-app.ts';
import { type Input, inputs, ref, usual, watchRequests } from './produced-inputs.ts';

// ---- Values that no input of this table produces -----------------------------------------------

const DOOR_TO_DOOR = 'other modes come with door-to-door trips';

const ALWAYS_RATED = 'never the worst: departures are rated by the timetable, whatever realtime does';
const OBSERVED_ALONE = 'our models predict from observations alone; the value is part of the given contract';
const HISTORY = 'needs a lake; see test/api/history';

const exceptions: Readonly<Record<string, string>> = {
  'Leg.mode=bike': DOOR_TO_DOOR,
  'Leg.mode=car': DOOR_TO_DOOR,
  'Prediction.evidence=unknown': OBSERVED_ALONE,
  'Prediction.evidence=forecast': OBSERVED_ALONE,
  'V1Status.overall=paused': ALWAYS_RATED,
  'V1Status.overall=unknown': ALWAYS_RATED,
  'HistoryTotals.onTimeShare': HISTORY,
  'HistoryTotals.earlyShare': HISTORY,
  'HistoryTotals.avgDelayMinutes': HISTORY,
  'HistoryTotals.late10Share': HISTORY,
  'HistoryDay.onTimeShare': HISTORY,
  'HistoryLine.product': HISTORY,
  'HistoryLine.operator': HISTORY,
  'PunctualityDefinition.derivedShare': HISTORY,
  'V1PunctualityDefinition.name=observed': HISTORY,
  'V1PunctualityDefinition.name=lastForecast': HISTORY,
};

// ---- Running the inputs ------------------------------------------------------------------------

type Json = Record<string, unknown>;

/** Plays the reports of a source in order of time against the service. */
async function play(input: Input, send: (app: FastifyInstance, world: World, isFirst: boolean) => Promise<void>) {
  const { now = '08:05', update = {}, predictions = [], source = {}, service = {}, feed = tripTown } = input;
  const start = now.length > 5 ? now : at(now);
  const clock = fixedClock(start);
  const plain = await openWorld(feed);
  const live = await openLiveWorld(plain, ['rt'], source);
  const watching = testWatchService(clock);
  const watches = serveWatches(watching, TEST_KEY);
  const steps = [[start, update] as const, ...(input.later ?? []).map(([time, later]) => [at(time), later] as const)];
  for (const [i, [time, update]] of steps.entries()) {
    clock.set(time);
    if (update !== null) live.report('rt', now === '09:30' ? at('08:05') : time, update);
    live.forecast(predictions);
    const world = update === null ? plain : live.at(time);
    const published = { timetable: world.timetable, realtime: world.realtime };
    await watching.follow(published);
    const references = world.references;
    await emitOptions(watching, async (body) => {
      const held = { value: published, dataVersion: 'v' };
      const bytes = await testPlanning(references).answer({ kind: 'rescue', body }, held, instant(time) as Instant);
      return JSON.parse(new TextDecoder().decode(bytes));
    });
    const app = await buildApp(serviceOptions(world, { clock, watches, ...service }));
    await send(app, world, i === 0);
    await app.close();
  }
  await watching.close();
}

/** Responses that an input cannot produce: an expired timetable has no boards, no source reports a metro. */
const REFUSED = ['timetable_out_of_range', 'timetable_unavailable', 'source_standby', 'journey_expired', 'no_path'];

const seen = new Set<string>();

/** `TimeInfo.prognosis` is any text in the contract; these are our values. */
const seenPrognoses = new Set<string>();

beforeAll(async () => {
  const typeOf = new Map(routes.map(({ operationId, answer }) => [operationId, answer]));
  for (const input of inputs) {
    const watchIds = new Map<number, string>();
    await play(input, async (app, world, isFirst) => {
      const requests = [...watchRequests, ...(isFirst ? [...usual, ...(input.requests ?? [])] : [])];
      for (const [i, [operation, path, body]] of requests.entries()) {
        const url = path.replace(/\{(\w+)\}/, (_, tripId: string) => ref(world, tripId));
        const watchId = watchIds.get(i);
        const payload = body && { ...body(world), ...(watchId ? { watchId } : {}) };
        const answer = await app.inject({ method: body ? 'POST' : 'GET', url, ...(payload ? { payload } : {}) });
        const json = answer.json() as Json;
        if (answer.statusCode >= 400 && operation !== 'getV1Health') {
          expect([input.what, url, json.code]).toEqual([input.what, url, expect.toBeOneOf(REFUSED)]);
          continue;
        }
        if (typeof json.watchId === 'string') watchIds.set(i, json.watchId);
        addSeen(seen, typeOf.get(operation)!, json);
        for (const [, prognosis] of answer.body.matchAll(/"prognosis":"(\w+)"/g)) seenPrognoses.add(prognosis!);
      }
    });
  }
}, 120_000);

const answers = [...new Set(routes.flatMap(({ answer }) => (answer === null ? [] : [answer])))];

test('an input produces every enumerated value and optional member of a response', () => {
  const missing = [...listDeclared(answers)].filter((name) => !seen.has(name) && !(name in exceptions));
  expect(missing).toEqual([]);
});

test('an input produces every origin of a time', () => {
  expect([...seenPrognoses].sort()).toEqual(prognoses.filter((one) => one !== 'unknown').sort());
});

test('no exception is unknown or produced after all', () => {
  const declared = listDeclared(answers);
  expect(Object.keys(exceptions).filter((name) => seen.has(name) || !declared.has(name))).toEqual([]);
});
