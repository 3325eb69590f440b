import type { Pairs } from './choose-pairs.ts';
import { currentColumns, planColumns, writeCurrent, writePlan } from './current-features.ts';
import { type HistoryWeights, historyColumns, PastRuns } from './history-features.ts';
import { LegWalk, legColumns } from './leg-features.ts';
import { OffsetVotes } from './offset-votes.ts';
import { buildPlanIndex, type PlanIndex } from './plan-index.ts';
import type { RunTable } from './run-table.ts';
import { emptyStatistics, takeEvents } from './running-statistics.ts';
import { sweep } from './sweep.ts';

/** Groups of columns, in the order of a row: what is dropped together when it is measured what helps. */
export const featureGroups = {
  current: currentColumns,
  plan: planColumns,
  train: historyColumns.map((name) => `train_${name}`),
  pattern: historyColumns.map((name) => `pattern_${name}`),
  legs: legColumns,
} as const satisfies Record<string, readonly string[]>;

export type FeatureGroup = keyof typeof featureGroups;

export const featureColumns: readonly string[] = Object.values(featureGroups).flat();

/** One row per pair; NaN where something is not known. Delays and durations in seconds. */
export interface FeatureTable {
  readonly count: number;
  readonly columns: readonly string[];
  /** Row after row. */
  readonly values: Float32Array;
  /** Seconds that the arrival is expected to have beyond its whole minute, where the table has delays on that grid. */
  readonly offsets: Uint8Array;
}

const sameTrain: HistoryWeights = {
  days: 30,
  timeOfDay: Number.POSITIVE_INFINITY,
  isSameDayTaken: false,
  otherPlan: 0,
  delay: 60,
  delayShare: 0.3,
};
const samePattern: HistoryWeights = {
  days: 15,
  timeOfDay: 5400,
  isSameDayTaken: true,
  otherPlan: 0.2,
  delay: 60,
  delayShare: 0.3,
};

/** What other trains of the pattern count where the train itself has a history. */
const PATTERN_VOTE = 0.05;
/** And what counts that is pieced together from the legs. */
const LEG_VOTE = 0.05;

/** How many past days of its train an instant may look at. */
export type TrainDays = (call: number) => number;

/**
 * What is known about each pair at its instant, and nothing that came later: one sweep in the order of time.
 * @param pairs sorted by their first call
 * @param trainDays fewer than there are for some instants, so that a model learns what to do with new trains
 */
export function buildFeatures(
  table: RunTable,
  pairs: Pairs,
  trainDays: TrainDays = () => Number.POSITIVE_INFINITY,
  index: PlanIndex = buildPlanIndex(table),
): FeatureTable {
  const width = featureColumns.length;
  const values = new Float32Array(pairs.count * width);
  const firstPair = findFirstPairs(table, pairs);
  const statistics = emptyStatistics(table, index);
  const legWalk = new LegWalk(table, index, statistics);
  const train = new PastRuns(table, index, sameTrain);
  const pattern = new PastRuns(table, index, samePattern);
  const votes = new OffsetVotes();
  const offsets = new Uint8Array(pairs.count);
  sweep(table, (call) => firstPair[call]! >= 0, {
    ...takeEvents(table, index, statistics),
    onInstant: (call, run, at) => {
      legWalk.start(call);
      train.start(statistics.trainRuns, table.train[run]!, run, call, trainDays(call));
      pattern.start(statistics.patternRuns, index.pattern[run]!, run, call);
      for (let pair = firstPair[call]!; pair < pairs.count && pairs.from[pair] === call; pair++) {
        const to = pairs.to[pair]!;
        let offset = pair * width;
        const next = (columns: readonly string[]) => {
          offset += columns.length;
          return values.subarray(offset - columns.length, offset);
        };
        legWalk.walkTo(to);
        writeCurrent(table, run, call, at, next(featureGroups.current));
        writePlan(table, run, call, to, next(featureGroups.plan));
        train.write(to, next(featureGroups.train));
        pattern.write(to, next(featureGroups.pattern));
        legWalk.writeLegs(next(featureGroups.legs));
        votes.clear();
        train.voteOffset(to, votes, 1);
        pattern.voteOffset(to, votes, PATTERN_VOTE);
        legWalk.voteOffset(votes, LEG_VOTE);
        offsets[pair] = votes.winner(table.departureOffset[call]!);
      }
    },
  });
  return { count: pairs.count, columns: featureColumns, values, offsets };
}

/** The first pair of each call that is an instant; -1 for the others. */
function findFirstPairs(table: RunTable, pairs: Pairs): Int32Array {
  const first = new Int32Array(table.stop.length).fill(-1);
  for (let pair = pairs.count - 1; pair >= 0; pair--) first[pairs.from[pair]!] = pair;
  return first;
}
