import type { Instant, ServiceDate } from '../../model/service-time.ts';
import type { SampleLine } from '../feed/lookups.ts';
import type { PlannedRun } from './planned-run.ts';
import type { RunHistory } from './run-history.ts';
import type { Outage, ServiceDay } from './service-day.ts';
import type { SimulatedTrip } from './simulated-state.ts';
import { tellCancelled, tellRun } from './tell-run.ts';

/** A service day as its control rooms have it on record afterwards. */
export interface PastDay {
  readonly date: ServiceDate;
  /** When the last vehicle of the day came in; before it the record is not complete. */
  readonly endsAt: Instant;
  readonly trips: readonly PastTrip[];
}

export interface PastTrip extends SimulatedTrip {
  /** One per call: whether anybody was told how it went. Data that is lost does not come back later. */
  readonly isCallTold: readonly boolean[];
  /** Runs of a frequency have the id of their trip in common. */
  readonly isFrequencyRun: boolean;
}

/** Later than everything that happens on a service day. */
const AFTERWARDS = Number.MAX_SAFE_INTEGER;

interface Hindsight {
  readonly seed: number;
  /** How long a trip is still told after its end: an outage that is over by then loses nothing. */
  readonly lookBackSeconds: number;
  /** The lines of which a record is kept. */
  isOnRecord(line: SampleLine): boolean;
}

export function tellPastDay(day: ServiceDay, { seed, lookBackSeconds, isOnRecord }: Hindsight): PastDay {
  const telling = { now: AFTERWARDS, outages: [], seed };
  const trips: PastTrip[] = [];
  let lastSeconds = 0;
  for (const line of day.lines) {
    if (!isOnRecord(line.runs[0]!.line.timetable.line)) continue;
    for (const [i, history] of line.getHistories().entries()) {
      const run = line.runs[i]!;
      const trip = history ? tellRun(run, history, telling) : tellCancelled(run, telling);
      const isCallTold = run.times.map((_, call) =>
        history ? isTold(run, history, call, { outages: day.outages, lookBackSeconds }) : true,
      );
      const isFrequencyRun = run.line.timetable.pattern.writtenAs !== 'trips';
      trips.push({ ...trip, isCallTold, isFrequencyRun });
      lastSeconds = Math.max(lastSeconds, history ? history.departures.at(-1)! : line.lastSeconds);
    }
  }
  return { date: day.date, endsAt: (day.start + lastSeconds) as Instant, trips };
}

interface Losses {
  readonly outages: readonly Outage[];
  readonly lookBackSeconds: number;
}

/** Whether there was a moment at which the call was over, the trip still told, and the line's data not lost. */
function isTold(run: PlannedRun, history: RunHistory, call: number, { outages, lookBackSeconds }: Losses): boolean {
  if (run.isSilent) return false;
  const isLast = call === run.times.length - 1;
  const from = isLast ? history.arrivals[call]! : history.departures[call]!;
  const to = history.arrivals.at(-1)! + lookBackSeconds;
  const { id } = run.line.timetable.line;
  return !outages.some(({ lineId, fromSeconds, toSeconds }) => lineId === id && fromSeconds <= from && to < toSeconds);
}
