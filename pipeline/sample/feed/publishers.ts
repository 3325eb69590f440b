import type { SampleLine } from './lookups.ts';

/**
 * The made-up publishers of GTFS-Realtime: Styria's association, Vienna's city operator, and the railways, which also
 * publish the other cities. Each line has one publisher, so nothing is reported twice.
 */
export const samplePublishers = ['stmk', 'wien', 'austria'] as const;

export type SamplePublisher = (typeof samplePublishers)[number];

/** Ids of Austria's stops begin with their state; this is Styria. */
const STYRIA = 'at:46:';

export function publisherOf({ agency, calls }: SampleLine): SamplePublisher {
  if (calls.some(({ place }) => place.id.startsWith(STYRIA))) return 'stmk';
  return agency === 'wien' ? 'wien' : 'austria';
}

/**
 * Lines with observed times and an archive: trains and the underground, which signal boxes observe, and all lines in
 * Graz. Others have only forecasts, as in reality; this also limits the archive of a month to a minute of work.
 */
export function isMeasured({ mode, agency }: SampleLine): boolean {
  return mode === 'rail' || mode === 's_bahn' || mode === 'metro' || agency === 'graz';
}
