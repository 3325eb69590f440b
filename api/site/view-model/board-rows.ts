import type { TimeInfo } from '../../contract/v2-basics.ts';
import type { Arrival, ArrivalBoard, Board, Departure } from '../../contract/v2-board.ts';

/** A departure or an arrival. */
export interface BoardRow extends Omit<Departure, 'departure' | 'direction' | 'stopName'> {
  /** Destination of a departure, or origin of an arrival. */
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

/** What a board is limited to; null: everything. */
export interface BoardFilter {
  /** Label of a line. */
  readonly line: string | null;
  /** Destination of departures, origin of arrivals. */
  readonly place: string | null;
}

export function filterRows(rows: readonly BoardRow[], filter: BoardFilter): readonly BoardRow[] {
  return rows.filter(
    ({ line, place }) => [null, line.label].includes(filter.line) && [null, place].includes(filter.place),
  );
}

/** The destinations of a line, or of all lines, in order of the alphabet. */
export function listPlaces(rows: readonly BoardRow[], line: string | null): readonly string[] {
  const places = new Set(filterRows(rows, { line, place: null }).map(({ place }) => place));
  return [...places].sort((a, b) => a.localeCompare(b, 'de'));
}

/** The places of a selection. A linked place stays selectable while it has no rows. */
export function listSelectable(places: readonly string[], chosen: string | null): readonly string[] {
  return chosen === null || places.includes(chosen) ? places : [chosen, ...places];
}

/** Rows by destination or origin, that of the first row first. */
export function groupRows(rows: readonly BoardRow[]): ReadonlyMap<string, readonly BoardRow[]> {
  const groups = new Map<string, BoardRow[]>();
  for (const row of rows) groups.set(row.place, [...(groups.get(row.place) ?? []), row]);
  return groups;
}

/** Lists rows that screen readers announce: newly cancelled ones, and those with a changed platform. */
export function listAnnouncedRows(before: readonly BoardRow[], after: readonly BoardRow[]): readonly BoardRow[] {
  const known = new Map(before.map((row) => [row.id, row]));
  return after.filter((row) => {
    const former = known.get(row.id);
    if (!former) return false;
    return (row.cancelled && !former.cancelled) || (row.platform.changed && row.platform.text !== former.platform.text);
  });
}
