import { fromEpochDay, type ServiceDate, toEpochDay } from '../../model/service-time.ts';
import type { SampleLine, SamplePlace } from '../feed/lookups.ts';
import type { SimulatedLine } from './network.ts';
import { pick, type Random, seededRandom, wholeBetween } from './seeded-random.ts';

/** A section of a line without service for a while, in both directions. Seconds are of the service day. */
export interface Closure {
  /** Unique over all days. */
  readonly id: string;
  readonly kind: 'detour' | 'replacement';
  readonly line: SampleLine;
  /**
   * The served places on either side, in the order of direction 0; `to` is null if the end of the line is closed.
   */
  readonly between: { readonly from: SamplePlace; readonly to: SamplePlace | null };
  /** Skipped places, in the order of direction 0. */
  readonly places: readonly SamplePlace[];
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** When the closure becomes known; an incident is known immediately. */
  readonly knownFromSeconds: number;
  /** Extra seconds of the detour. */
  readonly detourSeconds: number;
  /** Maximum extra seconds per nearby leg, for all lines on streets. */
  readonly queueSeconds: number;
  /** The skipped places and their neighbours. */
  readonly nearbyPlaceIds: ReadonlySet<string>;
  /** Cause of an incident, in the form that follows German "wegen". */
  readonly cause: string;
}

const INCIDENT_SECONDS = 3 * 3600;
/**
 * Incidents of a day overlap, so that there is always one between 18:00 and 22:00, on Sundays too.
 */
const INCIDENTS_A_DAY = 6;
const FIRST_INCIDENT_SECONDS = 5 * 3600 + 40 * 60;
const INCIDENT_SPACING_SECONDS = 160 * 60;
/** Maximum random offset of the start of an incident. */
const INCIDENT_SPREAD_MINUTES = 20;
const NOTHING = 0;

/** The closures of one service date: incidents on streets, and building work of the week. */
export function listClosures(network: readonly SimulatedLine[], date: ServiceDate, seed: number): readonly Closure[] {
  const random = seededRandom(seed, `incidents ${date}`);
  const streetLines = listLines(network).filter(({ mode, calls }) => isOnStreet(mode) && calls.length >= 10);
  // At most one per line and day, so that a region with a single line is not closed all day.
  const struck = pickSome(random, streetLines, INCIDENTS_A_DAY);
  const incidents = struck.map((line, i) => {
    const delaySeconds = wholeBetween(random, 0, INCIDENT_SPREAD_MINUTES) * 60;
    const fromSeconds = FIRST_INCIDENT_SECONDS + i * INCIDENT_SPACING_SECONDS + delaySeconds;
    return buildIncident(line, { id: `detour-${date}-${i + 1}`, fromSeconds }, random);
  });
  const replacement = findReplacement(network, date, seed);
  return replacement ? [...incidents, replacement] : incidents;
}

function pickSome<Item>(random: Random, list: readonly Item[], count: number): Item[] {
  const rest = [...list];
  return Array.from({ length: Math.min(count, rest.length) }, () => {
    const picked = pick(random, rest);
    rest.splice(rest.indexOf(picked), 1);
    return picked;
  });
}

export function isOnStreet(mode: SampleLine['mode']): boolean {
  return mode === 'tram' || mode === 'bus';
}

/** Each line once, for both directions. */
export function listLines(network: readonly SimulatedLine[]): readonly SampleLine[] {
  return network.filter(({ timetable }) => timetable.direction === 0).map(({ timetable }) => timetable.line);
}

const causes = ['eines Verkehrsunfalls', 'eines Feuerwehreinsatzes', 'eines Wasserrohrbruchs', 'einer Veranstaltung'];

function buildIncident(
  line: SampleLine,
  { id, fromSeconds }: Pick<Closure, 'id' | 'fromSeconds'>,
  random: Random,
): Closure {
  const length = wholeBetween(random, 2, 4);
  // Two calls remain at either end, so that a trip remains.
  const first = wholeBetween(random, 2, line.calls.length - 2 - length);
  return {
    id,
    kind: 'detour',
    line,
    ...stretch(line, first, first + length),
    fromSeconds,
    toSeconds: fromSeconds + INCIDENT_SECONDS,
    knownFromSeconds: fromSeconds,
    detourSeconds: wholeBetween(random, 120, 300),
    queueSeconds: wholeBetween(random, 30, 80),
    cause: pick(random, causes),
  };
}

/** @param end the first call that is served again; the number of calls if none is */
function stretch(line: SampleLine, first: number, end: number): Pick<Closure, 'between' | 'places' | 'nearbyPlaceIds'> {
  const places = line.calls.map(({ place }) => place);
  return {
    between: { from: places[first - 1]!, to: places[end] ?? null },
    places: places.slice(first, end),
    nearbyPlaceIds: new Set(places.slice(first - 2, end + 2).map(({ id }) => id)),
  };
}

// ---- Building work of the week ------------------------------------------------------------------

/** Tuesday to Thursday, in the late evening. */
const REPLACEMENT_WEEKDAYS = [1, 2, 3];
const REPLACEMENT_FROM_SECONDS = 22.5 * 3600;
const REPLACEMENT_TO_SECONDS = 27 * 3600;

/** Monday of the week of a date; 1970-01-05 was one. */
export function mondayOf(date: ServiceDate): ServiceDate {
  return fromEpochDay(toEpochDay(date) - daysAfterMonday(date));
}

function daysAfterMonday(date: ServiceDate): number {
  return (((toEpochDay(date) - 4) % 7) + 7) % 7;
}

/** Rail replacement buses at the end of a line; null on a date without night work. */
export function findReplacement(network: readonly SimulatedLine[], date: ServiceDate, seed: number): Closure | null {
  if (!REPLACEMENT_WEEKDAYS.includes(daysAfterMonday(date))) return null;
  const random = seededRandom(seed, `replacement ${mondayOf(date)}`);
  const line = pick(
    random,
    listLines(network).filter(({ mode, calls }) => mode === 's_bahn' && calls.length >= 8),
  );
  return {
    id: `replacement-${date}`,
    kind: 'replacement',
    line,
    ...stretch(line, line.calls.length - wholeBetween(random, 3, 4), line.calls.length),
    fromSeconds: REPLACEMENT_FROM_SECONDS,
    toSeconds: REPLACEMENT_TO_SECONDS,
    // Planned weeks ahead, so known before the day begins.
    knownFromSeconds: Number.NEGATIVE_INFINITY,
    detourSeconds: NOTHING,
    queueSeconds: NOTHING,
    cause: 'Gleisbauarbeiten',
  };
}

/** Service dates of the week with night work. @param monday of the week */
export function listReplacementDates(monday: ServiceDate): readonly ServiceDate[] {
  return REPLACEMENT_WEEKDAYS.map((days) => fromEpochDay(toEpochDay(monday) + days));
}
