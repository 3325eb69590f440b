import type { RawAnswer } from '../../formats/trias/raw-answer.ts';
import { emptyUpdate, type SourceUpdate, type TripReport } from '../../model/realtime.ts';
import { type Instant, parseTimestamp } from '../../model/service-time.ts';
import { toAlertReports } from './alert-reports.ts';
import { openContext, tell } from './answer-context.ts';
import { mergeTrips } from './merge-trips.ts';
import { noFixes, type PublisherFixes } from './publisher-fixes.ts';
import { toTripReport } from './trip-reports.ts';

export interface NormaliseOptions {
  /** Id for problems. */
  readonly source: string;
  readonly fetchedAt: Instant;
  readonly fixes?: PublisherFixes;
  /** False leaves the situations of an answer aside; they still count as records. */
  readonly includeSituations?: boolean;
}

/** A clock that is further off than this tells that the answer is not of now. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 300;
/** Events were asked for from now on: when the newest of them is older than this, the upstream stands still. */
const MAX_EVENT_AGE_SECONDS = 3600;

/**
 * What an answer says in the words of the model. Trips are those of stop events, of legs and of trip infos alike;
 * locations say nothing of realtime and only count as records.
 */
export function normaliseAnswer(answer: RawAnswer, options: NormaliseOptions): SourceUpdate {
  const { source, fetchedAt, fixes = noFixes, includeSituations = true } = options;
  const publishedAt = answer.responseTime === null ? null : parseTimestamp(answer.responseTime);
  const context = openContext(answer, { source, knownAt: publishedAt ?? fetchedAt, fixes });
  if (answer.responseTime !== null && publishedAt === null) {
    tell(context, 'bad_time', 'answer', answer.responseTime.slice(0, 60));
  }
  const reports = answer.trips.flatMap((trip) => toTripReport(trip, context) ?? []);
  const trips = mergeTrips(reports, context);
  const alerts = includeSituations ? toAlertReports(answer.situations, answer.trips, context) : [];
  const isFrozen = isOld(publishedAt, fetchedAt) || hasStopped(trips, fetchedAt);
  if (isFrozen)
    tell(context, 'frozen_answer', 'answer', `answered at ${answer.responseTime}, its times are not of now`);
  return {
    ...emptyUpdate,
    publishedAt,
    isFrozen,
    trips,
    alerts,
    recordCount: answer.recordCount,
    problems: context.problems,
  };
}

function isOld(publishedAt: Instant | null, fetchedAt: Instant): boolean {
  return publishedAt !== null && Math.abs(publishedAt - fetchedAt) > MAX_CLOCK_DIFFERENCE_SECONDS;
}

function hasStopped(trips: readonly TripReport[], fetchedAt: Instant): boolean {
  const times = trips
    .flatMap(({ calls }) => calls.flatMap(({ arrival, departure }) => [arrival, departure]))
    .flatMap((report) => report?.time ?? report?.scheduledTime ?? []);
  return times.length > 0 && times.every((time) => time < fetchedAt - MAX_EVENT_AGE_SECONDS);
}
