import { expect } from 'vitest';
import type { PredictionBatch, V1Predictions } from '../../../api/contract/definitions.ts';
import { createReferences } from '../../../api/engine/read/references.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { TripPrediction } from '../../../pipeline/model/prediction.ts';
import type { SourceUpdate } from '../../../pipeline/model/realtime.ts';
import { type Instant, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { hashTrip } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { instant, openWorld, TEST_KEY, type World } from '../../support/worlds/board-world.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { predictionOf, type Quantiles } from '../../support/worlds/trip-predictions.ts';
import { at, DAY, town } from '../engine/live-town.ts';
import { openService, type ServiceOptions } from '../service-app.ts';

// The town on a morning on which a bus and a tram are forecast, asked by HTTP.

export const openTown = () => openWorld(town);
export const references = createReferences(TEST_KEY);

/** A clock time of the day, plus some seconds. */
export const observedAt = (clock: string, seconds = 0) => (instant(at(clock)) + seconds) as Instant;

export const NOW = '08:05';
export const SURE: Quantiles = [60, 90, 120];

/** The bus t1 has left its first stop; s1 is scheduled for 08:10, k for 08:20, z for 08:30. */
export const ofBus = (over: Partial<TripPrediction> = {}, quantiles: readonly Quantiles[] = [SURE, SURE, SURE]) =>
  predictionOf('t1', { day: DAY, observedAt: at('08:02') }, quantiles, over);
/** The tram t3 leaves s2 at 08:15 and calls at k at 08:25. */
const ofTram = (over: Partial<TripPrediction> = {}) =>
  predictionOf('t3', { day: DAY, observedAt: at('08:04') }, [[-40, -30, -20]], over);

export const refOf = (tripId: string, day: string = DAY) =>
  references.sealJourney({ tripKey: hashTrip('at', tripId, -1), day: toEpochDay(day as ServiceDate) });

export interface LastEmitted {
  readonly forecasts?: readonly TripPrediction[];
  readonly updates?: Readonly<Record<string, Partial<SourceUpdate>>>;
  /** Time of the reports. */
  readonly reportedAt?: string;
  /** Time of publication and request. */
  readonly now?: string;
  readonly options?: Partial<ServiceOptions>;
}

export async function openLive({
  forecasts = [ofBus(), ofTram()],
  updates = {},
  reportedAt = '08:02',
  now = NOW,
}: LastEmitted): Promise<World> {
  const live = await openLiveWorld(await openTown(), ['other', 'rt']);
  for (const [source, update] of Object.entries(updates)) live.report(source, at(reportedAt), update);
  live.forecast(forecasts);
  return live.at(at(now));
}

export async function open(emitted: LastEmitted = {}) {
  return openService(await openLive(emitted), { clock: fixedClock(at(emitted.now ?? NOW)), ...emitted.options });
}

export async function get(query: string, emitted: LastEmitted = {}): Promise<V1Predictions> {
  const answer = await (await open(emitted)).inject({ url: `/v1/predictions?${query}` });
  expect(answer.statusCode, answer.body).toBe(200);
  await expectValidAnswer('V1Predictions', answer.json());
  expect(answer.json().count).toBe(answer.json().predictions.length);
  return answer.json();
}

export async function postV1(jids: readonly string[], emitted: LastEmitted = {}): Promise<V1Predictions> {
  const answer = await (await open(emitted)).inject({
    method: 'POST',
    url: '/v1/predictions/batch',
    payload: { jids },
  });
  await expectValidAnswer('V1Predictions', answer.json());
  return answer.json();
}

export async function post(journeyRefs: readonly string[], emitted: LastEmitted = {}): Promise<PredictionBatch> {
  const request = { method: 'POST', url: '/v2/predictions/batch', payload: { journeyRefs } } as const;
  const answer = await (await open(emitted)).inject(request);
  expect(answer.statusCode, answer.body).toBe(200);
  await expectValidAnswer('PredictionBatch', answer.json());
  return answer.json();
}
