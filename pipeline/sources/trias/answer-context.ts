import type { Problem } from '../../model/problem.ts';
import type { StopName } from '../../model/realtime.ts';
import { type Instant, parseTimestamp } from '../../model/service-time.ts';
import type { RawAnswer, RawPlace } from './raw-answer.ts';

/** What single publishers write in their own way; each fix is named and dated where the source is made. */
export interface PublisherFixes {
  /** The stop's id out of a reference to it. */
  readonly toStopId: (ref: string) => string;
  /** A reference or a name; null where the publisher wrote that it has none. */
  readonly toValue: (text: string) => string | null;
  /** A text of a situation without what is meant for machines. */
  readonly toSituationText: (text: string) => string;
}

export const noFixes: PublisherFixes = {
  toStopId: (ref) => ref,
  toValue: (text) => text,
  toSituationText: (text) => text,
};

/** What is needed to understand one record of an answer: its time, its stops, and a place for problems. */
export interface AnswerContext {
  readonly fixes: PublisherFixes;
  /** Until when something can have happened: the time of the answer, or else when it was fetched. */
  readonly knownAt: Instant;
  /** By id. */
  readonly places: ReadonlyMap<string, RawPlace>;
  readonly problems: Problem[];
  readonly source: string;
}

export function openContext(
  answer: RawAnswer,
  options: { source: string; knownAt: Instant; fixes: PublisherFixes },
): AnswerContext {
  const places = answer.places.map((place) => [options.fixes.toStopId(place.ref), place] as const);
  return { ...options, places: new Map(places), problems: [...answer.problems] };
}

export function tell(context: AnswerContext, code: string, place: string, detail: string): void {
  context.problems.push({ code, source: context.source, place, detail });
}

/**
 * Reads a time with its offset, which the standards ask for; one without could be any of two moments and is a problem.
 * @returns null for none and for one that cannot be read
 */
export function readTime(context: AnswerContext, text: string | null, place: string): Instant | null {
  if (text === null) return null;
  const time = parseTimestamp(text);
  if (time === null) tell(context, 'bad_time', place, text.slice(0, 60));
  return time;
}

/** A reference or a name, without what the publisher writes in place of none. */
export function readValue(context: AnswerContext, text: string | null): string | null {
  return text === null ? null : context.fixes.toValue(text);
}

/** The name of a stop, with what the answer's own list of places adds; null when nothing at all is said. */
export function readStop(context: AnswerContext, ref: string | null, name: string | null): StopName | null {
  if (ref === null && name === null) return null;
  const id = ref === null ? null : context.fixes.toStopId(ref);
  const place = id === null ? undefined : context.places.get(id);
  return { id, idSpace: 'ifopt', name: name ?? place?.name ?? null, ...readPosition(place) };
}

function readPosition(place: RawPlace | undefined): Pick<StopName, 'lat' | 'lon'> {
  const lat = Number(place?.lat ?? Number.NaN);
  const lon = Number(place?.lon ?? Number.NaN);
  // The corner of both zeros lies in the sea and stands for "unknown".
  const isOnEarth = Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && (lat !== 0 || lon !== 0);
  return isOnEarth ? { lat, lon } : { lat: null, lon: null };
}
