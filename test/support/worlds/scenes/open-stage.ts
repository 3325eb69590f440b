import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ApiConfig } from '../../../../api/api-config.ts';
import type { TripRequest, TripResult } from '../../../../api/contract/definitions.ts';
import { startApi } from '../../../../api/start-api.ts';
import { sampleRealtime } from '../../../../jobs/definitions/sample-realtime.ts';
import { withSampleCredit } from '../../../../jobs/definitions/sample-sources.ts';
import { silentLog } from '../../../../pipeline/effects/log.ts';
import { type Instant, parseTimestamp, type ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { breakDownOnly } from '../../../../pipeline/sample/simulator/breakdowns.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import { type Random, seededRandom } from '../../../../pipeline/sample/simulator/seeded-random.ts';
import type { AnswerSource } from '../../../../pipeline/sample/upstream/answer-source.ts';
import { simulatedAnswers } from '../../../../pipeline/sample/upstream/simulated-answers.ts';
import { testConfig } from '../../../jobs/fake-world.ts';
import { expectValidAnswer } from '../../checks/contract-validator.ts';
import { type SteeredPolling, startPolling } from '../../fakes/steered-polling.ts';
import { breakDown, drawTransferringTrip, type TransferringTrip } from './find-watched-trip.ts';
import { openSceneCountry, SCENE_KEY, type SceneCountry } from './open-scene-country.ts';
import { openTruth, type Truth } from './ride-trip.ts';

/** A Monday, half past seven in Vienna. */
const START = '2026-03-02T06:30:00Z';
const YESTERDAY = '2026-03-01' as ServiceDate;
export const startInstant = parseTimestamp(START)!;
/** Usual interval of polls. */
export const STEP_SECONDS = 120;
/** Upper limit between choosing the trip and its begin. */
const MAX_AHEAD_SECONDS = 1200;
/** How much longer the train stops than there is time for the transfer. */
const OVER_SECONDS = 600;

const operation = { seed: 8, timetableSeed: 1 };

/** The whole service on the sample and its upstreams, with a clock that the test controls. */
export interface Stage {
  readonly country: SceneCountry;
  readonly polling: SteeredPolling;
  readonly config: ApiConfig;
  readonly url: string;
  /** Interval of polls. */
  readonly stepSeconds: number;
  /** Replaces the answers of the upstreams. */
  operate(answers: AnswerSource): void;
  post<Body, Answer>(url: string, type: string, body: Body): Promise<Answer>;
}

/** It is closed when the test ends. */
export async function openStage(stepSeconds = STEP_SECONDS): Promise<Stage> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-scene-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const country = await openSceneCountry(dataDir, YESTERDAY);
  let answers = simulatedAnswers(createSimulator(country.lookups, operation));
  const polling = await startPolling({
    dataDir,
    answers: (request, instant) => answers(request, instant),
    start: START,
    // The other protocols report some of the same trips.
    configure: (url) =>
      sampleRealtime(url)
        .filter(({ kind }) => kind === 'gtfs-rt')
        .map((source) => ({ ...source, intervalSeconds: stepSeconds })),
  });
  onTestFinished(polling.end);
  const base = await testConfig(dataDir);
  const config = {
    ...withSampleCredit(base),
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    referenceKey: Buffer.from(SCENE_KEY).toString('hex'),
    fairUse: { unitsPerMinute: 0, burst: 0 },
    planner: { ...base.planner, threads: 0 },
    watches: { ...base.watches, allowLoopbackPushes: true },
  };
  const api = await startApi(config, { clock: polling.clock, log: silentLog });
  onTestFinished(() => api.close());
  return {
    country,
    polling,
    config,
    url: api.url,
    stepSeconds,
    operate(next) {
      answers = next;
    },
    async post(url, type, body) {
      const headers = { 'content-type': 'application/json', 'x-installation-token': 'a-phone' };
      const response = await fetch(api.url + url, { method: 'POST', headers, body: JSON.stringify(body) });
      const answer = await response.json();
      expect([url, response.status, answer]).toEqual([url, 200, answer]);
      await expectValidAnswer(type, answer);
      return answer as never;
    },
  };
}

// ---- Plot --------------------------------------------------------------------------------------

/** A trip with a transfer that will be missed, once `breakTrain` has been called. */
interface Plot {
  readonly changing: TransferringTrip;
  /** Stops its first train for longer than there is time for the transfer. @returns the actual times from then on */
  breakTrain(): Truth;
}

/** Draws a trip that begins soon. */
export async function openPlot(stage: Stage): Promise<Plot> {
  const { country } = stage;
  const random: Random = seededRandom(operation.seed, 'scene');
  const changing = await drawTransferringTrip(
    country,
    { time: (startInstant + 2 * stage.stepSeconds) as Instant, maxAheadSeconds: MAX_AHEAD_SECONDS, random },
    (body) => stage.post<TripRequest, TripResult>('/v2/trips', 'TripResult', body),
  );
  return {
    changing,
    breakTrain() {
      const calm = openTruth(country, createSimulator(country.lookups, operation));
      const breakdown = breakDown(changing, calm, OVER_SECONDS, random);
      const simulator = createSimulator(country.lookups, { ...operation, findBreakdown: breakDownOnly(breakdown) });
      stage.operate(simulatedAnswers(simulator));
      return openTruth(country, simulator);
    },
  };
}
