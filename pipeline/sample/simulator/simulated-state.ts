import type { Product } from '../../model/product.ts';
import type { AlertReport } from '../../model/realtime.ts';
import type { Instant, ServiceDate, ServiceTime } from '../../model/service-time.ts';
import type { SamplePublisher } from '../feed/publishers.ts';

/** The made-up day at one instant, the source of the fake upstreams' answers. */
export interface SimulatedState {
  readonly now: Instant;
  /** Trips in progress, starting within two hours, ended within the last 15 minutes, or cancelled today. */
  readonly trips: readonly SimulatedTrip[];
  /** Alerts published now; `place` stays empty. */
  readonly alerts: readonly SimulatedAlert[];
}

/**
 * An alert of the made-up country. It applies to its trips if it has any (its lines then only name their line), else to
 * its lines at its stops, else to all of its lines or stops.
 */
export type SimulatedAlert = Omit<AlertReport, 'entities'> & { readonly publisher: SamplePublisher };

export interface SimulatedTrip {
  /** As in the sample's trips.txt; for an added trip an id that is not in it. */
  readonly tripId: string;
  readonly routeId: string;
  readonly directionId: 0 | 1;
  readonly startDate: ServiceDate;
  /** First departure. */
  readonly startTime: ServiceTime;
  readonly lineLabel: string;
  readonly product: Product;
  readonly operatorName: string;
  /** The feed that has it, and whether that reports observed times besides forecasts. */
  readonly publisher: SamplePublisher;
  readonly isMeasured: boolean;
  readonly headsign: string;
  /** Train number where there is one. */
  readonly shortName: string | null;
  readonly state: 'scheduled' | 'cancelled' | 'added';
  /** Its realtime data are lost. */
  readonly isDataLost: boolean;
  readonly calls: readonly SimulatedCall[];
  /** Null before its start, after its end, and without a known position. */
  readonly vehicle: SimulatedVehicle | null;
}

export interface SimulatedCall {
  readonly stop: SimulatedStop;
  readonly stopSequence: number;
  readonly scheduledArrival: Instant;
  readonly scheduledDeparture: Instant;
  /** Observed where it is past, otherwise a forecast. */
  readonly arrival: Instant;
  readonly departure: Instant;
  readonly isSkipped: boolean;
  readonly scheduledPlatform: string | null;
  readonly platform: string | null;
  /** GTFS stop id of the actual platform, if changed. */
  readonly assignedStopId: string | null;
}

export interface SimulatedStop {
  readonly stopId: string;
  readonly stationId: string | null;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  /** DIVA of the station, the stop_code of the sample. */
  readonly diva: string | null;
}

export interface SimulatedVehicle {
  readonly id: string;
  readonly lat: number;
  readonly lon: number;
  readonly headingDeg: number;
  /** The current or next call. */
  readonly position: number;
  readonly isStopped: boolean;
}
