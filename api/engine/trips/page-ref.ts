import { createHash } from 'node:crypto';
import type { Place, TripRequest } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { PlanCursor } from '../planner/itinerary.ts';
import type { References } from '../references.ts';

type PageContent = [
  hash: string,
  direction: PlanCursor['direction'],
  beyond: PlanCursor['beyond'],
  time: PlanCursor['time'],
  askedTime: PlanCursor['askedTime'],
  hasWalk: PlanCursor['hasWalk'],
];

export function writePageRef(references: References, body: TripRequest, cursor: PlanCursor): string {
  const { direction, beyond, time, askedTime, hasWalk } = cursor;
  const content: PageContent = [hashBody(body), direction, beyond, time, askedTime, hasWalk];
  return references.sealPage(JSON.stringify(content));
}

/** @throws ApiProblem `invalid_body` for one that was altered, or that belongs to another body */
export function readPageRef(references: References, body: TripRequest, pageRef: string): PlanCursor {
  const content = references.openPage(pageRef);
  if (content === null) throw new ApiProblem('invalid_body', '"/pageRef" is no page reference of ours.', '/pageRef');
  const [hash, direction, beyond, time, askedTime, hasWalk] = JSON.parse(content) as PageContent;
  if (hash !== hashBody(body)) {
    throw new ApiProblem('invalid_body', '"/pageRef" belongs to another question.', '/pageRef');
  }
  return { direction, beyond, time, askedTime, hasWalk };
}

/** To be raised with every change of `PageContent`: one of another format is refused like one of another body. */
const FORMAT = 2;

/** What a page belongs to: all of the body but where in time to look. The order of its members is nobody's concern. */
function hashBody(body: TripRequest): string {
  const question = [
    [body.from, ...(body.via ?? []), body.to].map(listPlace),
    [body.timeMode, body.limit, body.maxTransfers ?? null, body.minTransferMinutes ?? 0],
    [...new Set(body.products)].sort(),
    [body.walkSpeedKmh, body.maxWalkMeters, body.wheelchair],
  ];
  return createHash('sha256')
    .update(`trips ${FORMAT} ${JSON.stringify(question)}`)
    .digest('base64url')
    .slice(0, 16);
}

function listPlace(place: Place): unknown[] {
  return 'stopId' in place ? [place.stopId] : [place.coord.lat, place.coord.lon, place.name ?? null];
}
