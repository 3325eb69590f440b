import type { HafasRun } from '../../formats/hafas/hafas-records.ts';
import type { CallReport, TripName, TripRelationship, TripReport } from '../../model/realtime.ts';
import { parseServiceDate, type ServiceDate, type ServiceTime, serviceDayStart } from '../../model/service-time.ts';
import { toCallReport } from './call-report.ts';
import { toProduct } from './hafas-product.ts';
import { toLineLabel } from './line-label.ts';

/** Statuses of trips that the realtime made: none of them is in a timetable. */
const ADDED_STATUSES = ['A', 'S', 'R'];

/** @param zone IANA name of the endpoint's clock */
export function toTripReport(run: HafasRun, zone: string): TripReport {
  const calls = run.calls.map(toCallReport);
  return {
    place: run.place,
    trip: toTripName(run, calls, zone),
    relationship: toRelationship(run),
    newTripId: null,
    recordedAt: null,
    delaySeconds: null,
    calls,
    vehicleId: null,
    originName: run.originName ?? (run.isFromStart ? (calls[0]?.stop?.name ?? null) : null),
    isSpecial: run.status === 'S',
  };
}

export function toTripName(run: HafasRun, calls: readonly CallReport[], zone: string): TripName {
  const startDate = run.startDate === null ? null : parseServiceDate(run.startDate);
  return {
    tripId: run.jid,
    routeId: null,
    directionId: null,
    startDate,
    startTime: run.isFromStart ? toStartTime(calls[0], startDate, zone) : null,
    lineLabel: toLineLabel(run.line?.name ?? null),
    product: run.line === null ? null : toProduct(run.line),
    operatorName: run.line?.operator?.name ?? null,
    headsign: run.direction,
  };
}

function toRelationship({ isCancelled, status }: HafasRun): TripRelationship {
  if (isCancelled) return 'cancelled';
  return status !== null && ADDED_STATUSES.includes(status) ? 'added' : 'scheduled';
}

function toStartTime(first: CallReport | undefined, date: ServiceDate | null, zone: string): ServiceTime | null {
  const start = first?.departure?.scheduledTime ?? null;
  return start === null || date === null ? null : ((start - serviceDayStart(date, zone)) as ServiceTime);
}
