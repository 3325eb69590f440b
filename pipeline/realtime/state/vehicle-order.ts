import { partitionPoint } from '../../model/binary-search.ts';
import type { EpochDay } from '../../model/service-time.ts';
import { listContinuations } from '../../snapshots/find-continuations.ts';
import type { PlannedCalls } from './planned-calls.ts';
import type { CarriedDelay, SettledEnd } from './settle-trip.ts';

/** Shortest layover of a late vehicle, unless its planned layover is shorter. */
const MIN_LAYOVER_SECONDS = 60;

/** A dated trip by the row of the timetable's trips. */
interface DatedTrip {
  readonly trip: number;
  readonly day: EpochDay;
}

/** The delay that a trip has from the previous one of its vehicle, and when that one was last reported. */
interface InheritedDelay extends CarriedDelay {
  readonly recordedAt: number;
}

/** A trip to be settled: reported, or the next one of a late vehicle, or both. */
interface NextTrip<Reported> extends DatedTrip {
  readonly reported: Reported | null;
  readonly inherited: InheritedDelay | null;
}

/** Dated trips in the order in which they begin, so that a delay is known before the next trip of the vehicle is settled. */
interface VehicleOrder<Reported> {
  next(): NextTrip<Reported> | null;
  /** Carries the delay at the end of a trip to the trips that continue it. An early arrival changes nothing. */
  passOn(trip: DatedTrip, end: SettledEnd, recordedAt: number): void;
}

/** @param reported each dated trip once */
export function openVehicleOrder<Reported extends DatedTrip>(
  reported: readonly Reported[],
  planned: PlannedCalls,
): VehicleOrder<Reported> {
  const beginOf = ({ trip, day }: DatedTrip) => planned.departure(trip, day, 0);
  const known = new Map(reported.map((one) => [keyOf(one), one]));
  const waiting = reported.map((one) => ({ trip: one.trip, day: one.day, begin: beginOf(one) })).sort(compare);
  const inherited = new Map<string, InheritedDelay>();
  /** In the order of `compare`. */
  const unreported: QueuedTrip[] = [];
  let at = 0;
  const take = () => {
    const [first, other] = [waiting[at], unreported[0]];
    if (!other || (first && compare(first, other) <= 0)) return waiting[at++];
    return unreported.shift();
  };
  return {
    next() {
      const taken = take();
      if (!taken) return null;
      const key = keyOf(taken);
      return { ...taken, reported: known.get(key) ?? null, inherited: inherited.get(key) ?? null };
    },
    passOn(from, end, recordedAt) {
      for (const next of listContinuations(planned.tables, from.trip, from.day)) {
        const begin = beginOf(next);
        const seconds = findDelay(begin, planned.arrival(from.trip, from.day, planned.callCount(from.trip) - 1), end);
        const key = keyOf(next);
        const other = inherited.get(key);
        // Of several vehicles that continue as one trip, the last one counts.
        if (seconds <= (other?.seconds ?? 0)) continue;
        const { expiresAt, source } = end;
        inherited.set(key, { seconds, expiresAt, source, isCarried: true, recordedAt });
        if (!other && !known.has(key)) insert(unreported, { ...next, begin });
      }
    },
  };
}

/** Seconds by which a vehicle begins its next trip later than planned. @param plannedArrival from the trip before */
function findDelay(begin: number, plannedArrival: number, { arrival }: SettledEnd): number {
  return arrival + Math.min(MIN_LAYOVER_SECONDS, begin - plannedArrival) - begin;
}

interface QueuedTrip extends DatedTrip {
  readonly begin: number;
}

function insert(sorted: QueuedTrip[], trip: QueuedTrip): void {
  sorted.splice(
    partitionPoint(0, sorted.length, (at) => compare(sorted[at]!, trip) < 0),
    0,
    trip,
  );
}

function compare(a: QueuedTrip, b: QueuedTrip): number {
  return a.begin - b.begin || a.trip - b.trip || a.day - b.day;
}

function keyOf({ trip, day }: DatedTrip): string {
  return `${trip}.${day}`;
}
