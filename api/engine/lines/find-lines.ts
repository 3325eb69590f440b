import { fromEpochDay } from '../../../pipeline/model/service-time.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { getTimeRow, runsOn, type TripOfDay } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { FoundLine, FoundTrain, LineList } from '../../contract/site-lines.ts';
import type { References } from '../read/references.ts';
import { formatClock } from './format-clock.ts';
import { type LineIndex, type TrainNumber, toTerm } from './line-index.ts';

/** How many days ahead to look for the next trip of a train. */
const MAX_DAYS_AHEAD = 14;

/**
 * Finds lines and train numbers by name: exact ones first, then those that begin with the text. A number alone finds the
 * trains of all categories with it.
 * @param day first day on which a train may run, since 1970
 */
export function findLines(
  index: LineIndex,
  references: References,
  query: string,
  day: number,
  limit: number,
): LineList {
  const term = toTerm(query);
  if (term === '') return { lines: [], trains: [] };
  const lines = rank(index.lines, term, limit).map(({ id, line }): FoundLine => ({ id, line }));
  const trains = rank(index.trains, term, limit).map((train) => describeTrain(index, references, train, day));
  return { lines, trains };
}

function rank<Named extends { readonly term: string }>(all: readonly Named[], term: string, limit: number): Named[] {
  return all
    .map((one) => ({ one, rank: rankOf(one.term, term) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank || a.one.term.length - b.one.term.length || compare(a.one.term, b.one.term))
    .slice(0, limit)
    .map(({ one }) => one);
}

const NO_MATCH = 3;

function rankOf(name: string, term: string): number {
  if (name === term) return 0;
  // The number of a train without its category.
  if (/^\d+$/.test(term) && name.endsWith(term) && !/\d/.test(name.at(-term.length - 1) ?? '')) return 1;
  return name.startsWith(term) ? 2 : NO_MATCH;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The next dated trip of a train, or its first trip if none runs soon. */
function describeTrain({ timetable }: LineIndex, references: References, train: TrainNumber, day: number): FoundTrain {
  const { trips, patterns, patternCalls, times, stops } = timetable.tables;
  const next = findNext(timetable.tables, train.trips, day);
  const trip = next?.trip ?? train.trips[0]!;
  const pattern = trips.pattern[trip]!;
  const [first, last] = [0, patterns.callCount[pattern]! - 1];
  const stopAt = (position: number) => stops.name.get(patternCalls.stop[patterns.firstCall[pattern]! + position]!);
  const row = getTimeRow(timetable.tables, pattern, trip);
  return {
    number: train.number,
    line: timetable.lines.get(patterns.route[pattern]!),
    from: stopAt(first),
    to: stopAt(last),
    departure: formatClock(times.departure[row + first]!),
    arrival: formatClock(times.arrival[row + last]!),
    ...(next
      ? {
          date: fromEpochDay(next.day),
          journeyRef: references.sealJourney({ tripKey: trips.key[trip]!, day: next.day }),
        }
      : {}),
  };
}

function findNext(tables: TimetableTables, trains: readonly number[], from: number): TripOfDay | null {
  for (let day = from; day < from + MAX_DAYS_AHEAD; day++) {
    const trip = trains.find((one) => runsOn(tables, tables.trips.service[one]!, day));
    if (trip !== undefined) return { trip, day };
  }
  return null;
}
