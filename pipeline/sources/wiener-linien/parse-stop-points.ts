import { isCoordinate } from '../../model/geo.ts';
import { toPlainLine } from '../../model/plain-text.ts';
import { type RecordProblem, UnreadableAnswer } from '../../model/problem.ts';
import { emptyUpdate, type SourceUpdate, type StopReport } from '../../model/realtime.ts';

/** Columns that are read; others are ignored, in whatever order. */
const COLUMNS = ['StopID', 'DIVA', 'StopText', 'Longitude', 'Latitude'] as const;

type Row = Readonly<Record<(typeof COLUMNS)[number], string>>;

type Report = (code: string, place: string, detail: string) => void;

/**
 * Parses the register of platforms, `wienerlinien-ogd-haltepunkte.csv`: number (RBL), station (DIVA), name and place of
 * each. Notices name platforms by these numbers. A row that lacks one of them is kept without it and counted
 * (`stop_point_without_diva`, `…_name`, `…_place`); a tenth of the published rows have neither station nor place. A row
 * without a number, or with that of an earlier one, is refused.
 * @throws UnreadableAnswer `foreign_format` for a text without these columns
 */
export function parseStopPoints(bytes: Uint8Array, source: string): SourceUpdate {
  const [header = '', ...lines] = new TextDecoder().decode(bytes).trimEnd().split(/\r?\n/);
  const readRow = openRows(header);
  const problems: RecordProblem[] = [];
  const report: Report = (code, place, detail) => problems.push({ code, source, place, detail });
  const stops = new Map<string, StopReport>();
  for (const [index, line] of lines.entries()) {
    const place = `row ${index + 2}`;
    const stop = readStopPoint(readRow(line), place, report);
    if (stop === null) continue;
    if (stops.has(stop.id)) report('duplicate_stop_point', place, stop.id);
    else stops.set(stop.id, stop);
  }
  return { ...emptyUpdate, stops: [...stops.values()], recordCount: lines.length, problems };
}

/** @returns reads a line by the names of its columns; null for one with another number of values */
function openRows(header: string): (line: string) => Row | null {
  const names = splitLine(header);
  const positions = COLUMNS.map((column) => names.indexOf(column));
  if (positions.includes(-1)) {
    throw new UnreadableAnswer('foreign_format', `a register of platforms without the columns ${COLUMNS.join(', ')}`);
  }
  return (line) => {
    const values = splitLine(line);
    if (values.length !== names.length) return null;
    return Object.fromEntries(COLUMNS.map((column, index) => [column, values[positions[index]!]!])) as Row;
  };
}

/** The file has no quotes; those around a whole value are allowed for. */
function splitLine(line: string): string[] {
  return line.split(';').map((value) => value.trim().replace(/^"(.*)"$/, '$1'));
}

function readStopPoint(row: Row | null, place: string, report: Report): StopReport | null {
  if (row === null || !/^\d+$/.test(row.StopID)) {
    report('bad_stop_point', place, row?.StopID ?? 'another number of values');
    return null;
  }
  const diva = /^\d{8}$/.test(row.DIVA) ? row.DIVA : null;
  const name = toPlainLine(row.StopText) || null;
  const position = readPosition(row);
  if (diva === null) report('stop_point_without_diva', place, row.StopID);
  if (name === null) report('stop_point_without_name', place, row.StopID);
  if (position === null) report('stop_point_without_place', place, row.StopID);
  const { lat, lon } = position ?? { lat: null, lon: null };
  return { place, idSpace: 'rbl', id: row.StopID, name, lat, lon, parentStation: diva, platformCode: null };
}

/** An unknown place is written as `0000000000`. */
function readPosition({ Latitude, Longitude }: Row): { readonly lat: number; readonly lon: number } | null {
  const [lat, lon] = [Latitude, Longitude].map((text) => (text === '' ? Number.NaN : Number(text))) as [number, number];
  return isCoordinate(lat, lon) && (lat !== 0 || lon !== 0) ? { lat, lon } : null;
}
