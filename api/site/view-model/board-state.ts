import type { BoardFilter } from './board-rows.ts';
import { toTimestamp } from './local-time.ts';

/** State of a board, stored in the URL so that each state has a link. */
export interface BoardState {
  readonly isArrivals: boolean;
  /** Local time from which the board starts; null: now. */
  readonly time: string | null;
  /** Whether rows are listed by their destination or origin. */
  readonly isGrouped: boolean;
  /** Number of rows that are requested. */
  readonly rowCount: number;
  readonly filter: BoardFilter;
}

const FIRST_ROWS = 30;
export const MAX_BOARD_ROWS = 200;
const AHEAD_MINUTES = 720;

/** @param query of the URL: `show`, `time`, `rows`, `line`, `direction`, `group`; invalid values count as absent */
export function readBoardState(query: URLSearchParams): BoardState {
  // Forms without a script send empty fields.
  const read = (name: string) => query.get(name) || null;
  const filter = { line: read('line'), place: read('direction') };
  return {
    isArrivals: query.get('show') === 'arrivals',
    time: read('time'),
    isGrouped: query.get('group') === 'direction',
    // Rare lines are further down, so a filter applies to as many rows as there are.
    rowCount: isFiltered(filter) ? MAX_BOARD_ROWS : readRowCount(query.get('rows')),
    filter,
  };
}

export function isFiltered({ line, place }: BoardFilter): boolean {
  return line !== null || place !== null;
}

/** Number of rows after "more". */
export function countMoreRows(rowCount: number): number {
  return Math.min(MAX_BOARD_ROWS, rowCount + FIRST_ROWS);
}

function readRowCount(text: string | null): number {
  const count = Number(text);
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_BOARD_ROWS) : FIRST_ROWS;
}

/** Path of the departures or arrivals of a state. */
export function boardPath(stopId: string, { isArrivals, time, rowCount }: BoardState): string {
  const query = new URLSearchParams({ limit: String(rowCount), durationMinutes: String(AHEAD_MINUTES) });
  const timestamp = time === null ? null : toTimestamp(time);
  if (timestamp !== null) query.set('time', timestamp);
  return `${stopPath(stopId)}/${isArrivals ? 'arrivals' : 'departures'}?${query}`;
}

/** Path of the lines of a stop. */
export function stopInfoPath(stopId: string): string {
  return `${stopPath(stopId)}/info`;
}

function stopPath(stopId: string): string {
  return `/site/data/stops/${encodeURIComponent(stopId)}`;
}
