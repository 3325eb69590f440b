import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { learnModels } from '../support/worlds/scenes/learn-models.ts';
import { openSceneCountry } from '../support/worlds/scenes/open-scene-country.ts';
import { type PlayedScene, playScene } from '../support/worlds/scenes/play-scene.ts';
import { scoreScenes } from '../support/worlds/scenes/score-scenes.ts';

// The first of those that `npm run bench -- --only scenes` plays, with models of as few days as changes are learnt from.
const SCENES = 12;
const LEARNT_DAYS = 10;
/** Many times what they take: a busy machine must not fail them. */
const TIMEOUT_MILLISECONDS = 900_000;
const TODAY = '2026-09-13' as ServiceDate;

let dataDir: string;
const played: PlayedScene[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-scenes-'));
  const country = await openSceneCountry(dataDir, TODAY);
  const models = await learnModels(country, LEARNT_DAYS);
  for (let seed = 1; seed <= SCENES; seed++) played.push(await playScene(country, models, seed));
}, TIMEOUT_MILLISECONDS);
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test('every scene is told a way on, after it was told what has happened', () => {
  for (const { seed, events, offeredAt, options } of played) {
    expect([seed, offeredAt !== null, options.length > 0]).toEqual([seed, true, true]);
    expect(['transferAtRisk', 'transferMissed', 'cancelled']).toContain(
      events.find((kind) => kind !== 'delay' && kind !== 'platform'),
    );
    expect(events.at(-1)).toBe('options');
  }
});

test('who rides on arrives, except for what delays and cancellations of other vehicles do', () => {
  const { bestOnceMissed, bestAfterwards: best, all } = scoreScenes(played);
  expect(best.count).toBeGreaterThan(SCENES / 2);
  // A ride that the operation does not have would have ended its scene with an error.
  expect(all.failures.cancelled + all.failures.skipped).toBeLessThan(all.count / 10);
  expect(Math.abs(bestOnceMissed.worked - bestOnceMissed.predicted)).toBeLessThan(0.25);
  expect(Math.abs(best.worked - best.predicted)).toBeLessThan(0.25);
  expect(Math.abs(all.worked - all.predicted)).toBeLessThan(0.2);
  expect(best.arrivalErrorMinutes).toBeLessThan(5);
});
