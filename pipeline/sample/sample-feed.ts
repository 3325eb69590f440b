import type { ServiceDate } from '../model/service-time.ts';
import { buildAgencyTable, buildRoutesTable } from './agencies.ts';
import { buildCalendar, buildCalendarDates, sampleValidity } from './calendar.ts';
import { type CsvDialect, formatCsv, type SampleTable } from './csv.ts';
import { buildFareTables } from './fares-tables.ts';
import { buildFeedFacts } from './feed-facts.ts';
import type { SampleLookups } from './lookups.ts';
import { addNastyCases, nastyDialects } from './nasty-cases.ts';
import { buildShapesTable } from './shapes-table.ts';
import { buildStationInterior } from './station-interior.ts';
import { buildSampleStops, buildStopsTable } from './stops-table.ts';
import { buildTransfersTable } from './transfers-table.ts';
import { buildSampleTrips } from './trips-table.ts';

export interface SampleFeedOptions {
  /** The feed is valid from 31 days before to 365 days after. */
  readonly today: ServiceDate;
  /** Moves running times, minutes past the hour and bends by a little; default 1. */
  readonly seed?: number;
}

const PLAIN: CsvDialect = { hasByteOrderMark: false, lineEnd: '\n' };

/**
 * Builds the GTFS feed of the made-up country: real places, made-up timetables, and every nasty case on purpose.
 * Pure: equal arguments give equal texts, whatever the machine's zone or language.
 * @returns file name to CSV text; the rows that readers must refuse are listed in `nasty-cases.ts`
 */
export function buildSampleFeed(
  { today, seed = 1 }: SampleFeedOptions,
  lookups: SampleLookups,
): ReadonlyMap<string, string> {
  const tables = buildTables(today, seed, lookups);
  addNastyCases(tables);
  return new Map([...tables].map(([file, table]) => [file, formatCsv(table, nastyDialects.get(file) ?? PLAIN)]));
}

function buildTables(today: ServiceDate, seed: number, lookups: SampleLookups): Map<string, SampleTable> {
  const validity = sampleValidity(today);
  const stops = buildSampleStops(lookups);
  const interior = buildStationInterior(stops);
  const stopsTable = buildStopsTable(stops, interior.stopLevels);
  stopsTable.rows.push(...interior.entranceRows);
  const { trips, stopTimes, frequencies, shapes } = buildSampleTrips(lookups, stops, seed);
  return new Map<string, SampleTable>([
    ['agency.txt', buildAgencyTable()],
    ['stops.txt', stopsTable],
    ['routes.txt', buildRoutesTable(lookups.lines)],
    ['trips.txt', trips],
    ['stop_times.txt', stopTimes],
    ['calendar.txt', buildCalendar(validity)],
    ['calendar_dates.txt', buildCalendarDates(validity)],
    ['shapes.txt', buildShapesTable(shapes)],
    ['frequencies.txt', frequencies],
    ['transfers.txt', buildTransfersTable(trips)],
    ...interior.files,
    ...buildFareTables(lookups.lines, stops),
    ...buildFeedFacts(today, validity, seed),
  ]);
}
