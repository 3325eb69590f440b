import type { Coord } from '../../../contract/v2-basics.ts';
import type { Leg, Trip } from '../../../contract/v2-trip.ts';
import { isRental } from '../../view-model/leg-notes.ts';
import { endsAtCarPark, findLegMode } from '../../view-model/leg-ways.ts';
import type { Drawing, DrawnLine, MapPlace } from '../map-view/open-map.ts';

/** Colour of a ride whose line has none. */
const PLAIN_COLOR = '#5b6770';

/** Names of the places on the map that are not stops. */
interface PlaceNames {
  readonly carPark: string;
  readonly rentedAt: (station: string) => string;
}

/**
 * Draws the legs of a trip, rides in the colour of their line and other legs in the style of their mode, and its
 * origin, transfers, car park, rental stations and destination.
 */
export function drawTrip({ legs }: Trip, names: PlaceNames): Drawing {
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
    lines: drawn.flatMap(drawLeg),
    places: [
      ...places.filter((place, i) => place.isEnd || !isNamedBefore(places, place, i)),
      ...drawn.flatMap((leg) => locateCarPark(leg).map((point) => ({ point, name: names.carPark, isEnd: false }))),
      ...legs.filter(isRental).flatMap((leg) => locateRental(leg, names)),
    ],
  };
}

function drawLeg(leg: Leg): DrawnLine[] {
  const { polyline: points, line } = leg;
  const mode = findLegMode(leg);
  if (mode === null) return [{ points, color: line?.colorHex ?? PLAIN_COLOR }];
  if (!endsAtCarPark(leg)) return [{ points, mode }];
  return [
    { points: points.slice(0, -1), mode },
    { points: points.slice(-2), mode: 'walk' },
  ];
}

/** Where the car is parked: the rest of the leg is walked. */
function locateCarPark(leg: Leg): readonly Coord[] {
  return endsAtCarPark(leg) ? leg.polyline.slice(-2, -1) : [];
}

/** Stations at which a shared bicycle is rented or returned; a bicycle outside of stations has none. */
function locateRental({ origin, destination, attributes }: Leg, { rentedAt }: PlaceNames): MapPlace[] {
  return [origin, destination].flatMap(({ coord, name }, i) => {
    const isStation = attributes.includes(`${['station', 'returnStation'][i]}:${name}`);
    return coord && isStation ? [{ point: coord, name: rentedAt(name), isEnd: false }] : [];
  });
}

/** Platforms of a station share its label, which is drawn once, preferably at an end of the trip. */
function isNamedBefore(places: readonly MapPlace[], { name }: MapPlace, i: number): boolean {
  return places.some((other, k) => other.name === name && (other.isEnd || k < i));
}
