import type { PlanIndex } from './plan-index.ts';
import { RecentValues } from './recent-values.ts';
import { RunHistory } from './run-history.ts';
import type { RunTable } from './run-table.ts';
import type { SweepHandlers } from './sweep.ts';

/** Days of a train that are looked back on; what is older has seldom anything to add, and costs time. */
const TRAIN_DAYS = 24;
const PATTERN_RUNS = 40;
const LEG_VALUES = 24;
const OFFSET_VALUES = 3;

/** What the events so far say, for whoever stands at an instant. Delays and times in seconds. */
export interface RunningStatistics {
  /** Finished runs of each train and of each pattern, of all days up to now. */
  readonly trainRuns: RunHistory;
  readonly patternRuns: RunHistory;
  /** How much longer than planned the run took: by planned leg, and by leg whatever was planned. */
  readonly plannedLegs: RecentValues;
  readonly legs: RecentValues;
  /** By stand: how long the vehicle stood. */
  readonly stands: RecentValues;
  /** Seconds that a vehicle gained beyond whole minutes, the last time; by planned leg and planned stand. */
  readonly legOffsets: RecentValues;
  readonly standOffsets: RecentValues;
}

export function emptyStatistics(table: RunTable, index: PlanIndex): RunningStatistics {
  return {
    trainRuns: new RunHistory(table.trainCount, TRAIN_DAYS),
    patternRuns: new RunHistory(index.patternCount, PATTERN_RUNS),
    plannedLegs: new RecentValues(index.plannedLegCount, LEG_VALUES),
    legs: new RecentValues(index.legCount, LEG_VALUES),
    stands: new RecentValues(index.standCount, LEG_VALUES),
    legOffsets: new RecentValues(index.plannedLegCount, OFFSET_VALUES),
    standOffsets: new RecentValues(index.plannedStandCount, OFFSET_VALUES),
  };
}

/** Takes the events of a sweep into the statistics; an event reads its own run up to itself, and nothing else. */
export function takeEvents(
  table: RunTable,
  index: PlanIndex,
  statistics: RunningStatistics,
): Pick<SweepHandlers, 'onArrival' | 'onDeparture' | 'onRunEnd'> {
  const { arrivalDelay, departureDelay, scheduledArrival, scheduledDeparture } = table;
  return {
    onArrival: (call, run) => {
      const arrival = arrivalDelay[call]!;
      if (call === table.callStart[run]) return;
      const longer = arrival - departureDelay[call - 1]!;
      if (Number.isNaN(longer)) return;
      statistics.plannedLegs.add(index.plannedLeg[call]!, longer);
      statistics.legOffsets.add(
        index.plannedLeg[call]!,
        between(table.departureOffset[call - 1]!, table.arrivalOffset[call]!),
      );
      statistics.legs.add(index.leg[call]!, longer);
    },
    onDeparture: (call, run) => {
      if (call === table.callStart[run] || call === table.callStart[run + 1]! - 1) return;
      const stood = scheduledDeparture[call]! + departureDelay[call]! - (scheduledArrival[call]! + arrivalDelay[call]!);
      if (Number.isNaN(stood)) return;
      statistics.stands.add(index.stand[call]!, stood);
      const gained = between(table.arrivalOffset[call]!, table.departureOffset[call]!);
      statistics.standOffsets.add(index.plannedStand[call]!, gained);
    },
    onRunEnd: (run) => {
      statistics.trainRuns.add(table.train[run]!, run);
      statistics.patternRuns.add(index.pattern[run]!, run);
    },
  };
}

/** Seconds from one place of a minute on to another. */
function between(from: number, to: number): number {
  return (to - from + 60) % 60;
}
