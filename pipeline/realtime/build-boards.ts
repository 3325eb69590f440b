import type { StationBoard } from '../model/realtime.ts';
import type { RealtimeTables } from '../snapshots/realtime-contract.ts';
import type { BuildSource } from './build-trips.ts';
import type { Texts } from './texts.ts';

export interface BoardWitness {
  readonly source: BuildSource;
  readonly board: StationBoard;
  readonly fetchedAt: number;
}

/** Every number of so many digits fits the column. */
const STATION_NUMBER = /^\d{1,9}$/;

/** Boards of stations by number; of two sources that have one, the fresher, and a frozen one only for want of another. */
export function buildBoardTables(
  boards: readonly BoardWitness[],
  texts: Texts,
): Pick<RealtimeTables, 'stationBoards' | 'stationDepartures'> {
  const numbered = boards.filter(({ board }) => STATION_NUMBER.test(board.station));
  const sorted = numbered
    .sort((a, b) => Number(a.board.station) - Number(b.board.station) || compareWitnesses(a, b))
    .filter(({ board }, i, all) => i === 0 || Number(all[i - 1]!.board.station) !== Number(board.station));
  const departures = sorted.flatMap(({ board }) => board.departures);
  const firsts: number[] = [];
  let next = 0;
  for (const { board } of sorted) {
    firsts.push(next);
    next += board.departures.length;
  }
  return {
    stationBoards: {
      station: Uint32Array.from(sorted, ({ board }) => Number(board.station)),
      fetchedAt: Uint32Array.from(sorted, ({ fetchedAt }) => fetchedAt),
      isFrozen: Uint8Array.from(sorted, ({ board }) => (board.isFrozen ? 1 : 0)),
      source: Uint8Array.from(sorted, ({ source }) => source.index),
      firstDeparture: Int32Array.from(firsts),
      departureCount: Int32Array.from(sorted, ({ board }) => board.departures.length),
    },
    stationDepartures: {
      line: Int32Array.from(departures, ({ line }) => texts.row(line)),
      towards: Int32Array.from(departures, ({ towards }) => texts.row(towards)),
      plannedAt: Uint32Array.from(departures, ({ plannedAt }) => plannedAt),
      realAt: Uint32Array.from(departures, ({ realAt }) => realAt ?? 0),
    },
  };
}

function compareWitnesses(a: BoardWitness, b: BoardWitness): number {
  return (
    Number(a.board.isFrozen) - Number(b.board.isFrozen) || b.fetchedAt - a.fetchedAt || a.source.index - b.source.index
  );
}
