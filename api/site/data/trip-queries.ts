import type { LegRef, Place } from '../../contract/definitions.ts';
import { type Static, Type } from '../../contract/json-schema.ts';
import { ApiProblem } from '../../contract/problems.ts';
import { readBody } from '../../contract/read-body.ts';
import {
  closed,
  defaulted,
  described,
  exclusive,
  instant,
  integer,
  oneOf,
  text,
} from '../../contract/schema-builders.ts';
import { TripRequest } from '../../contract/v2-trip.ts';
import { RescueRequest } from '../../contract/v2-watch.ts';
import type { FollowRequest } from '../../engine/rescue/follow-trip.ts';
import { type TripMode, tripModes } from '../view-model/trip-modes.ts';
import { readCoordinate } from '../view-model/trip-words.ts';

/** Maximum number of rides in a request, and the values that identify each. */
const MAX_LEGS = 8;
const LEG_PARTS = 3;

const place = (description: string) => described(`${description} A Stop.id, or \`lat,lon\`.`, text(500));
const placeName = () => Type.Optional(described('Name of a coordinate in the answer.', text(200)));
const legs = () =>
  described(
    'The rides in travel order, each as journeyRef, LegStop.id of the origin and of the destination.',
    Type.Array(text(500), { minItems: LEG_PARTS, maxItems: LEG_PARTS * MAX_LEGS }),
  );

const mode = () => Type.Optional(described('How the first stop is reached; absent: on foot.', oneOf(...tripModes)));

const ends = {
  from: place('Where the trip begins.'),
  to: place('Where it ends.'),
  fromName: placeName(),
  toName: placeName(),
};

export const tripsQuery = closed(
  {
    ...ends,
    via: Type.Optional(place('A stop on the way.')),
    via2: Type.Optional(place('The next stop on the way.')),
    time: Type.Optional(described('Absent: now.', instant())),
    arriveBy: defaulted(described('Whether `time` is the latest arrival.', Type.Boolean()), false),
    limit: defaulted(described('Maximum number of trips of a page.', integer(1, 6)), 5),
    all: defaulted(described('Whether to show folded trips, too.', Type.Boolean()), false),
    mode: mode(),
    wheelchair: defaulted(described('Nothing that is known to be inaccessible.', Type.Boolean()), false),
    pageToken: Type.Optional(
      described('earlierRef or laterRef of an answer to the same query, without time.', text(4000)),
    ),
  },
  exclusive(['time', 'pageToken']),
);
type TripsQuery = Static<typeof tripsQuery>;

export const followQuery = closed({ ...ends, legs: legs(), mode: mode() });
type FollowQuery = Static<typeof followQuery>;

export const rescueQuery = closed({
  legs: legs(),
  to: Type.Optional(place('Absent: where the last ride ends.')),
  toName: placeName(),
  limit: defaulted(described('Maximum number of options.', integer(1, 6)), 4),
});
type RescueQuery = Static<typeof rescueQuery>;

// ---- Conversion to requests of the app contract ------------------------------------------------

type RequestedModes = Pick<TripRequest, 'access' | 'egress' | 'direct' | 'bikeOnBoard'>;

/** The request members of each mode. Kiss and ride has no direct leg: the driver only goes to the stop. */
const requestedModes: Readonly<Record<TripMode, RequestedModes>> = {
  walk: {},
  bike: { access: { modes: ['walk', 'bike'] }, direct: { modes: ['walk', 'bike'] } },
  bikeOnBoard: { bikeOnBoard: true, direct: { modes: ['bike'] } },
  parkAndRide: {
    access: { modes: ['walk', 'car'], parking: 'parkAndRide' },
    direct: { modes: ['walk', 'car'] },
  },
  kissAndRide: { access: { modes: ['walk', 'car'], parking: 'none' } },
  sharedBike: {
    access: { modes: ['walk', 'sharedBike'] },
    egress: { modes: ['walk', 'sharedBike'] },
    direct: { modes: ['walk', 'sharedBike'] },
  },
};

/** @throws ApiProblem of the body, see `toQueryProblem` */
export function readTripsQuery(query: TripsQuery): TripRequest {
  const { from, fromName, to, toName, via, via2, arriveBy, pageToken, mode = 'walk', ...same } = query;
  return readBody(TripRequest.schema, {
    ...same,
    ...requestedModes[mode],
    from: readPlace(from, fromName),
    to: readPlace(to, toName),
    ...viaOf([via, via2]),
    timeMode: arriveBy ? 'arrival' : 'departure',
    ...(pageToken === undefined ? {} : { pageRef: pageToken }),
  });
}

function viaOf(places: readonly (string | undefined)[]): Pick<TripRequest, 'via'> {
  const via = places.filter((one) => one !== undefined);
  return via.length === 0 ? {} : { via: via.map((one) => readPlace(one, undefined)) };
}

/** @throws ApiProblem of the body, see `toQueryProblem` */
export function readFollowQuery({
  legs: parts,
  from,
  fromName,
  to,
  toName,
  mode = 'walk',
}: FollowQuery): FollowRequest {
  const rescue = readBody(RescueRequest.schema, { legs: readLegs(parts), to: readPlace(to, toName) });
  const { direct: _, ...modes } = requestedModes[mode];
  return {
    legs: rescue.legs,
    from: readPlace(from, fromName),
    to: rescue.to!,
    modes,
  };
}

/** @throws ApiProblem of the body, see `toQueryProblem` */
export function readRescueQuery({ legs: parts, to, toName, limit }: RescueQuery): RescueRequest {
  return readBody(RescueRequest.schema, {
    legs: readLegs(parts),
    limit,
    ...(to === undefined ? {} : { to: readPlace(to, toName) }),
  });
}

function readPlace(place: string, name: string | undefined): Place {
  const coord = readCoordinate(place);
  return coord === null ? { stopId: place } : { coord, ...(name === undefined ? {} : { name }) };
}

function readLegs(parts: readonly string[]): LegRef[] {
  if (parts.length % LEG_PARTS !== 0) {
    throw new ApiProblem(
      'invalid_parameter',
      '"legs" must have three items per leg: journey reference, origin and destination.',
      'legs',
    );
  }
  return Array.from({ length: parts.length / LEG_PARTS }, (_, i) => {
    const [journeyRef, originId, destinationId] = parts.slice(LEG_PARTS * i) as [string, string, string];
    return { journeyRef, originId, destinationId };
  });
}

// ---- Problems ----------------------------------------------------------------------------------

/** Query parameters by the name of the body member, where the names differ. */
const renamed: Readonly<Record<string, string>> = {
  pageRef: 'pageToken',
  timeMode: 'arriveBy',
  access: 'mode',
  egress: 'mode',
  bikeOnBoard: 'mode',
  direct: 'mode',
};

/**
 * Converts a problem with a request body to one with the query that the body was built from: it names the query parameter
 * instead of the body member.
 * @param error anything thrown
 */
export function toQueryProblem(error: unknown): unknown {
  if (!(error instanceof ApiProblem) || !error.parameter?.startsWith('/')) return error;
  const [, member = '', index] = error.parameter.split('/');
  const parameter = member === 'via' && index === '1' ? 'via2' : (renamed[member] ?? member);
  const code = error.code === 'invalid_body' ? 'invalid_parameter' : error.code;
  return new ApiProblem(code, error.message.replace(`"${error.parameter}"`, `"${parameter}"`), parameter);
}
