import type { LonLat, MapSectionLine } from '../../../contract/site-map.ts';
import type { V1Vehicles } from '../../../contract/v1.ts';
import { type Course, findCourse, pointAlong } from './move-along.ts';

export type Vehicle = V1Vehicles['vehicles'][number];

/** A vehicle on its way from the observation before the newest one to the newest. */
interface Moving {
  readonly vehicle: Vehicle;
  readonly course: Course;
  readonly startedAt: number;
}

export interface PlacedVehicle {
  readonly vehicle: Vehicle;
  readonly at: LonLat;
}

/**
 * Vehicles between their last two observations. Each move takes as long as observations are apart, so what is drawn is
 * one observation behind; where nothing newer arrives, the vehicle stays.
 */
export class MovingVehicles {
  readonly #moveMilliseconds: number;
  #moving = new Map<string, Moving>();

  /** @param moveMilliseconds 0: vehicles jump, for those who want no motion */
  constructor(moveMilliseconds: number) {
    this.#moveMilliseconds = moveMilliseconds;
  }

  /** Takes the newest observations; vehicles that are not among them are gone. */
  update(vehicles: readonly Vehicle[], lines: readonly MapSectionLine[], now: number): void {
    const next = new Map<string, Moving>();
    for (const vehicle of vehicles) {
      const known = this.#moving.get(vehicle.id);
      if (known && known.vehicle.observedAt === vehicle.observedAt) next.set(vehicle.id, { ...known, vehicle });
      else {
        const to: LonLat = [vehicle.lon, vehicle.lat];
        const from = known ? this.#placeOf(known, now) : to;
        next.set(vehicle.id, { vehicle, course: findCourse(waysOf(vehicle, lines), from, to), startedAt: now });
      }
    }
    this.#moving = next;
  }

  /** Where each is drawn now. */
  place(now: number): PlacedVehicle[] {
    return [...this.#moving.values()].map((moving) => ({ vehicle: moving.vehicle, at: this.#placeOf(moving, now) }));
  }

  isAtRest(now: number): boolean {
    return [...this.#moving.values()].every(({ startedAt }) => now - startedAt >= this.#moveMilliseconds);
  }

  #placeOf({ course, startedAt }: Moving, now: number): LonLat {
    const share = this.#moveMilliseconds === 0 ? 1 : (now - startedAt) / this.#moveMilliseconds;
    return pointAlong(course, share);
  }
}

function waysOf({ line, product }: Vehicle, lines: readonly MapSectionLine[]): (readonly LonLat[])[] {
  return lines
    .filter((one) => one.label === line && (product === null || one.product === product))
    .flatMap(({ ways }) => ways);
}
