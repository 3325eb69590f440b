import type { JudgedTransfer, JudgedTransfers } from './judge-transfers.ts';

export interface TransferScore {
  readonly judged: number;
  readonly cancelled: number;
  readonly byRisk: Readonly<Record<JudgedTransfer['risk'], RiskScore>>;
  /** Share of transfers with a probability. */
  readonly knownShare: number;
  readonly bySource: Readonly<Record<NonNullable<JudgedTransfer['probabilityFrom']>, CalibrationScore>>;
  /** All with a probability, and those of them whose two vehicles have a prediction. */
  readonly all: BrierScores;
  readonly predicted: BrierScores;
}

/** Brier scores of the same transfers. */
interface BrierScores {
  readonly count: number;
  readonly ours: number;
  /** The share of them that was made, as the probability of each. */
  readonly share: number;
  /** Predictions taken as independent, the only estimate without a model of transfers; NaN if one has none. */
  readonly independent: number;
}

export interface RiskScore {
  readonly count: number;
  readonly share: number;
  /** Share of them that were made; NaN without any. */
  readonly made: number;
}

export interface CalibrationScore {
  readonly count: number;
  /** Mean square of probability minus outcome. */
  readonly brier: number;
  readonly bins: readonly CalibrationBin[];
}

/** Transfers with a probability in `[from, from + 0.1)`; the last bin includes 1. */
interface CalibrationBin {
  readonly from: number;
  readonly count: number;
  readonly predicted: number;
  readonly made: number;
}

const BINS = 10;

export function scoreTransfers({ transfers, cancelled }: JudgedTransfers): TransferScore {
  const known = transfers.filter(({ probability }) => probability !== null);
  const ofRisk = (wanted: JudgedTransfer['risk']): RiskScore => {
    const those = transfers.filter(({ risk }) => risk === wanted);
    return { count: those.length, share: those.length / transfers.length, made: mean(those.map(outcomeOf)) };
  };
  return {
    judged: transfers.length,
    cancelled,
    byRisk: {
      ok: ofRisk('ok'),
      tight: ofRisk('tight'),
      missed: ofRisk('missed'),
      guaranteed: ofRisk('guaranteed'),
    },
    knownShare: known.length / transfers.length,
    bySource: {
      live: scoreCalibration(known.filter(({ probabilityFrom }) => probabilityFrom === 'live')),
      history: scoreCalibration(known.filter(({ probabilityFrom }) => probabilityFrom === 'history')),
    },
    all: compareBrier(known),
    predicted: compareBrier(known.filter(({ independentProbability }) => independentProbability !== null)),
  };
}

function compareBrier(transfers: readonly JudgedTransfer[]): BrierScores {
  const made = mean(transfers.map(outcomeOf));
  const score = (probabilityOf: (one: JudgedTransfer) => number) =>
    mean(transfers.map((one) => (probabilityOf(one) - outcomeOf(one)) ** 2));
  return {
    count: transfers.length,
    ours: score(({ probability }) => probability!),
    share: score(() => made),
    independent: score(({ independentProbability }) => independentProbability ?? Number.NaN),
  };
}

function scoreCalibration(transfers: readonly JudgedTransfer[]): CalibrationScore {
  const binOf = ({ probability }: JudgedTransfer) => Math.min(BINS - 1, Math.floor(BINS * probability!));
  return {
    count: transfers.length,
    brier: mean(transfers.map((one) => (one.probability! - outcomeOf(one)) ** 2)),
    bins: Array.from({ length: BINS }, (_, bin) => {
      const within = transfers.filter((one) => binOf(one) === bin);
      const predicted = mean(within.map(({ probability }) => probability!));
      return { from: bin / BINS, count: within.length, predicted, made: mean(within.map(outcomeOf)) };
    }),
  };
}

/** 0 or 1. */
function outcomeOf({ isMade }: JudgedTransfer): number {
  return isMade ? 1 : 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
