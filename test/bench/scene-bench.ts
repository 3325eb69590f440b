import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { judgeTransfers } from '../support/worlds/scenes/judge-transfers.ts';
import { learnModels } from '../support/worlds/scenes/learn-models.ts';
import { openSceneCountry } from '../support/worlds/scenes/open-scene-country.ts';
import { type PlayedScene, playScene } from '../support/worlds/scenes/play-scene.ts';
import {
  findError,
  type KindScore,
  type OptionScore,
  type SceneScore,
  scoreScenes,
} from '../support/worlds/scenes/score-scenes.ts';
import { scoreTransfers, type TransferScore } from '../support/worlds/scenes/score-transfers.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import type { ScenesInput } from './child-tasks.ts';
import type { Metric } from './metric.ts';
import { listTransferMetrics } from './transfer-metrics.ts';

const SCENES = 200;
const QUICK_SCENES = 20;
/** Days of the complete sample, and the minimum from which transfers are learnt. */
const LEARNT_DAYS = 35;
const QUICK_LEARNT_DAYS = 10;
/** Days whose transfers are judged. */
const TRANSFER_DAYS = 5;
const QUICK_TRANSFER_DAYS = 1;

/**
 * Measures trips with a missed transfer, how the options sent to their watches turn out, and how the transfers of an
 * ordinary day turn out against their risk and probability.
 */
export async function benchScenes(bench: Bench): Promise<Metric[]> {
  const isQuick = bench.size.name !== 'national';
  const scenes = isQuick ? QUICK_SCENES : SCENES;
  const transferDays = isQuick ? QUICK_TRANSFER_DAYS : TRANSFER_DAYS;
  bench.progress(`${scenes} scenes of missed transfers, and the transfers of ${transferDays} days, in the sample`);
  const dataDir = await bench.makeFolder();
  const learntDays = isQuick ? QUICK_LEARNT_DAYS : LEARNT_DAYS;
  const { score, transfers } = await runInChild('scenes', { dataDir, scenes, learntDays, transferDays });
  const metrics = listSceneMetrics(score, transfers);
  // A tenth of the cases decides nothing.
  return isQuick ? metrics : metrics.map((metric) => (metric.target ? { ...metric, isFirm: true } : metric));
}

function listSceneMetrics(score: SceneScore, transfers: TransferScore): Metric[] {
  return [
    { name: 'scenes: played', value: score.scenes, unit: '' },
    { name: 'scenes: no option sent', value: score.withoutOption, unit: '' },
    ...listMetrics('best options, first sent', score.best),
    ...listMetrics('best options, once the change is missed', score.bestOnceMissed),
    ...listMetrics('best options, once the train runs again', score.bestAfterwards),
    ...listMetrics('all options, once the train runs again', score.all),
    ...score.kinds.filter(({ count }) => count > 0).flatMap(listKindMetrics),
    ...listTransferMetrics(transfers),
  ];
}

/** A service date with no holidays or clock changes in the weeks around it. */
const TODAY = '2026-09-13' as ServiceDate;

/** Plays the scenes with the seeds 1 and up. */
export async function measureScenes({
  dataDir,
  scenes,
  learntDays,
  transferDays,
}: ScenesInput): Promise<{ readonly score: SceneScore; readonly transfers: TransferScore }> {
  const country = await openSceneCountry(dataDir, TODAY);
  const models = await learnModels(country, learntDays);
  const transfers = scoreTransfers(await judgeTransfers(country, models, transferDays));
  const played: PlayedScene[] = [];
  for (let seed = 1; seed <= scenes; seed++) played.push(await playScene(country, models, seed));
  return { score: scoreScenes(played), transfers };
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
