import type { WalkPath, WalkRouter } from '../../pipeline/streets/walk-router.ts';
import { crowMeters, MAX_WALK_METERS, straightPath } from '../../pipeline/streets/walk-router.ts';
import type { Footpath, FootpathRequest } from '../contract/definitions.ts';
import { ApiProblem } from '../contract/problems.ts';
import { presentCoord } from './read/present.ts';

/**
 * The path on foot between two coordinates. Without a street graph, and outside of it, it is one step with the
 * manoeuvre `straightLine`.
 * @param walks null where there is no street graph
 * @throws ApiProblem `no_path` where the streets do not connect them, and beyond the maximum length of a walk
 */
export async function findFootpath(walks: WalkRouter | null, request: FootpathRequest): Promise<Footpath> {
  const { from, to, profile, language } = request;
  if (crowMeters(from, to) > MAX_WALK_METERS) throw tooLong();
  const path = walks ? await walks.findPath(from, to, profile, language) : straightPath(from, to, profile, language);
  if (path === null) throw new ApiProblem('no_path', describeMissing(request));
  if (path.distanceMeters > MAX_WALK_METERS) throw tooLong();
  return presentPath(path);
}

function presentPath({ distanceMeters, durationSeconds, points, steps }: WalkPath): Footpath {
  return {
    distanceMeters,
    durationSeconds,
    polyline: points.map(({ lat, lon }) => presentCoord(lat, lon)),
    steps: steps.map(({ instruction, maneuver, from, to }) => ({ instruction, maneuver, polyFrom: from, polyTo: to })),
  };
}

function tooLong(): ApiProblem {
  return new ApiProblem(
    'no_path',
    `The places are too far apart: the longest supported walk is ${MAX_WALK_METERS / 1000} km.`,
  );
}

function describeMissing({ profile }: FootpathRequest): string {
  return profile === 'wheelchair'
    ? 'The street network has no wheelchair-accessible path between the places.'
    : 'The street network has no footpath between the places.';
}
