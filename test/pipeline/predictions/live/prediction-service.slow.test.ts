import { mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../pipeline/effects/clock.ts';
import { realEffects } from '../../../../pipeline/effects/effects.ts';
import { withEngine } from '../../../../pipeline/lake/observations/write-parts.ts';
import { modelsFolder } from '../../../../pipeline/lake/paths.ts';
import type { SourceId } from '../../../../pipeline/model/ids.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { buildSourceFeatures } from '../../../../pipeline/predictions/learning/build-source-features.ts';
import { trainSource } from '../../../../pipeline/predictions/learning/train-source.ts';
import {
  type NewObservations,
  openPredictionService,
  type StartPredictionThread,
} from '../../../../pipeline/predictions/live/prediction-service.ts';
import {
  type PredictionRequest,
  type PredictionResponse,
  type PredictionThreadOptions,
  servePredictions,
} from '../../../../pipeline/predictions/live/serve-predictions.ts';
import { silentLog, temporaryFolder } from '../../../support/worlds/ingest.ts';
import { observedBy } from '../../../support/worlds/live-runs-world.ts';
import { dateOf, ENGINE, RECORDED, recordRuns } from '../../../support/worlds/recorded-world.ts';
import { FIRST_DAY, makeDatedTripTable } from '../../../support/worlds/run-world.ts';

const DAYS = 9;
const LIVE_DAY = FIRST_DAY + DAYS - 1;
const table = makeDatedTripTable(51, { days: DAYS, trains: 20, calls: 9 });
const liveRun = table.serviceDay.indexOf(LIVE_DAY);
const firstCall = table.callStart[liveRun]!;
const lastCall = table.callStart[liveRun + 1]! - 1;

async function learn(dataDir: string, isForced = false): Promise<void> {
  await withEngine(dataDir, ENGINE, async (db, folder) => {
    const facts = { dataDir, source: RECORDED, isForced, isDryRun: false };
    await buildSourceFeatures(db, folder, { ...facts, lastDay: null, builtAt: '' });
    await trainSource(db, { ...facts, trainedAt: '' }, silentLog);
  });
}

async function learntFolder(): Promise<string> {
  const dataDir = await temporaryFolder();
  await recordRuns(dataDir, table, LIVE_DAY - 1);
  await learn(dataDir);
  return dataDir;
}

type Handler = (question: PredictionRequest) => PredictionResponse | Promise<PredictionResponse>;

/** Replaces the thread: the same code, with delayed responses. */
function startHere(started: PredictionThreadOptions[]): StartPredictionThread {
  return (input, { clock, log }, { signal }) => {
    started.push(input);
    let handle: Handler = () => Promise.reject(new Error('nothing answers'));
    let reportReady = () => {};
    const ready = new Promise<string>((resolve) => {
      reportReady = () => resolve('');
    });
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const result = servePredictions(input, {
      effects: realEffects({ clock, log }),
      signal,
      engineSignal: new AbortController().signal,
      stopped,
      reportReady,
      answer: (handler) => {
        handle = handler;
      },
    });
    const request = async (question: PredictionRequest) => {
      const requested = structuredClone(question);
      await new Promise(setImmediate);
      return structuredClone(await handle(requested));
    };
    return { ready, result, request };
  };
}

/** Threads that never become ready, and die or respond as the test says. */
function startFakes() {
  const threads: { beReady(): void; die(error: Error): void; answer(fails: Error): void; stopped: AbortSignal }[] = [];
  const start: StartPredictionThread = (_input, _effects, { signal }) => {
    let beReady = () => {};
    let die = (_error: Error) => {};
    let answer = (_fails: Error) => {};
    const ready = new Promise<string>((resolve) => {
      beReady = () => resolve('');
    });
    const result = new Promise<void>((resolve, reject) => {
      die = reject;
      signal.addEventListener('abort', () => resolve());
    });
    const request = () =>
      new Promise<PredictionResponse>((_resolve, reject) => {
        answer = reject;
      });
    threads.push({
      beReady: () => beReady(),
      die: (error) => die(error),
      answer: (fails) => answer(fails),
      stopped: signal,
    });
    return { ready, result, request };
  };
  return { threads, start };
}

function openDesk(dataDir: string) {
  const started: PredictionThreadOptions[] = [];
  const reported: string[] = [];
  const log = {
    ...silentLog,
    info: (text: string) => reported.push(text),
    warn: (text: string) => reported.push(text),
  };
  const service = openPredictionService(dataDir, [RECORDED], ENGINE, { clock: systemClock, log }, startHere(started));
  onTestFinished(() => service.close());
  return { service, started, reported };
}

/** The observations of the trip up to an instant, marked as new. */
function observed(at: number): NewObservations {
  const datedTrip = observedBy(table, liveRun, at);
  const name = { key: datedTrip.tripKey, day: datedTrip.day };
  return {
    changed: new Map([[RECORDED, [name]]]),
    list: (_source: SourceId, wanted) => (wanted && [...wanted].length === 0 ? [] : [datedTrip]),
  };
}

const nothing: NewObservations = { changed: new Map(), list: () => [] };

/** Looks for models until the service uses one. */
async function untilReady({ service }: ReturnType<typeof openDesk>, at: number, news = nothing): Promise<void> {
  for (let round = 0; service.models().length === 0; round++) {
    expect(round).toBeLessThan(200);
    await service.update(news, at as Instant);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** On a busy machine a response may come with the next snapshot. */
async function untilPredicted({ service }: ReturnType<typeof openDesk>, update: () => Promise<void>): Promise<void> {
  await update();
  for (let round = 0; [...service.list()].length === 0; round++) {
    expect(round).toBeLessThan(200);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('the prediction service', () => {
  it('uses no model before anything is observed, then a prior, and a model that is built later', async () => {
    const dataDir = await temporaryFolder();
    const opened = openDesk(dataDir);
    const at = table.departureTime[firstCall]!;
    await opened.service.update(nothing, (at - 10) as Instant);
    expect([[...opened.service.list()], opened.service.models(), opened.started]).toEqual([[], [], []]);
    await untilPredicted(opened, () => untilReady(opened, at, observed(at)));
    const prior = { sourceId: RECORDED, model: expect.stringMatching(/^prior-/), lastDay: expect.anything() };
    expect(opened.service.models()).toEqual([prior]);
    await recordRuns(dataDir, table, LIVE_DAY - 1);
    await learn(dataDir);
    const isPrior = () => opened.service.models()[0]!.model.startsWith('prior');
    for (let round = 1; isPrior(); round++) {
      expect(round).toBeLessThan(200);
      await opened.service.update(nothing, (at + 61 * round) as Instant);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(opened.service.models()).toEqual([
      {
        sourceId: RECORDED,
        model: expect.stringMatching(/^2024-/),
        lastDay: dateOf(LIVE_DAY - 1),
        test: expect.anything(),
      },
    ]);
    expect(opened.reported).toEqual([
      expect.stringContaining('Predictions: live by the prior'),
      expect.stringContaining('Predictions: live by model '),
    ]);
  });

  it('predicts every later arrival from the last observation, until the trip has ended or the observation is too old', async () => {
    const dataDir = await learntFolder();
    const opened = openDesk(dataDir);
    const left = table.departureTime[firstCall + 1]!;
    await untilReady(opened, left);
    await untilPredicted(opened, () => opened.service.update(observed(left), left as Instant));
    const [prediction, ...rest] = opened.service.list();
    expect(rest).toEqual([]);
    expect(prediction).toMatchObject({
      day: LIVE_DAY,
      sourceId: RECORDED,
      position: 1,
      observedAt: left,
      delaySeconds: table.departureDelay[firstCall + 1],
      channel: 'stop_events',
    });
    const { low, median, high } = prediction!;
    expect(median).toHaveLength(lastCall - firstCall - 1);
    median.forEach((seconds, i) => {
      expect(low[i]).toBeLessThanOrEqual(seconds);
      expect(high[i]).toBeGreaterThanOrEqual(seconds);
      expect(Math.abs(seconds - table.arrivalDelay[firstCall + 2 + i]!)).toBeLessThan(600);
    });

    await opened.service.update(nothing, (left + 480) as Instant);
    expect([...opened.service.list()]).toHaveLength(1);
    await opened.service.update(nothing, (left + 481) as Instant);
    expect([...opened.service.list()]).toEqual([]);

    const end = table.arrivalTime[lastCall]!;
    await untilPredicted(opened, () => opened.service.update(observed(end - 1), (end - 1) as Instant));
    for (let round = 0; [...opened.service.list()].length > 0; round++) {
      expect(round).toBeLessThan(200);
      await opened.service.update(observed(end), end as Instant);
    }
  });

  it('predicts a trip of which the record knows neither pattern nor stops', async () => {
    const dataDir = await learntFolder();
    const opened = openDesk(dataDir);
    const left = table.departureTime[firstCall + 1]!;
    await untilReady(opened, left);
    const datedTrip = observedBy(table, liveRun, left);
    const other = {
      ...datedTrip,
      tripId: 'new',
      routeId: 'new',
      stopIds: datedTrip.stopIds.map((stop) => `new ${stop}`),
    };
    await untilPredicted(opened, () =>
      opened.service.update({ ...observed(left), list: () => [other] }, left as Instant),
    );
    expect([...opened.service.list()]).toHaveLength(1);
  });

  it('continues with the old model while a new one is read, then switches', async () => {
    const dataDir = await learntFolder();
    const opened = openDesk(dataDir);
    const left = table.departureTime[firstCall + 1]!;
    await untilReady(opened, left);
    await recordRuns(dataDir, table, LIVE_DAY);
    await learn(dataDir);
    const [before] = opened.service.models();
    await opened.service.update(observed(left), (left + 61) as Instant);
    expect([opened.started.length, opened.service.models()]).toEqual([2, [before]]);
    const isNew = () => opened.service.models()[0]!.model !== before!.model;
    for (let round = 0; !isNew() || [...opened.service.list()].length === 0; round++) {
      expect(round).toBeLessThan(200);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await opened.service.update(observed(left), (left + 62) as Instant);
    }
    expect(opened.service.models()[0]!.lastDay).toBe(dateOf(LIVE_DAY));
  });

  it('logs a stop, and restarts a minute later', async () => {
    const dataDir = await learntFolder();
    const { threads, start } = startFakes();
    const reported: string[] = [];
    const log = { ...silentLog, warn: (text: string) => reported.push(text) };
    const service = openPredictionService(dataDir, [RECORDED], ENGINE, { clock: systemClock, log }, start);
    const at = table.departureTime[firstCall]!;
    const lookAt = (seconds: number) => service.update(nothing, (at + seconds) as Instant);
    await lookAt(0);
    threads[0]!.die(new Error('no memory'));
    await new Promise(setImmediate);
    await lookAt(50);
    expect([threads.length, reported]).toEqual([1, ['predictions have stopped: no memory; again in 60 s']]);
    await lookAt(61);
    expect(threads).toHaveLength(2);
    threads[1]!.die(new Error('no memory'));
    await new Promise(setImmediate);
    expect(reported[1]).toContain('again in 120 s');
    // A thread that is still reading is not awaited.
    await lookAt(200);
    expect(threads).toHaveLength(3);
    await service.close();
  });

  it('does not stop the caller when the models cannot be read, and looks again a minute later', async () => {
    const dataDir = await temporaryFolder();
    const folder = path.join(modelsFolder(dataDir), `source=${RECORDED}`);
    await mkdir(folder, { recursive: true });
    await symlink('current.json', path.join(folder, 'current.json'));
    const { threads, start } = startFakes();
    const reported: string[] = [];
    const log = { ...silentLog, warn: (text: string) => reported.push(text) };
    const service = openPredictionService(dataDir, [RECORDED], ENGINE, { clock: systemClock, log }, start);
    const at = table.departureTime[firstCall]!;
    await service.update(observed(at), at as Instant);
    expect([threads.length, reported]).toEqual([0, [expect.stringContaining('models cannot be read: ELOOP')]]);
    await rm(folder, { recursive: true });
    await service.update(observed(at), (at + 61) as Instant);
    expect(threads).toHaveLength(1);
    await service.close();
  });

  it('does not wait for a silent thread, and ends one that fails on its input', async () => {
    const dataDir = await learntFolder();
    const { threads, start } = startFakes();
    const reported: string[] = [];
    const log = { ...silentLog, warn: (text: string) => reported.push(text) };
    const service = openPredictionService(dataDir, [RECORDED], ENGINE, { clock: systemClock, log }, start);
    const at = table.departureTime[firstCall]!;
    await service.update(nothing, at as Instant);
    threads[0]!.beReady();
    await new Promise(setImmediate);
    await service.update(observed(at), at as Instant);
    expect([...service.list()]).toEqual([]);
    threads[0]!.answer(new RangeError('no room left'));
    await new Promise(setImmediate);
    expect([reported, threads[0]!.stopped.aborted]).toEqual([
      ['predictions have stopped: no room left; again in 60 s'],
      true,
    ]);
    await service.close();
  });
});
