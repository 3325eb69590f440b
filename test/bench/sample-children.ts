import os from 'node:os';
import { forEachConcurrently } from '../../pipeline/effects/concurrency.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { samplePublishers } from '../../pipeline/sample/feed/publishers.ts';
import { type AdvisedTraveller, adviseTravellers } from '../support/worlds/scenes/advise-travellers.ts';
import { type JudgedTransfers, judgeTransfers } from '../support/worlds/scenes/judge-transfers.ts';
import { learnPublisher, loadModels, writePastDays } from '../support/worlds/scenes/learn-models.ts';
import { openSceneCountry } from '../support/worlds/scenes/open-scene-country.ts';
import { type PlayedScene, playScene } from '../support/worlds/scenes/play-scene.ts';
import { runInChild } from './child.ts';
import type { SampleModelInput, SamplePastInput, SampleSeedsInput } from './child-tasks.ts';

/** A service date with no holidays or clock changes in the weeks around it. */
const TODAY = '2026-09-13' as ServiceDate;

/** Builds the sample in an empty folder, and writes archives of past days. */
export async function writeSamplePast({ dataDir, days }: SamplePastInput): Promise<null> {
  await writePastDays(await openSceneCountry(dataDir, TODAY), days);
  return null;
}

export async function trainSampleModel({ dataDir, publisher }: SampleModelInput): Promise<null> {
  await learnPublisher({ dataDir, today: TODAY }, publisher);
  return null;
}

/** Trains the models of the sample on past days, in a process per core. @param dataDir an empty folder */
export async function trainSample(dataDir: string, days: number): Promise<void> {
  await runInChild('sample_past', { dataDir, days });
  await forEachConcurrently(samplePublishers, os.availableParallelism(), async (publisher) => {
    await runInChild('sample_model', { dataDir, publisher });
  });
}

async function openSample(dataDir: string) {
  const country = await openSceneCountry(dataDir, TODAY);
  return { country, models: await loadModels(country) };
}

/** Polls take most of the time of a scene. */
const POLL_SECONDS = 180;

export async function playSeeds({ dataDir, seeds }: SampleSeedsInput): Promise<PlayedScene[]> {
  const { country, models } = await openSample(dataDir);
  const played: PlayedScene[] = [];
  for (const seed of seeds) played.push(withoutRides(await playScene(country, models, seed, POLL_SECONDS)));
  return played;
}

/** Rides are long, and no metric uses them. */
function withoutRides(scene: PlayedScene): PlayedScene {
  const shorten = (options: PlayedScene['options']) =>
    options.map((option) => ({ ...option, ridden: { ...option.ridden, rides: [] } }));
  const { options, onceMissed, afterwards } = scene;
  return {
    ...scene,
    options: shorten(options),
    onceMissed: shorten(onceMissed),
    afterwards: shorten(afterwards),
  };
}

export async function judgeSeeds({ dataDir, seeds }: SampleSeedsInput): Promise<JudgedTransfers> {
  const { country, models } = await openSample(dataDir);
  return judgeTransfers(country, models, seeds);
}

export async function adviseSeeds({ dataDir, seeds }: SampleSeedsInput): Promise<AdvisedTraveller[]> {
  const { country, models } = await openSample(dataDir);
  return adviseTravellers(country, models, seeds);
}

type SeedsTask = 'sample_scenes' | 'sample_transfers' | 'sample_advice';

/** Runs a task for the seeds from 1 to a number, in a process per core. */
export async function runSeeds<Name extends SeedsTask>(name: Name, dataDir: string, count: number) {
  const processes = Math.min(count, os.availableParallelism());
  const seeds = Array.from({ length: count }, (_, i) => i + 1);
  return Promise.all(
    Array.from({ length: processes }, (_, i) =>
      runInChild(name, { dataDir, seeds: seeds.filter((seed) => seed % processes === i) }),
    ),
  );
}
