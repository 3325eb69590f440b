import type { LonLat, MapSectionLine, MapSectionVehicle } from '../../../contract/site-map.ts';
import { type Course, findCourse, pointAlong } from './move-along.ts';

/** A vehicle moving from its second-newest observation to the newest. */
interface Moving {
  readonly vehicle: MapSectionVehicle;
  readonly course: Course;
  readonly startedAt: number;
}

export interface PlacedVehicle {
  readonly vehicle: MapSectionVehicle;
  readonly at: LonLat;
}

/**
 * Animates vehicles between their last two observations. A move takes as long as the interval between observations, so the
 * map is one observation behind; without a newer observation the vehicle stands still.
 */
export class MovingVehicles {
  readonly #moveMilliseconds: number;
  #moving = new Map<string, Moving>();

  /** @param moveMilliseconds 0: vehicles jump, for users who prefer reduced motion */
  constructor(moveMilliseconds: number) {
    this.#moveMilliseconds = moveMilliseconds;
  }

  /** Replaces the observations; vehicles without one disappear. */
  update(vehicles: readonly MapSectionVehicle[], lines: readonly MapSectionLine[], now: number): void {
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

  /** Returns the current position of each vehicle. */
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

function waysOf({ line, product }: MapSectionVehicle, lines: readonly MapSectionLine[]): (readonly LonLat[])[] {
  return lines
    .filter((one) => one.label === line && (product === null || one.product === product))
    .flatMap(({ ways }) => ways);
}
