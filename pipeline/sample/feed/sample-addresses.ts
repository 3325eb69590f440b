import { distanceMeters } from '../../model/geo.ts';
import { parseCsv } from './csv.ts';

/** A place of the sample, tagged as in OpenStreetMap. */
export interface TaggedPoint {
  readonly lat: number;
  readonly lon: number;
  readonly tags: ReadonlyMap<string, string>;
}

interface Point {
  readonly lat: number;
  readonly lon: number;
}

/**
 * Spreads house numbers evenly along real streets, so that an address can be searched for, and lists well-known places.
 * The houses are made up: the number of a real house is somewhere else on its street.
 * @param streets text of `streets.csv` @param sights text of `sights.csv`
 */
export function listSampleAddresses(streets: string, sights: string): TaggedPoint[] {
  return [...parseCsv(streets).flatMap(listHouses), ...parseCsv(sights).map(toSight)];
}

function listHouses(row: Record<string, string>): TaggedPoint[] {
  const [first, last] = [Number(row.first_number), Number(row.last_number)];
  const course = row.points!.split('|').map(toPoint);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const number = first + i;
    const postcode = number % 2 === 0 ? row.postcode_even! : row.postcode!;
    const tags = [
      ['addr:street', row.street!],
      ['addr:housenumber', String(number)],
      ['addr:postcode', postcode],
      ['addr:city', row.town!],
    ] as const;
    return { ...pointAlong(course, i / Math.max(1, last - first)), tags: new Map(tags) };
  });
}

function toPoint(text: string): Point {
  const [lat, lon] = text.split(' ').map(Number);
  return { lat: lat!, lon: lon! };
}

/** @param share of the length of the course */
function pointAlong(course: readonly Point[], share: number): Point {
  const lengths = course.slice(1).map((to, i) => distanceMeters(course[i]!.lat, course[i]!.lon, to.lat, to.lon));
  let rest = share * lengths.reduce((sum, length) => sum + length, 0);
  const found = lengths.findIndex((length, i) => {
    if (rest <= length || i === lengths.length - 1) return true;
    rest -= length;
    return false;
  });
  const [from, to] = [course[found]!, course[found + 1]!];
  const along = rest / lengths[found]!;
  return { lat: from.lat + along * (to.lat - from.lat), lon: from.lon + along * (to.lon - from.lon) };
}

function toSight({ name, town, tag, lat, lon }: Record<string, string>): TaggedPoint {
  const [key, value] = tag!.split('=') as [string, string];
  const tags = new Map([
    ['name', name!],
    [key, value],
    ['addr:city', town!],
  ]);
  return { lat: Number(lat), lon: Number(lon), tags };
}
