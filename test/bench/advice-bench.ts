import { type AdviceScore, scoreAdvice } from '../support/worlds/scenes/score-advice.ts';
import type { Bench } from './bench.ts';
import type { Metric } from './metric.ts';
import { runSeeds } from './sample-children.ts';
import { asFirm } from './scene-bench.ts';

const DAYS = 4;
const QUICK_DAYS = 1;
const MIN_TRIPS = 500;
const MIN_LATE_VEHICLES = 100;

/** Measures how good the first option of a rescue is for travellers whose plan works out. */
export async function benchAdvice(bench: Bench): Promise<Metric[]> {
  const isQuick = bench.size.name !== 'national';
  const days = isQuick ? QUICK_DAYS : DAYS;
  const dataDir = await bench.sample();
  bench.progress(`rescues of travellers on track on ${days} days of the sample`);
  const advised = (await runSeeds('sample_advice', dataDir, days)).flat();
  const beforeStart = scoreAdvice(advised, 'beforeStart');
  const atStop = scoreAdvice(advised, 'atStop');
  const metrics = [
    ...listAdviceMetrics('before the start', beforeStart, MIN_TRIPS),
    ...listAdviceMetrics('at the stop of a late vehicle', atStop, MIN_LATE_VEHICLES),
    metric('at the stop of a late vehicle: plan certain', 100 * atStop.planCertain, '%', { atLeast: 100 }),
  ];
  return asFirm(metrics, isQuick);
}

function listAdviceMetrics(where: string, score: AdviceScore, minCount: number): Metric[] {
  const name = (what: string) => `${where}: ${what}`;
  return [
    metric(name('travellers on track'), score.count, '', { atLeast: minCount }),
    metric(name('plan among the options'), 100 * score.planShown, '%', { atLeast: 100 }),
    metric(name('plan first'), 100 * score.planFirst, '%'),
    metric(name('plan first, or only after options 5 min earlier and as probable'), 100 * score.planInPlace, '%', {
      atLeast: 100,
    }),
    metric(name('first option after the plan, as predicted, worst'), score.worstPredictedMinutes, 'min', { atMost: 0 }),
    metric(name('cost of following the first option, mean'), score.meanMinutes, 'min', { atMost: 0 }),
    metric(name('cost of following the first option, worst'), score.worstMinutes, 'min'),
    metric(name('plan failed'), 100 * score.planFailed, '%'),
    metric(name('first option failed'), 100 * score.firstFailed, '%'),
  ];
}

function metric(name: string, value: number, unit: string, target?: Metric['target']): Metric {
  return { name: `advice, ${name}`, value, unit, ...(target && { target }) };
}
