import type { RunTable } from './run-table.ts';

/** Share of arrivals whose seconds must be those of the time before, for a source to tell whole minutes. */
const SAME_SHARE = 0.8;

/**
 * How fine the delays of a source are: 60 when the arrivals of a train at a stop have the same seconds day after day,
 * because whole minutes are told over a plan of seconds; else 1.
 * @param beforeDay days since 1970; later ones are not looked at
 */
export function findGrid(table: RunTable, beforeDay: number): 1 | 60 {
  const seconds = new Map<number, number>();
  let same = 0;
  let compared = 0;
  for (let run = 0; run < table.runCount; run++) {
    if (table.serviceDay[run]! >= beforeDay) continue;
    for (let call = table.callStart[run]!; call < table.callStart[run + 1]!; call++) {
      const delay = table.arrivalDelay[call]!;
      if (Number.isNaN(delay)) continue;
      const key = table.train[run]! * table.stopCount + table.stop[call]!;
      const second = delay - Math.floor(delay / 60) * 60;
      const before = seconds.get(key);
      if (before !== undefined) {
        compared++;
        if (before === second) same++;
      }
      seconds.set(key, second);
    }
  }
  return compared > 0 && same >= SAME_SHARE * compared ? 60 : 1;
}
