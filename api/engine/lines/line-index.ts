import type { Line } from '../../contract/definitions.ts';
import type { Timetable } from '../read/timetable.ts';

/** A line: all routes that share label, operator and kind of vehicle. */
export interface LineGroup {
  /** `lineId` of its first route; identifies the line. */
  readonly id: string;
  readonly line: Line;
  /** Label in lower case, without spaces. */
  readonly term: string;
  /** Rows of `patterns`. */
  readonly patterns: readonly number[];
}

/** A train number and its trips. */
export interface TrainNumber {
  /** As published: `RJX 662`. */
  readonly number: string;
  readonly term: string;
  /** Rows of `trips`. */
  readonly trips: readonly number[];
}

/** Lines and train numbers of a timetable. */
export interface LineIndex {
  readonly timetable: Timetable;
  readonly lines: readonly LineGroup[];
  /** Lines by the `lineId` of each of their routes. */
  readonly byId: ReadonlyMap<string, LineGroup>;
  readonly trains: readonly TrainNumber[];
}

/** Normalises a text to lower-case letters and digits: `rjx662`. */
export function toTerm(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Builds the index of a timetable; reads all of its patterns and trips. */
export function indexLines(timetable: Timetable): LineIndex {
  const { patterns } = timetable.tables;
  const groups = new Map<string, LineGroup & { readonly patterns: number[] }>();
  const byId = new Map<string, LineGroup>();
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const route = patterns.route[pattern]!;
    const line = timetable.lines.get(route);
    const key = JSON.stringify([line.label, line.operatorName, line.product]);
    const id = line.lineId ?? key;
    const group = groups.get(key) ?? { id, line, term: toTerm(line.label), patterns: [] };
    group.patterns.push(pattern);
    groups.set(key, group);
    byId.set(id, group);
  }
  return { timetable, lines: [...groups.values()], byId, trains: listTrains(timetable) };
}

function listTrains({ tables }: Timetable): TrainNumber[] {
  const { trips, texts } = tables;
  const byText = new Map<number, number[]>();
  for (let trip = 0; trip < trips.shortName.length; trip++) {
    const text = trips.shortName[trip]!;
    if (text < 0) continue;
    const known = byText.get(text);
    if (known) known.push(trip);
    else byText.set(text, [trip]);
  }
  return Array.from(byText, ([text, own]) => {
    const number = texts.text.get(text);
    return { number, term: toTerm(number), trips: own };
  });
}
