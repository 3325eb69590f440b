/** How a rider gets to the first stop, and from the last one. */
export const tripModes = ['walk', 'bike', 'bikeOnBoard', 'parkAndRide', 'kissAndRide'] as const;
export type TripMode = (typeof tripModes)[number];

/** What the streets of a service were built for. */
interface VehicleStreets {
  readonly modes: readonly ('bike' | 'car')[];
  /** Car parks for changing to public transport. */
  readonly parkAndRide: readonly unknown[];
}

/** The modes that a service can plan. @param streets null: streets for walking only, or none */
export function listTripModes(streets: VehicleStreets | null): readonly TripMode[] {
  const hasBike = streets?.modes.includes('bike') ?? false;
  const hasCar = streets?.modes.includes('car') ?? false;
  const isPlanned: Readonly<Record<TripMode, boolean>> = {
    walk: true,
    bike: hasBike,
    bikeOnBoard: hasBike,
    parkAndRide: hasCar && streets!.parkAndRide.length > 0,
    kissAndRide: hasCar,
  };
  return tripModes.filter((mode) => isPlanned[mode]);
}

/** Modes that a form offers: a link may have one that the service cannot plan. */
export function listOffered(planned: readonly TripMode[], chosen: TripMode): readonly TripMode[] {
  return tripModes.filter((mode) => mode === chosen || planned.includes(mode));
}

/** @returns on foot for anything else */
export function readTripMode(text: string | null | undefined): TripMode {
  return tripModes.find((mode) => mode === text) ?? 'walk';
}
