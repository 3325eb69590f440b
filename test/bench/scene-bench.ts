import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { learnModels } from '../support/worlds/scenes/learn-models.ts';
import { openSceneCountry } from '../support/worlds/scenes/open-scene-country.ts';
import { type PlayedScene, playScene } from '../support/worlds/scenes/play-scene.ts';
import { type OptionScore, type SceneScore, scoreScenes } from '../support/worlds/scenes/score-scenes.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import type { ScenesInput } from './child-tasks.ts';
import type { Metric } from './metric.ts';

const SCENES = 200;
const QUICK_SCENES = 20;
/** Days of the complete sample, and the minimum from which transfers are learnt. */
const LEARNT_DAYS = 35;
const QUICK_LEARNT_DAYS = 10;

/** Measures trips with a missed transfer, and how the options sent to their watches turn out. */
export async function benchScenes(bench: Bench): Promise<Metric[]> {
  const isQuick = bench.size.name !== 'national';
  const scenes = isQuick ? QUICK_SCENES : SCENES;
  bench.progress(`${scenes} scenes of broken changes in the sample`);
  const dataDir = await bench.makeFolder();
  const learntDays = isQuick ? QUICK_LEARNT_DAYS : LEARNT_DAYS;
  const score = await runInChild('scenes', { dataDir, scenes, learntDays });
  return [
    { name: 'scenes: played', value: score.scenes, unit: '' },
    { name: 'scenes: no option sent', value: score.untold, unit: '' },
    ...listMetrics('best options, first sent', score.best),
    ...listMetrics('best options, once the change is missed', score.bestOnceMissed),
    ...listMetrics('best options, once the train runs again', score.bestAfterwards),
    ...listMetrics('all options, once the train runs again', score.all),
  ];
}

/** A service date with no holidays or clock changes in the weeks around it. */
const TODAY = '2026-09-13' as ServiceDate;

/** Plays the scenes with the seeds 1 and up. */
export async function measureScenes({ dataDir, scenes, learntDays }: ScenesInput): Promise<SceneScore> {
  const country = await openSceneCountry(dataDir, TODAY);
  const models = await learnModels(country, learntDays);
  const played: PlayedScene[] = [];
  for (let seed = 1; seed <= scenes; seed++) played.push(await playScene(country, models, seed));
  return scoreScenes(played);
}

function listMetrics(what: string, score: OptionScore): Metric[] {
  const { count, worked, predicted, brier, bins, unknown, failures } = score;
  const metric = (name: string, value: number, unit = '%'): Metric => ({
    name: `scenes, ${what}: ${name}`,
    value,
    unit,
  });
  const shares = (name: string, one: Pick<OptionScore, 'worked' | 'predicted'>) => [
    metric(`${name}worked`, 100 * one.worked),
    metric(`${name}mean probability sent`, 100 * one.predicted),
  ];
  return [
    metric('sent with a probability', count, ''),
    ...shares('', { worked, predicted }),
    metric('Brier score', brier, ''),
    ...bins
      .filter((bin) => bin.count > 0)
      .flatMap((bin) => {
        const name = `sent ${Math.round(100 * bin.from)} to ${Math.round(100 * bin.to)} %, `;
        return [metric(`${name}options`, bin.count, ''), ...shares(name, bin)];
      }),
    metric('without a probability', unknown.count, ''),
    ...(unknown.count > 0 ? [metric('without a probability, worked', 100 * unknown.worked)] : []),
    metric('failed: missed', failures.missed, ''),
    metric('failed: cancelled or not stopping', failures.cancelled + failures.skipped, ''),
    metric('mean error of arrival', score.arrivalErrorMinutes, 'min'),
    metric('mean lateness of arrival', score.arrivalBiasMinutes, 'min'),
  ];
}
