import { fromEpochDay } from '../../../pipeline/model/service-time.ts';
import { type TimetableTables, transferKinds } from '../../../pipeline/snapshots/timetable-contract.ts';
import { runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';

/** A transfer between two calls in the tables of a snapshot. */
interface CompiledTransfer {
  readonly kind: (typeof transferKinds)[number];
  readonly seconds: number;
  readonly meters: number;
  readonly wheelchairMeters: number;
}

/** A call of a trip: `in1@s1`, or, if that is ambiguous, by its index in the trip: `in1@2`. */
type CallName = string;

/** @returns null if there is no transfer, or if nobody may alight or board there */
export function findCompiledTransfer(tables: TimetableTables, from: CallName, to: CallName): CompiledTransfer | null {
  const [alightAt, boardAt] = [
    tables.patternCalls.alightAt[findCall(tables, from)]!,
    tables.patternCalls.boardAt[findCall(tables, to)]!,
  ];
  return alightAt < 0 || boardAt < 0 ? null : findBetween(tables, alightAt, boardAt);
}

function findBetween(
  { transfers, transferStarts }: TimetableTables,
  from: number,
  to: number,
): CompiledTransfer | null {
  for (let row = transferStarts.transfer[from]!; row < transferStarts.transfer[from + 1]!; row++) {
    if (transfers.to[row] !== to) continue;
    return {
      kind: transferKinds[transfers.kind[row]!]!,
      seconds: transfers.seconds[row]!,
      meters: transfers.meters[row]!,
      wheelchairMeters: transfers.wheelchairMeters[row]!,
    };
  }
  return null;
}

/** @returns row of `patternCalls` */
function findCall({ trips, patterns, patternCalls, stops }: TimetableTables, name: CallName): number {
  const [tripId, where] = name.split('@') as [string, string];
  const trip = trips.service.findIndex((_, row) => trips.tripId.get(row) === tripId);
  if (trip < 0) throw new Error(`there is no trip ${tripId}`);
  const first = patterns.firstCall[trips.pattern[trip]!]!;
  for (let call = first; call < first + patterns.callCount[trips.pattern[trip]!]!; call++) {
    if (stops.stopId.get(patternCalls.stop[call]!) === where || String(call - first) === where) return call;
  }
  throw new Error(`trip ${tripId} has no call ${where}`);
}

/** `t1 > t2: 2026-03-02 2026-03-03`, with `+1` after a trip of the next service date. */
export function listContinuations(tables: TimetableTables): string[] {
  const { continuations, trips, services } = tables;
  return Array.from(continuations.fromTrip, (from, row) => {
    const service = continuations.service[row]!;
    const dates: string[] = [];
    for (let day = services.firstDay[service]!; day <= services.lastDay[service]!; day++) {
      if (runsOn(tables, service, day)) dates.push(fromEpochDay(day));
    }
    const next = `${trips.tripId.get(continuations.toTrip[row]!)}${continuations.dayOffset[row] === 1 ? '+1' : ''}`;
    return `${trips.tripId.get(from)} > ${next}: ${dates.join(' ')}`;
  }).sort();
}
