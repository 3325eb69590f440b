import type { Place } from './stop-tables.ts';

/**
 * Reads `data/lookups/places.csv`: name, lat, lon, radius_km; names hold no comma.
 * @throws RangeError naming the line that is wrong: the file is reviewed, so a bad line is our own mistake
 */
export function parsePlaces(text: string): Place[] {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  if (header !== 'name,lat,lon,radius_km') throw new RangeError(`places.csv begins with "${header}"`);
  return lines.map((line) => {
    const [name, ...numbers] = line.split(',');
    const [lat, lon, radiusKm] = numbers.map(Number);
    if (!name || numbers.length !== 3 || !numbers.every((n) => n.trim() !== '' && Number.isFinite(Number(n)))) {
      throw new RangeError(`places.csv has a bad line: "${line}"`);
    }
    return { name, lat: lat!, lon: lon!, radiusMeters: radiusKm! * 1000 };
  });
}
