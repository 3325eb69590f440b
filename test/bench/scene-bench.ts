import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { learnModels } from '../support/worlds/scenes/learn-models.ts';
import { openSceneCountry } from '../support/worlds/scenes/open-scene-country.ts';
import { type PlayedScene, playScene } from '../support/worlds/scenes/play-scene.ts';
import { type OptionScore, type SceneScore, scoreScenes } from '../support/worlds/scenes/score-scenes.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import type { ScenesInput } from './child-tasks.ts';
import type { Figure } from './figure.ts';

const SCENES = 200;
const QUICK_SCENES = 20;
/** As many as the sample has when it is complete, and as few as changes are learnt from. */
const LEARNT_DAYS = 35;
const QUICK_LEARNT_DAYS = 10;

/** Trips whose change breaks, and what became of the options that their watches were told. */
export async function benchScenes(bench: Bench): Promise<Figure[]> {
  const isQuick = bench.size.name !== 'national';
  const scenes = isQuick ? QUICK_SCENES : SCENES;
  bench.tell(`${scenes} scenes of broken changes in the sample`);
  const dataDir = await bench.makeFolder();
  const learntDays = isQuick ? QUICK_LEARNT_DAYS : LEARNT_DAYS;
  const score = await runInChild('scenes', { dataDir, scenes, learntDays });
  return [
    { name: 'scenes: played', value: score.scenes, unit: '' },
    { name: 'scenes: told no option', value: score.untold, unit: '' },
    ...listFigures('best options, first told', score.best),
    ...listFigures('best options, once the change is missed', score.bestOnceMissed),
    ...listFigures('best options, once the train runs again', score.bestAfterwards),
    ...listFigures('all options, once the train runs again', score.all),
  ];
}

/** A service date without holidays or changes of the clock in the weeks before and after. */
const TODAY = '2026-09-13' as ServiceDate;

/** Plays the scenes with the seeds 1 and up. */
export async function measureScenes({ dataDir, scenes, learntDays }: ScenesInput): Promise<SceneScore> {
  const country = await openSceneCountry(dataDir, TODAY);
  const models = await learnModels(country, learntDays);
  const played: PlayedScene[] = [];
  for (let seed = 1; seed <= scenes; seed++) played.push(await playScene(country, models, seed));
  return scoreScenes(played);
}

function listFigures(what: string, score: OptionScore): Figure[] {
  const { count, worked, predicted, brier, bins, unknown, failures } = score;
  const figure = (name: string, value: number, unit = '%'): Figure => ({
    name: `scenes, ${what}: ${name}`,
    value,
    unit,
  });
  const shares = (name: string, one: Pick<OptionScore, 'worked' | 'predicted'>) => [
    figure(`${name}worked`, 100 * one.worked),
    figure(`${name}mean probability told`, 100 * one.predicted),
  ];
  return [
    figure('told with a probability', count, ''),
    ...shares('', { worked, predicted }),
    figure('Brier score', brier, ''),
    ...bins
      .filter((bin) => bin.count > 0)
      .flatMap((bin) => {
        const name = `told ${Math.round(100 * bin.from)} to ${Math.round(100 * bin.to)} %, `;
        return [figure(`${name}options`, bin.count, ''), ...shares(name, bin)];
      }),
    figure('without a probability', unknown.count, ''),
    ...(unknown.count > 0 ? [figure('without a probability, worked', 100 * unknown.worked)] : []),
    figure('failed: missed', failures.missed, ''),
    figure('failed: cancelled or not stopping', failures.cancelled + failures.skipped, ''),
    figure('mean error of arrival', score.arrivalErrorMinutes, 'min'),
    figure('mean lateness of arrival', score.arrivalBiasMinutes, 'min'),
  ];
}
