import type { RecordProblem } from '../../model/problem.ts';
import type { StopName } from '../../model/realtime.ts';
import { type Instant, parseTimestamp } from '../../model/service-time.ts';
import type { RawAnswer, TriasPlace } from './raw-answer.ts';

/** Deviations of single publishers; each fix is named and dated where the source is created. */
export interface PublisherFixes {
  /** Extracts the stop id from a stop reference. */
  readonly toStopId: (ref: string) => string;
  /** A reference or a name; null for the publisher's placeholder of a missing one. */
  readonly toValue: (text: string) => string | null;
  /** Removes machine-readable remnants from the text of a situation. */
  readonly toSituationText: (text: string) => string;
}

export const noFixes: PublisherFixes = {
  toStopId: (ref) => ref,
  toValue: (text) => text,
  toSituationText: (text) => text,
};

/** Context for reading one record of an answer: its time, its stops, and the problems so far. */
export interface TriasContext {
  readonly fixes: PublisherFixes;
  /** Latest possible time of a past event: the time of the answer, else of its fetch. */
  readonly knownAt: Instant;
  /** By id. */
  readonly places: ReadonlyMap<string, TriasPlace>;
  readonly problems: RecordProblem[];
  readonly source: string;
}

export function openContext(
  answer: RawAnswer,
  options: { source: string; knownAt: Instant; fixes: PublisherFixes },
): TriasContext {
  const places = answer.places.map((place) => [options.fixes.toStopId(place.ref), place] as const);
  return { ...options, places: new Map(places), problems: [...answer.problems] };
}

export function addProblem(context: TriasContext, code: string, place: string, detail: string): void {
  context.problems.push({ code, source: context.source, place, detail });
}

/**
 * Parses a time with its offset, which the standards require; a time without one is ambiguous and a problem.
 * @returns null if missing or invalid
 */
export function readTime(context: TriasContext, text: string | null, place: string): Instant | null {
  if (text === null) return null;
  const time = parseTimestamp(text);
  if (time === null) addProblem(context, 'bad_time', place, text.slice(0, 60));
  return time;
}

/** A reference or a name, or null for the publisher's placeholder of a missing one. */
export function readValue(context: TriasContext, text: string | null): string | null {
  return text === null ? null : context.fixes.toValue(text);
}

/** The name of a stop, completed from the places in the answer; null if reference and name are missing. */
export function readStop(context: TriasContext, ref: string | null, name: string | null): StopName | null {
  if (ref === null && name === null) return null;
  const id = ref === null ? null : context.fixes.toStopId(ref);
  const place = id === null ? undefined : context.places.get(id);
  return { id, idSpace: 'ifopt', name: name ?? place?.name ?? null, ...readPosition(place) };
}

function readPosition(place: TriasPlace | undefined): Pick<StopName, 'lat' | 'lon'> {
  const lat = Number(place?.lat ?? Number.NaN);
  const lon = Number(place?.lon ?? Number.NaN);
  // Coordinates 0, 0 lie in the sea and stand for "unknown".
  const isOnEarth = Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && (lat !== 0 || lon !== 0);
  return isOnEarth ? { lat, lon } : { lat: null, lon: null };
}
