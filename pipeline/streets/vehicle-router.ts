import type { ParkAndRide } from './published-streets.ts';
import type { Point, WalkLanguage, WalkPath } from './street-path.ts';

/** Modes on wheels, in the order in which they are listed. */
export const vehicleModes = ['bike', 'car'] as const;
export type VehicleMode = (typeof vehicleModes)[number];

/** A bicycle with its speed on level ground, or a car, which drives at the speeds of the map. */
export type StreetVehicle = { readonly mode: 'bike'; readonly speedKmh: number } | { readonly mode: 'car' };

/** Maximum length of one way. */
export const MAX_RIDE_METERS: Readonly<Record<VehicleMode, number>> = { bike: 50_000, car: 150_000 };

/** A way along streets; whole metres and seconds, rounded up. */
export interface VehicleWay {
  readonly meters: number;
  readonly seconds: number;
}

/**
 * Ways by bicycle and car over a street graph. The first and last metres, up to 300 m between a
 * place and a street of the mode, are walked. Places further away, or without known streets, have no way.
 */
export interface VehicleRouter {
  /** Modes for which the streets were built. */
  readonly modes: readonly VehicleMode[];
  /** Car parks for changing to public transport. */
  readonly parkAndRide: readonly ParkAndRide[];
  /**
   * Measures the ways from one place to others, or to it from them: streets may be one-way.
   * @param others each within `MAX_RIDE_METERS` in a straight line
   */
  measure(
    vehicle: StreetVehicle,
    direction: 'from' | 'to',
    place: Point,
    others: readonly Point[],
  ): Promise<(VehicleWay | null)[]>;
  /** @returns null if there is no way of at most `MAX_RIDE_METERS` */
  findPath(vehicle: StreetVehicle, from: Point, to: Point, language: WalkLanguage): Promise<WalkPath | null>;
}
