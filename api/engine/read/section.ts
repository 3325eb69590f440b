/** A part of the map, in degrees; its edges belong to it. */
export interface Section {
  readonly minLat: number;
  readonly minLon: number;
  readonly maxLat: number;
  readonly maxLon: number;
}

export function isInSection({ minLat, minLon, maxLat, maxLon }: Section, lat: number, lon: number): boolean {
  return minLat <= lat && lat <= maxLat && minLon <= lon && lon <= maxLon;
}
