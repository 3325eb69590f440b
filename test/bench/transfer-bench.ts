import {
  type CalibrationScore,
  type RiskScore,
  scoreTransfers,
  type TransferScore,
} from '../support/worlds/scenes/score-transfers.ts';
import type { Bench } from './bench.ts';
import type { Metric } from './metric.ts';
import { runSeeds } from './sample-children.ts';
import { asFirm } from './scene-bench.ts';

/** Days whose transfers are judged. */
const DAYS = 10;
const QUICK_DAYS = 1;

/** Measures how the transfers of ordinary days turn out against their risk and probability. */
export async function benchTransfers(bench: Bench): Promise<Metric[]> {
  const isQuick = bench.size.name !== 'national';
  const days = isQuick ? QUICK_DAYS : DAYS;
  const dataDir = await bench.sample();
  bench.progress(`transfers of ${days} days in the sample`);
  const parts = await runSeeds('sample_transfers', dataDir, days);
  const transfers = parts.flatMap((part) => part.transfers);
  const cancelled = parts.reduce((sum, part) => sum + part.cancelled, 0);
  return asFirm(listTransferMetrics(scoreTransfers({ transfers, cancelled })), isQuick);
}

/** Bins with fewer transfers are shown without a target. */
const MIN_BIN_COUNT = 300;
const MAX_ERROR_POINTS = 3;

/** The risk of a transfer says how often it is made, and its probability is the share that is made. */
function listTransferMetrics(score: TransferScore): Metric[] {
  const { judged, cancelled, byRisk, knownShare, bySource, all, predicted } = score;
  return [
    metric('judged', judged, ''),
    metric('with a vehicle that was cancelled or did not stop', cancelled, ''),
    ...listRiskMetrics('ok', byRisk.ok, { made: { atLeast: 95 } }),
    ...listRiskMetrics('tight', byRisk.tight, { share: { atMost: 25 }, made: { atMost: 85 } }),
    ...listRiskMetrics('missed', byRisk.missed),
    ...listRiskMetrics('guaranteed', byRisk.guaranteed),
    metric('with a probability', 100 * knownShare, '%', { atLeast: 90 }),
    ...listCalibrationMetrics('live', bySource.live),
    ...listCalibrationMetrics('history', bySource.history),
    ...listBrierMetrics('all with a probability', all),
    ...listBrierMetrics('both vehicles predicted', predicted),
  ];
}

interface RiskTargets {
  readonly share?: Metric['target'];
  readonly made?: Metric['target'];
}

function listRiskMetrics(risk: string, { count, share, made }: RiskScore, targets: RiskTargets = {}): Metric[] {
  return [
    metric(`${risk}: share of all`, 100 * share, '%', targets.share),
    ...(count > 0 ? [metric(`${risk}: made`, 100 * made, '%', targets.made)] : []),
  ];
}

function listCalibrationMetrics(source: string, { count, brier, bins }: CalibrationScore): Metric[] {
  if (count === 0) return [];
  return [
    metric(`${source}: transfers`, count, ''),
    metric(`${source}: Brier score`, brier, ''),
    ...bins
      .filter((bin) => bin.count > 0)
      .flatMap((bin) => {
        const name = `${source}, ${Math.round(100 * bin.from)} to ${Math.round(100 * bin.from + 10)} %`;
        const target = bin.count >= MIN_BIN_COUNT ? { atMost: MAX_ERROR_POINTS } : undefined;
        return [
          metric(`${name}: transfers`, bin.count, ''),
          metric(`${name}: mean probability`, 100 * bin.predicted, '%'),
          metric(`${name}: made`, 100 * bin.made, '%'),
          metric(`${name}: error`, 100 * Math.abs(bin.predicted - bin.made), 'points', target),
        ];
      }),
  ];
}

function listBrierMetrics(what: string, { count, ours, share, independent }: TransferScore['all']): Metric[] {
  if (count === 0) return [];
  return [
    metric(`${what}: transfers`, count, ''),
    metric(`${what}: Brier score`, ours, ''),
    metric(`${what}: Brier score of the share made`, share, ''),
    ...(Number.isNaN(independent) ? [] : [metric(`${what}: Brier score of independent predictions`, independent, '')]),
  ];
}

function metric(name: string, value: number, unit: string, target?: Metric['target']): Metric {
  return { name: `transfers, ${name}`, value, unit, ...(target && { target }) };
}
