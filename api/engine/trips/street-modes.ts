import { straightRides } from '../../../pipeline/streets/straight-rides.ts';
import type { StreetVehicle, VehicleMode, VehicleRouter } from '../../../pipeline/streets/vehicle-router.ts';
import type { WalkRouter } from '../../../pipeline/streets/walk-router.ts';
import type { TripAccess, TripDirect, TripEgress, TripRequest } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { Sharing } from '../sharing/open-sharing.ts';

/** How one end of a trip is travelled. */
export interface EndModes {
  readonly onFoot: boolean;
  readonly vehicles: readonly StreetVehicle[];
  /** A bicycle of a sharing system; `null` if not requested. */
  readonly sharedBike: StreetVehicle | null;
  readonly maxBikeMeters: number;
  readonly maxCarSeconds: number;
  /** Whether the bicycle stays at the station, or is taken along. */
  readonly bikeStays: boolean;
  /** Where the car stays. */
  readonly parking: NonNullable<TripAccess['parking']>;
}

/** The modes of a request; ends that are null are on foot. */
export interface StreetModes {
  readonly access: EndModes | null;
  readonly egress: EndModes | null;
  readonly direct: EndModes | null;
  readonly bikeOnBoard: boolean;
  /** For them; null where none is requested. */
  readonly streets: VehicleRouter | null;
  /** `null` without a sharing system. */
  readonly sharing: Sharing | null;
}

const BIKE_SPEED_KMH = 16;
const accessLimits = { bikeMeters: 5000, carSeconds: 900 };
const directLimits = { bikeMeters: 20_000, carSeconds: 7200 };

/**
 * Returns the streets for vehicles: without a street graph, rides on shared bicycles are estimated like walks.
 * @returns null where streets were built for walking only
 */
export function openRides(walks: WalkRouter | null): VehicleRouter | null {
  return walks === null ? straightRides : (walks.vehicles ?? null);
}

/**
 * Reads the modes of a request.
 * @param streets null where streets were built for walking only
 * @param sharing `null` without a sharing system
 * @throws ApiProblem `mode_unavailable`, `invalid_body` with the JSON Pointer of the member
 */
export function readModes(
  request: Pick<TripRequest, 'access' | 'egress' | 'direct' | 'bikeOnBoard'>,
  streets: VehicleRouter | null,
  sharing: Sharing | null = null,
): StreetModes {
  const bikeOnBoard = request.bikeOnBoard ?? false;
  const byBike: TripAccess = { modes: ['bike'] };
  const access = request.access ?? (bikeOnBoard ? byBike : null);
  const egress = request.egress ?? (bikeOnBoard ? byBike : null);
  checkOnBoard(bikeOnBoard, access, egress);
  const named = (name: string, isGiven: boolean) => (isGiven ? `/${name}/modes` : '/bikeOnBoard');
  const available = { streets, sharing };
  checkModes(access, available, named('access', request.access !== undefined));
  checkModes(egress, available, named('egress', request.egress !== undefined));
  checkModes(request.direct ?? null, available, '/direct/modes');
  return {
    access: access && toEnd(access, accessLimits, !bikeOnBoard, access.parking ?? 'parkAndRide'),
    egress: egress && toEnd(egress, accessLimits, false, 'none'),
    direct: request.direct ? toEnd(request.direct, directLimits, false, 'none') : null,
    bikeOnBoard,
    streets,
    sharing,
  };
}

/** Only with `bikeOnBoard` is there a bicycle at both ends. */
function checkOnBoard(bikeOnBoard: boolean, access: TripAccess | null, egress: TripEgress | null): void {
  const refuse = (words: string, pointer: string) => {
    throw new ApiProblem('invalid_body', words, pointer);
  };
  if (bikeOnBoard && access?.modes.includes('car')) {
    refuse('A bicycle on board cannot be combined with a car.', '/access/modes');
  }
  const shared = [access, egress].findIndex((end) => end?.modes.includes('sharedBike'));
  if (bikeOnBoard && shared >= 0) {
    const words = 'A bicycle on board cannot be combined with a shared one: shared bicycles are not taken on board.';
    refuse(words, `/${['access', 'egress'][shared]}/modes`);
  }
  if (egress?.modes.includes('bike') && !bikeOnBoard) {
    refuse('After public transport there is a bicycle only if "bikeOnBoard" is true.', '/egress/modes');
  }
}

type RequestedModes = TripEgress | TripDirect;

function checkModes(
  requested: RequestedModes | null,
  { streets, sharing }: Pick<StreetModes, 'streets' | 'sharing'>,
  pointer: string,
): void {
  for (const mode of requested?.modes ?? []) {
    if (mode === 'sharedBike' && sharing === null) {
      throw new ApiProblem('mode_unavailable', 'This service has no bicycle sharing at present.', pointer);
    }
    const needed = mode === 'sharedBike' ? 'bike' : mode;
    const isEstimated = mode === 'sharedBike' && streets === straightRides;
    if (needed === 'walk' || isEstimated || streets?.modes.includes(needed)) continue;
    throw new ApiProblem('mode_unavailable', `The streets of this service were not built for ${needed}.`, pointer);
  }
}

function toEnd(
  { modes, bikeSpeedKmh, maxBikeMeters, maxCarSeconds }: RequestedModes,
  limits: typeof accessLimits,
  bikeStays: boolean,
  parking: EndModes['parking'],
): EndModes {
  const open: Readonly<Record<VehicleMode, StreetVehicle>> = {
    bike: { mode: 'bike', speedKmh: bikeSpeedKmh ?? BIKE_SPEED_KMH },
    car: { mode: 'car' },
  };
  return {
    onFoot: modes.includes('walk'),
    // In this order whatever that of the request.
    vehicles: (['bike', 'car'] as const).filter((mode) => modes.includes(mode)).map((mode) => open[mode]),
    sharedBike: modes.includes('sharedBike') ? open.bike : null,
    maxBikeMeters: maxBikeMeters ?? limits.bikeMeters,
    maxCarSeconds: maxCarSeconds ?? limits.carSeconds,
    bikeStays,
    parking,
  };
}

/** The members of a request that are about modes, for its hash; null where it has none. */
export function listModes({ access, egress, direct, bikeOnBoard }: TripRequest): unknown[] | null {
  if (!access && !egress && !direct && bikeOnBoard === undefined) return null;
  const list = (end: TripAccess | TripEgress | TripDirect | undefined) =>
    end
      ? [
          [...new Set(end.modes)].sort(),
          end.maxBikeMeters ?? null,
          end.bikeSpeedKmh ?? null,
          end.maxCarSeconds ?? null,
          'parking' in end ? (end.parking ?? null) : null,
        ]
      : null;
  return [list(access), list(egress), list(direct), bikeOnBoard ?? false];
}
