import type { Trip } from '../../../contract/v2-trip.ts';
import type { Drawing, MapPlace } from '../map-view/open-map.ts';

/** Colour of a ride whose line has none. */
const PLAIN_COLOR = '#5b6770';

/** Draws the legs of a trip, each ride in the colour of its line, and its origin, transfers and destination. */
export function drawTrip({ legs }: Trip): Drawing {
  const drawn = legs.filter(({ polyline }) => polyline.length > 1);
  const rides = legs.filter(({ mode }) => mode === 'transit');
  const ends = [
    legs[0]!.origin,
    ...rides.flatMap(({ origin, destination }) => [origin, destination]),
    legs.at(-1)!.destination,
  ];
  const places = ends.flatMap(({ coord, name }, i): MapPlace[] =>
    coord ? [{ point: coord, name, isEnd: i === 0 || i === ends.length - 1 }] : [],
  );
  return {
    lines: drawn.map(({ mode, polyline, line }) =>
      mode === 'transit' ? { points: polyline, color: line?.colorHex ?? PLAIN_COLOR } : { points: polyline },
    ),
    places: places.filter((place, i) => place.isEnd || !isNamedBefore(places, place, i)),
  };
}

/** Platforms of a station share its label, which is drawn once, preferably at an end of the trip. */
function isNamedBefore(places: readonly MapPlace[], { name }: MapPlace, i: number): boolean {
  return places.some((other, k) => other.name === name && (other.isEnd || k < i));
}
