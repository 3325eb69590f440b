import type { AlertReport, CallReport, StopName, StopReport, TripReport } from '../../model/realtime.ts';
import { getPart, type SourceMemory } from './memory.ts';
import { NO_ENTITIES, type PartEntities } from './modification-memory.ts';
import type { UpdateRun } from './update-run.ts';

/** Keeps the stops, shapes and modifications that the part's publisher describes, for as long as it publishes them. */
export function keepEntities({ source, update, facts }: UpdateRun): void {
  const part = getPart(source, facts.part);
  const { stops, shapes, modifications, scope, deletedIds } = update;
  if (stops.length + shapes.length + modifications.length === 0 && part.entities === NO_ENTITIES) return;
  const before = scope === 'all' ? NO_ENTITIES : part.entities;
  const gone = new Set(deletedIds.map((id) => `entity ${id}`));
  const next = {
    stops: merge(before.stops, stops, gone, ({ id }) => id),
    shapes: merge(before.shapes, shapes, gone, ({ id }) => id),
    modifications: merge(before.modifications, modifications, gone, ({ place }) => place),
  };
  if (isSame(part.entities, next)) return;
  part.entities = next;
  source.modified = null;
}

function merge<Report extends { readonly place: string }>(
  before: ReadonlyMap<string, Report>,
  reports: readonly Report[],
  gone: ReadonlySet<string>,
  keyOf: (report: Report) => string,
): ReadonlyMap<string, Report> {
  const kept = [...before].filter(([, { place }]) => !gone.has(place));
  return new Map([...kept, ...reports.map((report) => [keyOf(report), report] as const)]);
}

function isSame(a: PartEntities, b: PartEntities): boolean {
  const write = ({ stops, shapes, modifications }: PartEntities) =>
    JSON.stringify([stops, shapes, modifications].map((reports) => [...reports.values()]));
  return write(a) === write(b);
}

/** Finds a stop that the publisher describes; null for one that only the timetable may have. */
export function findStopReport({ parts }: SourceMemory, stopId: string): StopReport | null {
  for (const { entities } of parts.values()) {
    const found = entities.stops.get(stopId);
    if (found) return found;
  }
  return null;
}

/** @returns the encoded polyline of a shape that the publisher describes; null without one */
export function findPolyline({ parts }: SourceMemory, shapeId: string | null): string | null {
  if (shapeId === null) return null;
  for (const { entities } of parts.values()) {
    const found = entities.shapes.get(shapeId);
    if (found) return found.polyline;
  }
  return null;
}

/** Adds what the publisher describes of a stop. */
export function describeStop(source: SourceMemory, stop: StopName): StopName {
  const found = stop.id === null ? null : findStopReport(source, stop.id);
  if (!found || (found.idSpace ?? 'gtfs') !== stop.idSpace) return stop;
  if (found.idSpace === 'rbl') return describePlatform(stop, found);
  const { name, lat, lon, parentStation: stationId, platformCode } = found;
  return { ...stop, name, lat, lon, stationId, platformCode };
}

/** Timetables have the numbers of stations, but not those of platforms. */
function describePlatform(stop: StopName, { name, lat, lon, parentStation }: StopReport): StopName {
  const described = { ...stop, name: stop.name ?? name, lat, lon };
  return parentStation === null ? described : { ...described, id: parentStation, idSpace: 'diva' };
}

/** Adds what the publisher describes of the stops of an alert. */
export function describeAlertStops(source: SourceMemory, alert: AlertReport): AlertReport {
  return { ...alert, stops: alert.stops.map((stop) => describeStop(source, stop)) };
}

/** Adds what the publisher describes of the stops of a report. */
export function describeStops(source: SourceMemory, report: TripReport): TripReport {
  const describeCall = (call: CallReport) => {
    const stop = call.stop && describeStop(source, call.stop);
    if (stop === call.stop) return call;
    return { ...call, stop, scheduledPlatform: call.scheduledPlatform ?? stop?.platformCode ?? null };
  };
  return { ...report, calls: report.calls.map(describeCall) };
}

export function hasStopReports({ parts }: SourceMemory): boolean {
  for (const { entities } of parts.values()) if (entities.stops.size > 0) return true;
  return false;
}
