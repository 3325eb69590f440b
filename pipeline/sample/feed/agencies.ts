import type { SampleTable } from './csv.ts';
import type { SampleLine } from './lookups.ts';

/** The names show that the timetables are made up; names of real operators would suggest that they are real. */
const agencies = [
  { id: 'wien', name: 'Stadtverkehr Wien (made-up sample)' },
  { id: 'bahn', name: 'Musterbahn (made-up sample)' },
  { id: 'westbahn', name: 'Musterwestbahn (made-up sample)' },
  { id: 'graz', name: 'Stadtverkehr Graz (made-up sample)' },
  { id: 'linz', name: 'Stadtverkehr Linz (made-up sample)' },
  { id: 'salzburg', name: 'Stadtverkehr Salzburg (made-up sample)' },
  { id: 'innsbruck', name: 'Stadtverkehr Innsbruck (made-up sample)' },
  { id: 'kaernten', name: 'Stadtverkehr Kärnten (made-up sample)' },
  { id: 'vorarlberg', name: 'Stadtverkehr Vorarlberg (made-up sample)' },
  { id: 'schiff', name: 'Musterschifffahrt (made-up sample)' },
  { id: 'rufbus', name: 'Musterrufbus (made-up sample)' },
  { id: 'pruef', name: 'Prüfbetrieb (made-up sample)' },
] as const;

const SAMPLE_URL = 'https://example.org/taktgeber-sample';

export function buildAgencyTable(): SampleTable {
  return {
    header: ['agency_id', 'agency_name', 'agency_url', 'agency_timezone', 'agency_lang'],
    rows: agencies.map(({ id, name }) => [id, name, SAMPLE_URL, 'Europe/Vienna', 'de']),
  };
}

/** @throws RangeError for an agency that is not in the sample */
export function getAgencyName(id: string): string {
  const agency = agencies.find((candidate) => candidate.id === id);
  if (!agency) throw new RangeError(`no agency ${id} in the sample`);
  return agency.name;
}

/** Columns of routes.txt, in order. */
const routeColumns = [
  'route_id',
  'agency_id',
  'route_short_name',
  'route_long_name',
  'route_type',
  'route_color',
  'route_text_color',
  'route_sort_order',
] as const;

export function buildRoutesTable(lines: readonly SampleLine[]): SampleTable {
  return {
    header: routeColumns,
    rows: lines.map((line, i) => [
      line.id,
      line.agency,
      line.label,
      line.longName,
      line.routeType,
      line.color,
      line.textColor,
      i + 1,
    ]),
  };
}
