import type { Trip } from '../../../contract/v2-trip.ts';
import type { Drawing, MapPlace } from '../map-view/open-map.ts';

/** Of a ride whose line has no colour. */
const PLAIN_COLOR = '#5b6770';

/** The legs of a trip as lines, each ride in its line's colour, and the places where it begins, changes and ends. */
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

/** Platforms of one station share its name, which is written once; at an end of the trip it is written there. */
function isNamedBefore(places: readonly MapPlace[], { name }: MapPlace, i: number): boolean {
  return places.some((other, k) => other.name === name && (other.isEnd || k < i));
}
