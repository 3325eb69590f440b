import {
  findError,
  type KindScore,
  type OptionScore,
  type SceneScore,
  scoreScenes,
} from '../support/worlds/scenes/score-scenes.ts';
import type { Bench } from './bench.ts';
import type { Metric } from './metric.ts';
import { runSeeds } from './sample-children.ts';

const SCENES = 200;
const QUICK_SCENES = 20;

/** Measures trips with a missed transfer, and how the options sent to their watches turn out. */
export async function benchScenes(bench: Bench): Promise<Metric[]> {
  const isQuick = bench.size.name !== 'national';
  const scenes = isQuick ? QUICK_SCENES : SCENES;
  const dataDir = await bench.sample();
  bench.progress(`${scenes} scenes of missed transfers in the sample`);
  const played = (await runSeeds('sample_scenes', dataDir, scenes)).flat();
  return asFirm(listSceneMetrics(scoreScenes(played)), isQuick);
}

/** Seeded, so that a missed target is a failure; but a tenth of the cases decides nothing. */
export function asFirm(metrics: readonly Metric[], isQuick: boolean): Metric[] {
  return metrics.map((metric) => (metric.target && !isQuick ? { ...metric, isFirm: true } : metric));
}

function listSceneMetrics(score: SceneScore): Metric[] {
  return [
    { name: 'scenes: played', value: score.scenes, unit: '' },
    { name: 'scenes: no option sent', value: score.withoutOption, unit: '' },
    ...listMetrics('best options, first sent', score.best),
    ...listMetrics('best options, once the transfer is missed', score.bestOnceMissed),
    ...listMetrics('best options, once the train runs again', score.bestAfterwards),
    ...listMetrics('all options, once the train runs again', score.all),
    ...score.kinds.filter(({ count }) => count > 0).flatMap(listKindMetrics),
  ];
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

/** A prediction may be off by so many points, or within the confidence interval of what was observed. */
const MAX_ERROR_POINTS = 3;

function listKindMetrics(score: KindScore): Metric[] {
  const { kind, count, worked, predicted, interval } = score;
  const name = `scenes, best ${kind} of each scene, once the train runs again`;
  return [
    { name: `${name}: options`, value: count, unit: '' },
    { name: `${name}: mean probability`, value: 100 * predicted, unit: '%' },
    { name: `${name}: worked`, value: 100 * worked, unit: '%' },
    { name: `${name}: worked, interval from`, value: 100 * interval.low, unit: '%' },
    { name: `${name}: worked, interval to`, value: 100 * interval.high, unit: '%' },
    {
      name: `${name}: error outside of the interval`,
      value: findError(score),
      unit: 'points',
      target: { atMost: MAX_ERROR_POINTS },
    },
  ];
}
