import type { Product } from '../../model/product.ts';
import type { AlertReport } from '../../model/realtime.ts';
import type { Instant, ServiceDate, ServiceTime } from '../../model/service-time.ts';
import type { SamplePublisher } from '../feed/publishers.ts';

/** The made-up day at one moment: what fake upstreams tell of it is made from here. */
export interface SimulatedState {
  readonly now: Instant;
  /** Trips that run now, begin within two hours, ended within the last quarter of an hour, or are cancelled today. */
  readonly trips: readonly SimulatedTrip[];
  /** News that is published now; its `place` is not set by any answer and stays empty. */
  readonly alerts: readonly SimulatedAlert[];
}

/**
 * A piece of news of the made-up country. It is about its trips alone where it names some (then its lines only say which
 * line that is); else about its lines at its stops, and where it names one of the two, about all of that.
 */
export type SimulatedAlert = Omit<AlertReport, 'entities'> & { readonly publisher: SamplePublisher };

export interface SimulatedTrip {
  /** As in the sample's trips.txt; for an added trip one that is not in it. */
  readonly tripId: string;
  readonly routeId: string;
  readonly directionId: 0 | 1;
  readonly startDate: ServiceDate;
  /** First departure. */
  readonly startTime: ServiceTime;
  readonly lineLabel: string;
  readonly product: Product;
  readonly operatorName: string;
  /** Whose feed it is in, and whether that says when it came, rather than when it was expected. */
  readonly publisher: SamplePublisher;
  readonly isMeasured: boolean;
  readonly headsign: string;
  /** Train number where there is one. */
  readonly shortName: string | null;
  readonly state: 'scheduled' | 'cancelled' | 'added';
  /** Nobody sends anything of it: its data was lost. */
  readonly isSilent: boolean;
  readonly calls: readonly SimulatedCall[];
  /** Null before it begins, after it ends, and where no position is known. */
  readonly vehicle: SimulatedVehicle | null;
}

export interface SimulatedCall {
  readonly stop: SimulatedStop;
  readonly stopSequence: number;
  readonly scheduledArrival: Instant;
  readonly scheduledDeparture: Instant;
  /** What happened where it lies in the past, a forecast where it lies ahead. */
  readonly arrival: Instant;
  readonly departure: Instant;
  readonly isSkipped: boolean;
  readonly scheduledPlatform: string | null;
  readonly platform: string | null;
  /** GTFS stop id of the platform it now uses, where it changed. */
  readonly assignedStopId: string | null;
}

export interface SimulatedStop {
  readonly stopId: string;
  readonly stationId: string | null;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  /** DIVA of the station, as stop_code of the sample has it. */
  readonly diva: string | null;
}

export interface SimulatedVehicle {
  readonly id: string;
  readonly lat: number;
  readonly lon: number;
  readonly headingDeg: number;
  /** Which of the calls it is at or heads to. */
  readonly position: number;
  readonly isStopped: boolean;
}
