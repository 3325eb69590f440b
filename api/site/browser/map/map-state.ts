import { distanceMeters } from '../../../../pipeline/model/geo.ts';
import type { Product } from '../../../../pipeline/model/product.ts';
import type { MapSection } from '../../../contract/site-map.ts';
import type { SharingStationStock } from '../../../contract/site-sharing.ts';

/** Centre and zoom of the map, stored in the URL so that it can be shared. */
export interface MapExtent {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

export interface Box {
  readonly minLat: number;
  readonly minLon: number;
  readonly maxLat: number;
  readonly maxLon: number;
}

type Position = Pick<MapExtent, 'lat' | 'lon'>;

/** Sorts by the distance from the centre of the map, nearest first. */
export function sortByDistance<Place extends Position>(places: readonly Place[], { lat, lon }: Position): Place[] {
  const distanceTo = (place: Place) => distanceMeters(lat, lon, place.lat, place.lon);
  return [...places].sort((a, b) => distanceTo(a) - distanceTo(b));
}

/** @returns null if the query has no position */
export function readMapExtent(query: URLSearchParams): MapExtent | null {
  const [lat, lon, zoom] = ['lat', 'lon', 'zoom'].map((name) => Number(query.get(name) ?? Number.NaN)) as [
    number,
    number,
    number,
  ];
  const isPlace = Math.abs(lat) <= 85 && Math.abs(lon) <= 180 && zoom >= 0 && zoom <= 22;
  return isPlace ? { lat, lon, zoom } : null;
}

export function writeMapExtent({ lat, lon, zoom }: MapExtent): Readonly<Record<string, string>> {
  return { lat: lat.toFixed(4), lon: lon.toFixed(4), zoom: zoom.toFixed(1) };
}

/** Extends a box to the grid of its zoom, so that neighbouring views request the same box. */
export function widen({ minLat, minLon, maxLat, maxLon }: Box): Box {
  const step = 2 ** Math.ceil(Math.log2(Math.max(maxLat - minLat, maxLon - minLon) / 2));
  const down = (value: number) => Math.floor(value / step) * step;
  const up = (value: number) => Math.ceil(value / step) * step;
  return {
    minLat: Math.max(-90, down(minLat)),
    minLon: Math.max(-180, down(minLon)),
    maxLat: Math.min(90, up(maxLat)),
    maxLon: Math.min(180, up(maxLon)),
  };
}

/** From this zoom vehicles are drawn with the labels of their lines and move; below, they are dots. */
export const DETAIL_ZOOM = 12;

/** @param chosen null: all products */
export function vehiclePath(box: Box, zoom: number, chosen: readonly Product[] | null): string {
  // Dots hardly change while the map moves a little, so neighbouring views share an answer.
  const requested = zoom < DETAIL_ZOOM ? widen(box) : box;
  return `/site/data/vehicles?${boxQuery(requested)}&zoom=${toLevel(zoom)}${productQuery(chosen)}`;
}

/** Maximum width and height of a box that shows sharing stations: in a larger one they overlap. */
const MAX_SHARING_DEGREES = 0.12;

/** @returns null if the box is too large for sharing stations */
export function sharingPath(box: Box): string | null {
  return fitsInto(box, MAX_SHARING_DEGREES) ? `/site/data/sharing?${boxQuery(widen(box))}` : null;
}

/** Identifies a station among those of all systems; ids are unique only within a system. */
export function stationKey({ system, id }: Pick<SharingStationStock, 'system' | 'id'>): string {
  return `${system} ${id}`;
}

export function isInBox({ minLat, minLon, maxLat, maxLon }: Box, { lat, lon }: Position): boolean {
  return minLat <= lat && lat <= maxLat && minLon <= lon && lon <= maxLon;
}

function fitsInto({ minLat, minLon, maxLat, maxLon }: Box, degrees: number): boolean {
  return maxLat - minLat <= degrees && maxLon - minLon <= degrees;
}

/** @param chosen null: all products */
export function sectionPath(box: Box, zoom: number, chosen: readonly Product[] | null): string {
  return `/site/data/map?${boxQuery(widen(box))}&zoom=${toLevel(zoom)}${productQuery(chosen)}`;
}

function toLevel(zoom: number): number {
  return Math.max(0, Math.min(20, Math.floor(zoom)));
}

function productQuery(chosen: readonly Product[] | null): string {
  return chosen === null ? '' : `&products=${chosen.join()}`;
}

function boxQuery({ minLat, minLon, maxLat, maxLon }: Box): string {
  const sides = { minLat, minLon, maxLat, maxLon };
  return Object.entries(sides)
    .map(([name, value]) => `${name}=${value.toFixed(5)}`)
    .join('&');
}

/** Bounding box of the whole network, the initial view. */
export function wholeBox({ bounds }: Pick<MapSection, 'bounds'>): Box | null {
  return bounds && { minLat: bounds.south, minLon: bounds.west, maxLat: bounds.north, maxLon: bounds.east };
}
