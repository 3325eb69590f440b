import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Cancellation } from '../../contract/definitions.ts';
import {
  findAddedCoord,
  findAnnouncedPlatform,
  findPlatform,
  getCallStop,
  getStopName,
  type StopCoord,
  type TripView,
} from './dated-trip.ts';
import { type EventTime, openEventTimes } from './event-times.ts';

/** One call of a dated trip, scheduled and live. */
export interface JourneyCall {
  /** Row of the timetable's stops, or -1. */
  readonly stop: number;
  readonly stopName: string;
  /** Of a stop that the timetable lacks, as its publisher describes it; empty when unknown. */
  readonly coord: StopCoord;
  readonly arrival: EventTime;
  readonly departure: EventTime;
  /** Scheduled and announced platform; null when unknown. */
  readonly platform: string | null;
  readonly announcedPlatform: string | null;
}

/** @param instant determines which forecasts are fresh */
export function listCalls(view: TripView, instant: Instant): JourneyCall[] {
  const readEvent = openEventTimes(view, instant);
  return Array.from({ length: view.callCount }, (_, position) => ({
    stop: getCallStop(view, position),
    stopName: getStopName(view, position),
    coord: findAddedCoord(view, position),
    arrival: readEvent(position, 'arrival'),
    departure: readEvent(position, 'departure'),
    platform: findPlatform(view, position),
    announcedPlatform: findAnnouncedPlatform(view, position),
  }));
}

/** Whether the vehicle neither arrives nor departs; nobody arrives at the first call or leaves from the last one. */
export function isSkipped({ arrival, departure }: Pick<JourneyCall, 'arrival' | 'departure'>): boolean {
  return arrival.isCancelled && departure.isCancelled;
}

/** Cancellation of a call: partial where it takes place as an arrival or as a departure alone. */
export function describeCancellation({ arrival, departure }: Pick<JourneyCall, 'arrival' | 'departure'>): Cancellation {
  const fullyCancelled = arrival.isCancelled && departure.isCancelled;
  return { fullyCancelled, partiallyCancelled: !fullyCancelled && (arrival.isCancelled || departure.isCancelled) };
}
