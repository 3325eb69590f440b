import type { CallReport } from '../../model/realtime.ts';
import { findStopReport } from './described-entities.ts';
import { matchContext, type UpdateRun } from './update-run.ts';

/** A call of the trip that a report is of. */
interface ReportedCall {
  /** Row of the timetable's stops, or -1. */
  readonly stop: number;
  readonly canBoard: boolean;
  readonly canAlight: boolean;
}

/** The call of a planned trip. */
export function describeReported({ context }: UpdateRun, trip: number, position: number): ReportedCall {
  const { trips, patterns, patternCalls } = context.planned.tables;
  const row = patterns.firstCall[trips.pattern[trip]!]! + position;
  return {
    stop: patternCalls.stop[row]!,
    canBoard: patternCalls.boardAt[row]! >= 0,
    canAlight: patternCalls.alightAt[row]! >= 0,
  };
}

/** Compares the reported properties of a call with the schedule: its platform, and who may use it. */
export function settleProperties(run: UpdateRun, report: CallReport, call: ReportedCall): CallReport {
  return closeCall(announcePlatform(run, report, call), call);
}

/** A call counts as closed where passengers could use it by the plan; one that is closed altogether as skipped. */
function closeCall(report: CallReport, { canBoard, canAlight }: ReportedCall): CallReport {
  if (!report.properties) return report;
  const pickup = canBoard ? report.properties.pickup : null;
  const dropOff = canAlight ? report.properties.dropOff : null;
  const isAnyClosed = pickup === false || dropOff === false;
  const isOpen = (canBoard && pickup !== false) || (canAlight && dropOff !== false);
  if (isAnyClosed && !isOpen) return { ...report, state: 'skipped' };
  return { ...report, properties: { ...report.properties, pickup, dropOff } };
}

/** A call that is reported at another stop than planned gets the platform of that stop; empty where it is not known. */
function announcePlatform(run: UpdateRun, report: CallReport, { stop }: ReportedCall): CallReport {
  if (report.platform !== null) return report;
  const platform = findPlatform(run, report, stop);
  return platform === null ? report : { ...report, platform };
}

/** @returns null where the report names the planned stop, or no other platform */
function findPlatform(run: UpdateRun, { assignedStopId, stop: named }: CallReport, planned: number): string | null {
  const { stops } = run.context.planned.tables;
  const stopId = assignedStopId ?? (named?.idSpace === 'gtfs' ? named.id : null);
  if (stopId === null || planned < 0 || stopId === stops.stopId.get(planned)) return null;
  const described = findStopReport(run.source, stopId);
  if (described) return described.platformCode ?? '';
  const name = { id: stopId, idSpace: 'gtfs', name: null, lat: null, lon: null } as const;
  const row = run.context.matcher.matchStop(name, matchContext(run));
  if (row === null) return '';
  // A station names none of its platforms.
  return stops.platformCode.get(row) || null;
}
