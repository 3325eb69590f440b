import type { TimeInfo } from '../../../contract/v2-basics.ts';
import type { Arrival, ArrivalBoard, Board, Departure } from '../../../contract/v2-board.ts';

/** A departure or an arrival. */
export interface BoardRow extends Omit<Departure, 'departure' | 'direction' | 'stopName'> {
  /** Where it goes, or where it comes from. */
  readonly place: string;
  readonly time: TimeInfo;
}

export function listRows(board: Board | ArrivalBoard): readonly BoardRow[] {
  return 'departures' in board
    ? board.departures.map((departure) => toRow(departure, departure.direction, departure.departure))
    : board.arrivals.map((arrival) => toRow(arrival, arrival.origin, arrival.arrival));
}

function toRow(row: Departure | Arrival, place: string, time: TimeInfo): BoardRow {
  return { ...row, place, time };
}

/** Rows that a screen reader announces: newly cancelled ones, and those whose platform changed. */
export function listNews(before: readonly BoardRow[], after: readonly BoardRow[]): readonly BoardRow[] {
  const known = new Map(before.map((row) => [row.id, row]));
  return after.filter((row) => {
    const former = known.get(row.id);
    if (!former) return false;
    return (row.cancelled && !former.cancelled) || (row.platform.changed && row.platform.text !== former.platform.text);
  });
}
