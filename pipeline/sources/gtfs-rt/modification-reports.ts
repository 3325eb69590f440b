import { isCoordinate } from '../../model/geo.ts';
import type { CallChange, CallName, ModificationReport, ShapeReport, StopReport } from '../../model/realtime.ts';
import { pickLine } from './alert-reports.ts';
import type { FeedStop, Modification, Shape, StopSelector, TripModifications } from './feed-message.ts';
import { addProblem, type FeedReading, readDate, readTime, textOf, toStopName } from './reading.ts';

/** A travel time or a delay of a detour beyond six hours is an error. */
const MAX_CHANGE_SECONDS = 6 * 3600;
/** Maximum stops and dates of one detour; more are an error in the message. */
const MAX_CHANGES = 100;
const MAX_DATES = 400;

/**
 * Converts a stop entity.
 * @returns null without an id (`stop_without_id`); invalid coordinates are dropped (`bad_coordinates`)
 */
export function toStopReport(reading: FeedReading, stop: FeedStop, place: string): StopReport | null {
  const id = textOf(stop.stopId);
  if (id === null) {
    addProblem(reading, 'stop_without_id', place, 'no stop_id');
    return null;
  }
  const { stopLat, stopLon } = stop;
  const isPlaced = stopLat !== undefined && stopLon !== undefined && isCoordinate(stopLat, stopLon);
  if (!isPlaced && (stopLat ?? stopLon) !== undefined)
    addProblem(reading, 'bad_coordinates', place, `${stopLat}, ${stopLon}`);
  return {
    place,
    id,
    name: pickLine(stop.stopName),
    lat: isPlaced ? stopLat : null,
    lon: isPlaced ? stopLon : null,
    parentStation: textOf(stop.parentStation),
    platformCode: pickLine(stop.platformCode),
  };
}

/** @returns null without an id or a line: `empty_shape` */
export function toShapeReport(reading: FeedReading, shape: Shape, place: string): ShapeReport | null {
  const [id, polyline] = [textOf(shape.shapeId), textOf(shape.encodedPolyline)];
  if (id !== null && polyline !== null) return { place, id, polyline };
  addProblem(reading, 'empty_shape', place, 'no shape_id, or no encoded_polyline');
  return null;
}

/**
 * Converts a modification of trips.
 * @returns null where it names no trip (`modification_without_trips`), no date (`modification_without_dates`) or no
 *   usable change (`bad_modification`): part of a detour would be a different detour
 */
export function toModificationReport(
  reading: FeedReading,
  modifications: TripModifications,
  place: string,
): ModificationReport | null {
  const trips = modifications.selectedTrips.flatMap(({ tripIds, shapeId }) =>
    tripIds.flatMap((id) => {
      const tripId = textOf(id);
      return tripId === null ? [] : [{ tripId, shapeId: textOf(shapeId) }];
    }),
  );
  const dates = modifications.serviceDates.flatMap((text) => readDate(reading, text, place) ?? []);
  const changes = modifications.modifications.map((change) => toCallChange(reading, change));
  const refusal = findRefusal(modifications, { trips: trips.length, dates: dates.length }, changes);
  if (refusal) {
    addProblem(reading, refusal.code, place, refusal.detail);
    return null;
  }
  return {
    place,
    trips,
    startTimes: modifications.startTimes.flatMap((text) => readTime(reading, text, place) ?? []),
    serviceDates: [...new Set(dates)],
    changes: changes.filter((change) => change !== null),
  };
}

function findRefusal(
  { modifications, serviceDates }: TripModifications,
  read: { readonly trips: number; readonly dates: number },
  changes: readonly (CallChange | null)[],
): { code: string; detail: string } | null {
  if (read.trips === 0) return { code: 'modification_without_trips', detail: 'selected_trips names no trip' };
  if (read.dates === 0) return { code: 'modification_without_dates', detail: 'service_dates names no date' };
  if (modifications.length === 0) return { code: 'bad_modification', detail: 'modifications is empty' };
  if (modifications.length > MAX_CHANGES || serviceDates.length > MAX_DATES) {
    return { code: 'bad_modification', detail: `${modifications.length} changes on ${serviceDates.length} dates` };
  }
  const bad = changes.indexOf(null);
  return bad < 0 ? null : { code: 'bad_modification', detail: `modification ${bad + 1} cannot be read` };
}

/** @returns null without a start, with a stop without an id, or with an invalid time */
function toCallChange(reading: FeedReading, modification: Modification): CallChange | null {
  const first = toCallName(reading, modification.startStopSelector);
  const last = modification.endStopSelector ? toCallName(reading, modification.endStopSelector) : null;
  const delaySeconds = modification.propagatedModificationDelay ?? 0;
  const stops = modification.replacementStops.map(({ stopId, travelTimeToStop }) => ({
    stop: toStopName(reading, stopId),
    travelSeconds: travelTimeToStop ?? null,
  }));
  const seconds = [delaySeconds, ...stops.map(({ travelSeconds }) => travelSeconds ?? 0)];
  const isBad = stops.length > MAX_CHANGES || seconds.some((value) => Math.abs(value) > MAX_CHANGE_SECONDS);
  if (first === null || isBad || (modification.endStopSelector && last === null)) return null;
  const named = stops.flatMap(({ stop, travelSeconds }) => (stop === null ? [] : [{ stop, travelSeconds }]));
  return named.length < stops.length ? null : { first, last, delaySeconds, stops: named };
}

function toCallName(reading: FeedReading, selector: StopSelector | undefined): CallName | null {
  const stop = toStopName(reading, selector?.stopId);
  const stopSequence = selector?.stopSequence ?? null;
  return stop === null && stopSequence === null ? null : { stop, stopSequence };
}
