import type { Point, WalkPath, WalkProfile, WalkRouter } from '../../../pipeline/streets/walk-router.ts';

/** Ways over streets, each looked for once: the trips of an answer change at the same places. */
export interface WalkPaths {
  /** @returns null where there is no way, or no street graph */
  find(from: Point, to: Point): Promise<WalkPath | null>;
}

/** @param walks null where there is no street graph */
export function rememberPaths(walks: WalkRouter | null, profile: WalkProfile): WalkPaths {
  const known = new Map<string, Promise<WalkPath | null>>();
  return {
    async find(from, to) {
      if (!walks) return null;
      const name = `${from.lat},${from.lon} ${to.lat},${to.lon}`;
      const path = known.get(name) ?? walks.findPath(from, to, profile, 'de');
      known.set(name, path);
      return path;
    },
  };
}
