import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { trials } from '../support/checks/trials.ts';
import { learnModels } from '../support/worlds/scenes/learn-models.ts';
import { openSceneCountry } from '../support/worlds/scenes/open-scene-country.ts';
import { type PlayedScene, playScene } from '../support/worlds/scenes/play-scene.ts';
import { scoreScenes } from '../support/worlds/scenes/score-scenes.ts';

// The first scenes of `npm run bench -- --only scenes`, which judges the probabilities of 200; with models trained on the
// minimum number of days, of the railways: their trains break down, and nearly all options are trains.
const SCENES = trials(3);
const LEARNT_DAYS = 6;
/** Many times the usual duration, so that the tests pass on a busy machine. */
const TIMEOUT_MILLISECONDS = 1_800_000;
const TODAY = '2026-09-13' as ServiceDate;

let dataDir: string;
const played: PlayedScene[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-scenes-'));
  const country = await openSceneCountry(dataDir, TODAY);
  const models = await learnModels(country, LEARNT_DAYS, ['austria']);
  for (let seed = 1; seed <= SCENES; seed++) played.push(await playScene(country, models, seed));
}, TIMEOUT_MILLISECONDS);
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test('every scene receives an option after the report of the failure', () => {
  for (const { seed, events, offeredAt, options } of played) {
    expect([seed, offeredAt !== null, options.length > 0]).toEqual([seed, true, true]);
    expect(['transferAtRisk', 'transferMissed', 'cancelled']).toContain(
      events.find((kind) => kind !== 'delay' && kind !== 'platform'),
    );
    expect(events.at(-1)).toBe('options');
  }
});

test('options arrive, unless other vehicles are delayed or cancelled later', () => {
  const { bestOnceMissed, bestAfterwards: best, all } = scoreScenes(played);
  expect(best.count).toBeGreaterThan(SCENES / 2);
  // A ride that does not exist would have ended its scene with an error.
  expect(all.failures.cancelled + all.failures.skipped).toBeLessThan(all.count / 10);
  expect(Math.abs(bestOnceMissed.worked - bestOnceMissed.predicted)).toBeLessThan(0.25);
  expect(Math.abs(best.worked - best.predicted)).toBeLessThan(0.25);
  expect(Math.abs(all.worked - all.predicted)).toBeLessThan(0.2);
  // Of few options, one that is cancelled later moves it by minutes.
  expect(best.arrivalErrorMinutes).toBeLessThan(15);
});
