import { isSourceId } from '../../model/ids.ts';
import type { RecordProblem } from '../../model/problem.ts';

/** Rules by which stations and trips, of several feeds or of one, are merged. */
export interface MergeRules {
  /** Stations with the same number of a register. */
  readonly stationsById: boolean;
  /** Stations with the same name near one another. */
  readonly stationsByName: boolean;
  /** Dated trips that are published twice. */
  readonly trips: boolean;
  /** Trips that continue as another one of the same number or line. */
  readonly throughTrips: boolean;
  /** The operator's table. */
  readonly decisions: readonly MergeDecision[];
  /** Invalid rows of it. */
  readonly problems: readonly RecordProblem[];
}

/** A row of the operator's table: a pair that is merged or kept separate regardless of the rules. */
export interface MergeDecision {
  readonly kind: 'station' | 'trip';
  readonly action: 'merge' | 'separate';
  readonly one: PublicId;
  readonly other: PublicId;
  /** Row of the file, from 1 below the header. */
  readonly row: number;
}

/** `<source>:<id in the feed>` */
export interface PublicId {
  readonly sourceId: string;
  readonly id: string;
}

const HEADER = 'kind,action,id,other_id,note';

/**
 * Parses the operator's table of merges; only the last column, a free note, may contain commas.
 * @returns invalid rows as problems: `bad_header`, `too_few_values`, `unknown_kind`, `unknown_action`, `bad_id`,
 *   `same_id`
 */
export function parseMergeTable(text: string, file: string): Pick<MergeRules, 'decisions' | 'problems'> {
  const [header, ...rows] = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split(/\r?\n/);
  const toProblem = (code: string, row: number, detail: string) => ({
    code,
    source: file,
    place: `row ${row}`,
    detail,
  });
  if (header?.trim() !== HEADER) {
    return { decisions: [], problems: [toProblem('bad_header', 0, `the file must begin with "${HEADER}"`)] };
  }
  const decisions: MergeDecision[] = [];
  const problems: RecordProblem[] = [];
  for (const [i, row] of rows.entries()) {
    if (row.trim() === '') continue;
    const decision = parseRow(row, i + 1);
    if (typeof decision === 'string') problems.push(toProblem(decision, i + 1, row));
    else decisions.push(decision);
  }
  return { decisions, problems };
}

/** @returns the decision, or the code of the problem */
function parseRow(text: string, row: number): MergeDecision | string {
  const cells = text.split(',').map((cell) => cell.trim());
  if (cells.length < 4) return 'too_few_values';
  const [kind, action, id, otherId] = cells as [string, string, string, string];
  if (kind !== 'station' && kind !== 'trip') return 'unknown_kind';
  if (action !== 'merge' && action !== 'separate') return 'unknown_action';
  const [one, other] = [parsePublicId(id), parsePublicId(otherId)];
  if (one === null || other === null) return 'bad_id';
  return id === otherId ? 'same_id' : { kind, action, one, other, row };
}

function parsePublicId(text: string): PublicId | null {
  const colon = text.indexOf(':');
  const [sourceId, id] = [text.slice(0, colon), text.slice(colon + 1)];
  return colon > 0 && id !== '' && isSourceId(sourceId) ? { sourceId, id } : null;
}
