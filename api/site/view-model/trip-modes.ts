/** How a rider reaches the first stop, and leaves the last one. */
export const tripModes = ['walk', 'bike', 'bikeOnBoard', 'sharedBike', 'parkAndRide', 'kissAndRide'] as const;
export type TripMode = (typeof tripModes)[number];

/** The modes for which the streets of a service were built. */
export interface VehicleStreets {
  readonly modes: readonly ('bike' | 'car')[];
  /** Park-and-ride car parks. */
  readonly parkAndRide: readonly unknown[];
}

/** Properties of a service on which its modes depend. */
interface ModeFacts {
  /** `null` if there are streets for walking only, or none. */
  readonly streets: VehicleStreets | null;
  /** Whether there are streets at all; without them, rides on shared bicycles are estimated. */
  readonly hasStreets: boolean;
  /** Whether a sharing system has responded. */
  readonly hasSharing: boolean;
}

/** The modes that a service can plan. */
export function listTripModes({ streets, hasStreets, hasSharing }: ModeFacts): readonly TripMode[] {
  const hasBike = streets?.modes.includes('bike') ?? false;
  const hasCar = streets?.modes.includes('car') ?? false;
  const isPlanned: Readonly<Record<TripMode, boolean>> = {
    walk: true,
    bike: hasBike,
    bikeOnBoard: hasBike,
    sharedBike: hasSharing && (hasBike || !hasStreets),
    parkAndRide: hasCar && streets!.parkAndRide.length > 0,
    kissAndRide: hasCar,
  };
  return tripModes.filter((mode) => isPlanned[mode]);
}

/** Modes that a form offers. The mode of a link is among them even if the service cannot plan it. */
export function listOffered(planned: readonly TripMode[], chosen: TripMode): readonly TripMode[] {
  return tripModes.filter((mode) => mode === chosen || planned.includes(mode));
}

/** @returns `walk` for anything else */
export function readTripMode(text: string | null | undefined): TripMode {
  return tripModes.find((mode) => mode === text) ?? 'walk';
}
