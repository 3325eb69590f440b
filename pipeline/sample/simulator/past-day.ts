import type { Instant, ServiceDate } from '../../model/service-time.ts';
import type { SampleLine } from '../feed/lookups.ts';
import type { PlannedRun } from './planned-run.ts';
import type { RunHistory } from './run-history.ts';
import type { Outage, ServiceDay } from './service-day.ts';
import type { SimulatedTrip } from './simulated-state.ts';
import { tellCancelled, tellRun } from './tell-run.ts';

/** A finished service day as recorded by the control rooms. */
export interface PastDay {
  readonly date: ServiceDate;
  /** Arrival of the last vehicle of the day; the record is complete from then on. */
  readonly endsAt: Instant;
  readonly trips: readonly PastTrip[];
}

export interface PastTrip extends SimulatedTrip {
  /** One per call: whether its actual times were ever reported. Lost data are not delivered later. */
  readonly isCallTold: readonly boolean[];
  /** Trips of a frequency share their trip id. */
  readonly isFrequencyRun: boolean;
}

/** Later than any event of a service day. */
const AFTERWARDS = Number.MAX_SAFE_INTEGER;

interface Hindsight {
  readonly seed: number;
  /** How long a trip is still reported after its end: an outage that is over by then loses nothing. */
  readonly lookBackSeconds: number;
  /** The lines with an archive. */
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

/** Whether there was a moment after the call at which the trip was still reported and the line had no outage. */
function isTold(run: PlannedRun, history: RunHistory, call: number, { outages, lookBackSeconds }: Losses): boolean {
  if (run.isSilent) return false;
  const isLast = call === run.times.length - 1;
  const from = isLast ? history.arrivals[call]! : history.departures[call]!;
  const to = history.arrivals.at(-1)! + lookBackSeconds;
  const { id } = run.line.timetable.line;
  return !outages.some(({ lineId, fromSeconds, toSeconds }) => lineId === id && fromSeconds <= from && to < toSeconds);
}
