import type { Product } from '../../model/product.ts';
import type { AlertReport } from '../../model/realtime.ts';
import type { Instant, ServiceDate, ServiceTime } from '../../model/service-time.ts';
import type { SamplePublisher } from '../feed/publishers.ts';

/** The made-up day at one moment, from which the answers of fake upstreams are built. */
export interface SimulatedState {
  readonly now: Instant;
  /** Trips under way, starting within two hours, ended within the last quarter of an hour, or cancelled today. */
  readonly trips: readonly SimulatedTrip[];
  /** Alerts published now; `place` is set by no answer and stays empty. */
  readonly alerts: readonly SimulatedAlert[];
}

/**
 * An alert of the made-up country. It applies to its trips alone where it names some (then its lines only say which
 * line that is); else to its lines at its stops; where it names only lines or only stops, to all of these.
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
  /** The feed that has it, and whether that reports observed times, rather than forecasts alone. */
  readonly publisher: SamplePublisher;
  readonly isMeasured: boolean;
  readonly headsign: string;
  /** Train number where there is one. */
  readonly shortName: string | null;
  readonly state: 'scheduled' | 'cancelled' | 'added';
  /** There is no realtime of it: its data were lost. */
  readonly isDataLost: boolean;
  readonly calls: readonly SimulatedCall[];
  /** Null before it begins, after it ends, and without a known position. */
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
  /** GTFS stop id of the actual platform, where it was changed. */
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
  /** The call that it is at or heads to. */
  readonly position: number;
  readonly isStopped: boolean;
}
