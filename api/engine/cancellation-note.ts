import type { Instant } from '../../pipeline/model/service-time.ts';
import type { Cancellation } from '../contract/definitions.ts';
import { findCancellationText } from './news.ts';
import { placeRun } from './news-place.ts';
import type { Published } from './realtime.ts';

/** A run, and the span of time in which its alerts count. */
export interface NotedRun {
  /** One of the two rows is -1. */
  readonly trip: number;
  readonly addedTrip: number;
  readonly day: number;
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * A cancellation with the words of its publisher, where an alert of this very trip has some; unchanged where nothing is
 * cancelled.
 * @param stops rows of the stops of the cancelled calls, -1 for one that the timetable does not have
 */
export function noteCancellation(
  published: Published,
  cancellation: Cancellation,
  run: NotedRun,
  stops: readonly number[],
): Cancellation {
  const { realtime } = published;
  if (!realtime || !(cancellation.fullyCancelled || cancellation.partiallyCancelled)) return cancellation;
  const note = findCancellationText(realtime.news, placeRun(published, run, stops), run.from, run.to);
  return note === null ? cancellation : { ...cancellation, note };
}
