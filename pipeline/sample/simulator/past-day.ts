import type { Instant, ServiceDate } from '../../model/service-time.ts';
import type { SampleLine } from '../feed/lookups.ts';
import type { PlannedTrip } from './planned-trip.ts';
import { reportCancelledTrip, reportTrip } from './report-trip.ts';
import type { Outage, ServiceDay } from './service-day.ts';
import type { SimulatedTrip } from './simulated-state.ts';
import type { TripHistory } from './trip-history.ts';

/** A complete service day as recorded by the control rooms. */
export interface PastDay {
  readonly date: ServiceDate;
  /** Arrival of the last vehicle of the day; the record is complete from then on. */
  readonly endsAt: Instant;
  readonly trips: readonly PastTrip[];
}

export interface PastTrip extends SimulatedTrip {
  /** One per call: whether its actual times were reported. Lost data are not delivered later. */
  readonly isCallReported: readonly boolean[];
  /** Trips of a frequency share their trip id. */
  readonly isFrequencyTrip: boolean;
}

/** Later than any event of a service day. */
const AFTERWARDS = Number.MAX_SAFE_INTEGER;

interface Hindsight {
  readonly seed: number;
  /** How long a trip is reported after its end: an outage that ends within this time loses nothing. */
  readonly lookBackSeconds: number;
  /** The lines with an archive. */
  isOnRecord(line: SampleLine): boolean;
}

export function buildPastDay(day: ServiceDay, { seed, lookBackSeconds, isOnRecord }: Hindsight): PastDay {
  const context = { now: AFTERWARDS, outages: [], seed };
  const trips: PastTrip[] = [];
  let lastSeconds = 0;
  for (const line of day.lines) {
    if (!isOnRecord(line.datedTrips[0]!.line.timetable.line)) continue;
    for (const [i, history] of line.getHistories().entries()) {
      const datedTrip = line.datedTrips[i]!;
      const trip = history ? reportTrip(datedTrip, history, context) : reportCancelledTrip(datedTrip, context);
      const isCallReported = datedTrip.times.map((_, call) =>
        history ? wasReported(datedTrip, history, call, { outages: day.outages, lookBackSeconds }) : true,
      );
      const isFrequencyTrip = datedTrip.line.timetable.pattern.writtenAs !== 'trips';
      trips.push({ ...trip, isCallReported, isFrequencyTrip });
      lastSeconds = Math.max(lastSeconds, history ? history.departures.at(-1)! : line.lastSeconds);
    }
  }
  return { date: day.date, endsAt: (day.start + lastSeconds) as Instant, trips };
}

interface Losses {
  readonly outages: readonly Outage[];
  readonly lookBackSeconds: number;
}

/** Whether the trip was reported at any time after the call, outside outages of the line. */
function wasReported(
  datedTrip: PlannedTrip,
  history: TripHistory,
  call: number,
  { outages, lookBackSeconds }: Losses,
): boolean {
  if (datedTrip.isDataLost) return false;
  const isLast = call === datedTrip.times.length - 1;
  const from = isLast ? history.arrivals[call]! : history.departures[call]!;
  const to = history.arrivals.at(-1)! + lookBackSeconds;
  const { id } = datedTrip.line.timetable.line;
  return !outages.some(({ lineId, fromSeconds, toSeconds }) => lineId === id && fromSeconds <= from && to < toSeconds);
}
