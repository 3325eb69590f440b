import { parseCsv } from './csv.ts';

/** Kind of operation of a line; decides its speed, its dwell times and the platforms that it shares. */
export type SampleMode = 'metro' | 'tram' | 'bus' | 'night_bus' | 's_bahn' | 'rail' | 'funicular' | 'cableway' | 'ship';

/** A real place. */
export interface SamplePlace {
  /** In the format of Austrian stop ids; except for the City of Vienna's numbers, the last part is made up. */
  readonly id: string;
  /** Number in the City of Vienna's stop register; empty elsewhere. */
  readonly diva: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}

export interface SampleLineCall {
  readonly place: SamplePlace;
  /**
   * Minutes from the first departure to the departure here, or to the arrival at the last call; null: derived from
   * distance and mode.
   */
  readonly minutes: number | null;
  readonly isRequestStop: boolean;
}

export interface SampleLine {
  readonly id: string;
  readonly label: string;
  readonly longName: string;
  readonly agency: string;
  readonly mode: SampleMode;
  readonly routeType: number;
  readonly color: string;
  readonly textColor: string;
  /** Name of a row in `timetable-patterns.ts`. */
  readonly timetable: string;
  /** In the order of direction 0. */
  readonly calls: readonly SampleLineCall[];
}

export interface SampleLookups {
  readonly places: readonly SamplePlace[];
  readonly lines: readonly SampleLine[];
}

interface SampleLookupTexts {
  readonly places: string;
  readonly lines: string;
  readonly lineCalls: string;
}

/**
 * Reads the three reviewed lookup files into lines with their calls.
 * @throws RangeError for a call with an unknown place or line, or a line with fewer than two calls
 */
export function parseSampleLookups(texts: SampleLookupTexts): SampleLookups {
  const places = parseCsv(texts.places).map(toPlace);
  const callsByLine = groupCalls(parseCsv(texts.lineCalls), new Map(places.map((place) => [place.id, place])));
  const lines = parseCsv(texts.lines).map((row) => toLine(row, callsByLine));
  const lineIds = new Set(lines.map((line) => line.id));
  for (const id of callsByLine.keys()) {
    if (!lineIds.has(id)) throw new RangeError(`calls of a line that does not exist: ${id}`);
  }
  return { places, lines };
}

function toPlace(row: Record<string, string>): SamplePlace {
  return {
    id: getCell(row, 'place'),
    diva: getCell(row, 'diva'),
    name: getCell(row, 'name'),
    lat: Number(getCell(row, 'lat')),
    lon: Number(getCell(row, 'lon')),
  };
}

function groupCalls(
  rows: readonly Record<string, string>[],
  places: ReadonlyMap<string, SamplePlace>,
): Map<string, SampleLineCall[]> {
  const callsByLine = new Map<string, SampleLineCall[]>();
  for (const row of rows) {
    const place = places.get(getCell(row, 'place'));
    if (!place) throw new RangeError(`line ${row.line} calls at a place that does not exist: ${row.place}`);
    const calls = callsByLine.get(getCell(row, 'line')) ?? [];
    callsByLine.set(getCell(row, 'line'), calls);
    if (Number(getCell(row, 'sequence')) !== calls.length + 1) {
      throw new RangeError(`line ${row.line}: sequence ${row.sequence} stands at position ${calls.length + 1}`);
    }
    calls.push({
      place,
      minutes: getCell(row, 'minutes') === '' ? null : Number(getCell(row, 'minutes')),
      isRequestStop: getCell(row, 'note') === 'request',
    });
  }
  return callsByLine;
}

function toLine(row: Record<string, string>, callsByLine: ReadonlyMap<string, SampleLineCall[]>): SampleLine {
  const calls = callsByLine.get(getCell(row, 'line')) ?? [];
  if (calls.length < 2) throw new RangeError(`line ${row.line} has ${calls.length} calls`);
  return {
    id: getCell(row, 'line'),
    label: getCell(row, 'label'),
    longName: getCell(row, 'name'),
    agency: getCell(row, 'agency'),
    mode: getCell(row, 'mode') as SampleMode,
    routeType: Number(getCell(row, 'route_type')),
    color: getCell(row, 'color'),
    textColor: getCell(row, 'text_color'),
    timetable: getCell(row, 'timetable'),
    calls,
  };
}

/** @throws RangeError for a missing column */
function getCell(row: Record<string, string>, column: string): string {
  const cell = row[column];
  if (cell === undefined) throw new RangeError(`a lookup of the sample lacks the column ${column}`);
  return cell;
}
