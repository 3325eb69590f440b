import type { RecordProblem } from '../../model/problem.ts';
import type { IdSpace } from '../../model/realtime.ts';

/** A reviewed link from a publisher's stop to a stop of a timetable, or the finding that no such stop exists. */
export interface StopLinkOverride {
  readonly idSpace: IdSpace;
  readonly id: string;
  readonly timetableSource: string;
  /** As in stops.txt; null: the stop is not in this timetable, whatever its id or name suggest. */
  readonly stopId: string | null;
  /** Row of the file, from 1 below the header. */
  readonly row: number;
}

const FILE = 'stop-links.csv';
const HEADER = 'id_space,id,timetable_source,stop_id,note';
const ID_SPACES: readonly string[] = ['gtfs', 'diva', 'rbl', 'ifopt', 'hafas'] satisfies IdSpace[];

/**
 * Reads `data/lookups/stop-links.csv`. Only the last column, a note for people, may hold commas. Invalid rows are
 * left out and reported as problems.
 * @throws RangeError when the header is not the expected one
 */
export function parseStopLinks(text: string): {
  readonly records: readonly StopLinkOverride[];
  readonly problems: readonly RecordProblem[];
} {
  const [header, ...rows] = text.trimEnd().split(/\r?\n/);
  if (header !== HEADER) throw new RangeError(`${FILE} begins with "${header}", not with "${HEADER}"`);
  const records = new Map<string, StopLinkOverride>();
  const problems: RecordProblem[] = [];
  for (const [i, row] of rows.entries()) {
    const link = parseRow(row, i + 1);
    const code = typeof link === 'string' ? link : null;
    const key = typeof link === 'string' ? '' : overrideKey(link);
    if (typeof link === 'string' || records.has(key)) {
      problems.push(toProblem(code ?? 'duplicate_link', i + 1, row));
    } else records.set(key, link);
  }
  return { records: [...records.values()], problems };
}

/** @returns the link, or the code of the problem */
function parseRow(text: string, row: number): StopLinkOverride | string {
  const cells = text.split(',').map((cell) => cell.trim());
  const [idSpace = '', id = '', timetableSource = '', stopId = ''] = cells;
  if (cells.length < HEADER.split(',').length) return 'too_few_values';
  if (!ID_SPACES.includes(idSpace)) return 'unknown_id_space';
  if (id === '' || timetableSource === '') return 'missing_id';
  return { idSpace: idSpace as IdSpace, id, timetableSource, stopId: stopId === '' ? null : stopId, row };
}

/** A publisher's stop has at most one link to each timetable. */
export function overrideKey({
  idSpace,
  id,
  timetableSource,
}: Pick<StopLinkOverride, 'idSpace' | 'id' | 'timetableSource'>): string {
  return `${timetableSource},${idSpace},${id}`;
}

export function toProblem(code: string, row: number, detail: string): RecordProblem {
  return { code, source: FILE, place: `row ${row}`, detail };
}
