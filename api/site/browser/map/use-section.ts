import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Product } from '../../../../pipeline/model/product.ts';
import type { MapSection } from '../../../contract/site-map.ts';
import { fetchJson } from '../fetch/fetch-json.ts';
import { type Box, type MapExtent, sectionPath, wholeBox } from './map-state.ts';
import { drawLines, drawStops } from './map-style.ts';
import type { LargeMap } from './open-large-map.ts';

const WORLD: Box = { minLat: -60, minLon: -180, maxLat: 75, maxLon: 180 };

/** The box of all lines. */
export async function findWholeNetwork(): Promise<Box> {
  const { answer } = await fetchJson<MapSection>(sectionPath(WORLD, 0, null));
  return wholeBox(answer) ?? WORLD;
}

/** What the map shows. */
export interface SeenSection {
  readonly extent: MapExtent;
  readonly box: Box;
}

/**
 * Fetches and draws lines and stops of the visible section; the previous ones stay until the next arrive.
 * @param chosen null: all products; empty: none
 */
export function useSection(
  map: LargeMap | null,
  seen: SeenSection | null,
  chosen: readonly Product[] | null,
): MapSection | null {
  const [fetched, setSection] = useState<MapSection | null>(null);
  const isNone = chosen?.length === 0;
  const path = seen && sectionPath(seen.box, seen.extent.zoom, isNone ? null : chosen);
  const section = useMemo(
    () => (isNone && fetched ? { ...fetched, lines: [], stops: [], isPartial: false } : fetched),
    [fetched, isNone],
  );
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    fetchJson<MapSection>(path, { signal: abort.signal }).then(
      ({ answer }) => setSection(answer),
      // The drawn section stays; the next move fetches again.
      () => {},
    );
    return () => abort.abort();
  }, [path]);
  useEffect(() => {
    if (!map || !section) return;
    map.draw('lines', drawLines(section));
    map.draw('stops', drawStops(section));
  }, [map, section]);
  return section;
}
