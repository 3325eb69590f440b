import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Product } from '../../../../pipeline/model/product.ts';
import type { MapSection, VehicleSection } from '../../../contract/site-map.ts';
import type { ApiError } from '../fetch/fetch-json.ts';
import { usePolled } from '../live/use-polled.ts';
import { DETAIL_ZOOM, vehiclePath } from './map-state.ts';
import { drawVehicles } from './map-style.ts';
import { MovingVehicles } from './moving-vehicles.ts';
import type { LargeMap } from './open-large-map.ts';
import type { SeenSection } from './use-section.ts';

const DETAIL_POLL_SECONDS = 10;
/** Where vehicles are dots, they move by a pixel or two in this time. */
const OVERVIEW_POLL_SECONDS = 30;
/** Interval between two frames: a vehicle moves by one or two pixels. */
const FRAME_MILLISECONDS = 80;

interface SeenVehicles extends VehicleSection {
  /** Whether any answer has arrived. */
  readonly isKnown: boolean;
  readonly error: ApiError | null;
}

const none: VehicleSection = { vehicles: [], count: 0 };

/**
 * Polls and draws the vehicles of the visible section; the previous ones stay until the next arrive.
 * @param section lines along which they move
 * @param chosen null: all products; empty: none
 */
export function useVehicles(
  map: LargeMap | null,
  seen: SeenSection | null,
  section: MapSection | null,
  chosen: readonly Product[] | null,
): SeenVehicles {
  const isDetailed = seen !== null && seen.extent.zoom >= DETAIL_ZOOM;
  const isNone = chosen?.length === 0;
  const path = isNone ? null : seen && vehiclePath(seen.box, seen.extent.zoom, chosen);
  const { answer, error } = usePolled<VehicleSection>(path, isDetailed ? DETAIL_POLL_SECONDS : OVERVIEW_POLL_SECONDS);
  const last = useRef(none);
  if (answer) last.current = answer;
  const { vehicles, count } = isNone ? none : last.current;
  const moving = useMemo(() => {
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return new MovingVehicles(isCalm ? 0 : DETAIL_POLL_SECONDS * 1000);
  }, []);
  useEffect(() => {
    if (!map) return;
    moving.update(vehicles, isDetailed ? (section?.lines ?? []) : [], performance.now());
    let frame = 0;
    let drawnAt = Number.NEGATIVE_INFINITY;
    const draw = () => {
      const now = performance.now();
      frame = requestAnimationFrame(draw);
      if (now - drawnAt < FRAME_MILLISECONDS) return;
      drawnAt = now;
      map.draw('vehicles', drawVehicles(moving.place(isDetailed ? now : Number.POSITIVE_INFINITY)));
      if (!isDetailed || moving.isAtRest(now)) cancelAnimationFrame(frame);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [map, vehicles, section, isDetailed]);
  return { vehicles, count, error, isKnown: isNone || last.current !== none };
}
