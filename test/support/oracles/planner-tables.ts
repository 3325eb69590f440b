import { fromEpochDay } from '../../../pipeline/model/service-time.ts';
import { type TimetableTables, transferKinds } from '../../../pipeline/snapshots/timetable-contract.ts';
import { runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';

/** A way from one call to another, as the tables of a snapshot have it. */
interface CompiledTransfer {
  readonly kind: (typeof transferKinds)[number];
  readonly seconds: number;
  readonly meters: number;
  readonly wheelchairMeters: number;
}

/** A call of a trip: `in1@s1`, or where that is not enough by its place along the trip: `in1@2`. */
type CallName = string;

/** @returns null where there is no change, be it that nobody gets off or on there */
export function findCompiledTransfer(tables: TimetableTables, from: CallName, to: CallName): CompiledTransfer | null {
  const [alightAt, boardAt] = [
    tables.patternCalls.alightAt[findCall(tables, from)]!,
    tables.patternCalls.boardAt[findCall(tables, to)]!,
  ];
  return alightAt < 0 || boardAt < 0 ? null : findBetween(tables, alightAt, boardAt);
}

function findBetween({ transfers, transferStarts }: TimetableTables, from: number, to: number): CompiledTransfer | null {
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

/** `t1 > t2: 2026-03-02 2026-03-03`, with `+1` behind the trip that is one of the next service day. */
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
