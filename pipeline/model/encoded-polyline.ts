/** Longer than the shape of any trip; further points are dropped. */
const MAX_POINTS = 50_000;

/**
 * Decodes an encoded polyline of five decimals.
 * @returns latitude and longitude in degrees, up to the first character outside the format
 * @see https://developers.google.com/maps/documentation/utilities/polylinealgorithm
 */
export function decodePolyline(text: string): readonly (readonly [lat: number, lon: number])[] {
  const points: [number, number][] = [];
  let [at, lat, lon] = [0, 0, 0];
  while (at < text.length && points.length < MAX_POINTS) {
    const latStep = readStep(text, at);
    const lonStep = latStep && readStep(text, latStep.end);
    if (!latStep || !lonStep) break;
    lat += latStep.value;
    lon += lonStep.value;
    at = lonStep.end;
    if (Math.abs(lat) > 90e5 || Math.abs(lon) > 180e5) break;
    points.push([lat / 1e5, lon / 1e5]);
  }
  return points;
}

/** @returns null for a truncated number, a number out of range, or a character outside the format */
function readStep(text: string, from: number): { readonly value: number; readonly end: number } | null {
  let bits = 0;
  for (let i = 0; i < 6 && from + i < text.length; i++) {
    const letter = text.charCodeAt(from + i) - 63;
    if (letter < 0 || letter > 63) return null;
    bits |= (letter & 31) << (5 * i);
    if (letter < 32) return { value: bits & 1 ? ~(bits >> 1) : bits >> 1, end: from + i + 1 };
  }
  return null;
}
