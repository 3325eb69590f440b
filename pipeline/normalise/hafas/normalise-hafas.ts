import type { HafasRecords } from '../../formats/hafas/hafas-records.ts';
import type { Problem } from '../../model/problem.ts';
import { emptyUpdate, type SourceUpdate } from '../../model/realtime.ts';
import { type Instant, localDate, parseServiceDate } from '../../model/service-time.ts';
import { toAlertReports } from './alert-report.ts';
import { toInstant } from './call-report.ts';
import { toTripReport } from './trip-report.ts';
import { toVehicleReport, vehicleIdOf } from './vehicle-report.ts';

/** Endpoints take in realtime every minute or so; one that has not for this long stands still. */
const FROZEN_AFTER_SECONDS = 900;

interface Told {
  readonly sourceId: string;
  /** IANA name of the endpoint's clock. */
  readonly zone: string;
  readonly fetchedAt: Instant;
}

/**
 * What an answer says, in the words of the model.
 * `publishedAt` is when the endpoint last took in realtime, or its clock where it does not say. A timetable that does
 * not hold the day of the answer is told as `timetable_out_of_period`.
 */
export function normaliseHafas(records: HafasRecords, { sourceId, zone, fetchedAt }: Told): SourceUpdate {
  const publishedAt = readPublishedAt(records);
  const onMap = records.movements.map((movement) => ({
    movement,
    trip: { ...toTripReport(movement.run, zone), vehicleId: vehicleIdOf(movement) },
  }));
  const trips = records.runs.map((run) => toTripReport(run, zone));
  const problems = [...records.problems, ...findPeriodProblem(records, localDate(fetchedAt, zone))];
  return {
    ...emptyUpdate,
    publishedAt,
    isFrozen: publishedAt !== null && fetchedAt - publishedAt > FROZEN_AFTER_SECONDS,
    trips: [...trips, ...onMap.map(({ trip }) => trip)],
    vehicles: onMap.map(({ movement, trip }) => toVehicleReport(movement, trip, publishedAt)),
    alerts: toAlertReports(
      records.messages,
      records.runs.map((run, index) => ({ run, trip: trips[index]!.trip })),
    ),
    recordCount: records.recordCount,
    problems: problems.map((problem) => ({ ...problem, source: sourceId })),
  };
}

function readPublishedAt({ updatedAt }: HafasRecords): Instant | null {
  return updatedAt.realtimeSeconds === null ? toInstant(updatedAt.serverTime) : (updatedAt.realtimeSeconds as Instant);
}

function findPeriodProblem({ timetable }: HafasRecords, today: string): Omit<Problem, 'source'>[] {
  if (timetable === null) return [];
  const [begin, end] = [parseServiceDate(timetable.begin), parseServiceDate(timetable.end)];
  if (begin !== null && end !== null && begin <= today && today <= end) return [];
  const detail = `it answers from a timetable of ${timetable.begin} to ${timetable.end}`;
  return [{ code: 'timetable_out_of_period', place: 'fpB, fpE', detail }];
}
