import { useEffect, useMemo } from 'preact/hooks';
import type { SharingSection, SharingStationStock } from '../../../contract/site-sharing.ts';
import { usePolled } from '../live/use-polled.ts';
import { findPlace } from '../page/mount.ts';
import { sharingPath, sortByDistance } from './map-state.ts';
import { drawSharing } from './map-style.ts';
import type { LargeMap } from './open-large-map.ts';
import type { SeenSection } from './use-section.ts';

/** Systems publish their stock about once a minute. */
const POLL_SECONDS = 30;

/** Whether a sharing system was known when the page was rendered. */
export function hasSharing(): boolean {
  return findPlace('map').dataset.sharing === 'true';
}

/**
 * Polls the sharing stations of the visible section and draws them.
 * @param isShown whether the service has any and the reader did not hide them
 * @returns nearest to the centre of the map first; null while the map shows too large a section, or until they are known
 */
export function useSharing(
  map: LargeMap | null,
  seen: SeenSection | null,
  isShown: boolean,
): readonly SharingStationStock[] | null {
  const path = seen !== null && isShown ? sharingPath(seen.box) : null;
  const { answer } = usePolled<SharingSection>(path, POLL_SECONDS);
  const stations = useMemo(() => {
    if (path === null || answer === null || seen === null) return null;
    return sortByDistance(answer.stations, seen.extent);
  }, [path, answer, seen]);
  useEffect(() => map?.draw('sharing', drawSharing(stations ?? [])), [map, stations]);
  return stations;
}
