import type { HafasCall } from '../../formats/hafas/hafas-records.ts';
import { type JsonObject, objectOf, textOf } from '../../formats/hafas/mgate-json.ts';
import type { CallReport, TimeReport } from '../../model/realtime.ts';
import { type Instant, parseTimestamp } from '../../model/service-time.ts';
import { toStopName } from './stop-name.ts';

type Event = 'a' | 'd';

/** The one word of HAFAS that a time was reported from the vehicle's passage; the others are kinds of forecast. */
const MEASURED = 'REPORTED';

/**
 * A call in the model's words. `stopSequence` stays null: HAFAS counts borders and junctions too.
 * @see decisions, section 5: any realtime time is a forecast, even a past one; only `REPORTED` is measured
 */
export function toCallReport({ stop, stopover, raw }: HafasCall): CallReport {
  return {
    stopSequence: null,
    stop: stop === null ? null : toStopName(stop),
    arrival: toTimeReport(raw, 'a', stopover.plannedArrival, stopover.arrival),
    departure: toTimeReport(raw, 'd', stopover.plannedDeparture, stopover.departure),
    state: toState(raw),
    scheduledPlatform: textOf(stopover.plannedDeparturePlatform) ?? textOf(stopover.plannedArrivalPlatform),
    platform: platformOf(raw, 'd') ?? platformOf(raw, 'a'),
    assignedStopId: null,
  };
}

/** @param time the forecast, or the plan where there is none: whether there is one, only the raw member tells */
function toTimeReport(raw: JsonObject, event: Event, planned: string | null, time: string | null): TimeReport | null {
  const isForecast = textOf(raw[`${event}TimeR`]) !== null && !isCancelled(raw, event);
  if (planned === null && !isForecast) return null;
  const forecast = isForecast ? toInstant(time) : null;
  return {
    scheduledTime: toInstant(planned),
    time: forecast,
    delaySeconds: null,
    isMeasured: forecast !== null && raw[`${event}ProgType`] === MEASURED,
  };
}

export function toInstant(text: string | null | undefined): Instant | null {
  return text === null || text === undefined ? null : parseTimestamp(text);
}

/**
 * A call has one state and HAFAS cancels arrival and departure apart. Riders wait for the departure, so it decides
 * where there is one: a train that begins late is there to be boarded, one that ends early is not.
 */
function toState(raw: JsonObject): CallReport['state'] {
  if (isCancelled(raw, 'd') || (isCancelled(raw, 'a') && !hasTime(raw, 'd'))) return 'skipped';
  return raw.isAdd === true ? 'unplanned' : 'normal';
}

function isCancelled(raw: JsonObject, event: Event): boolean {
  return raw[`${event}Cncl`] === true;
}

function hasTime(raw: JsonObject, event: Event): boolean {
  return textOf(raw[`${event}TimeS`]) !== null || textOf(raw[`${event}TimeR`]) !== null;
}

/** The platform as now announced; endpoints tell it as a text or as an object with one. */
function platformOf(raw: JsonObject, event: Event): string | null {
  if (isCancelled(raw, event)) return null;
  return textOf(raw[`${event}PlatfR`]) ?? textOf(objectOf(raw[`${event}PltfR`]).txt);
}
