import type { SampleLine } from './lookups.ts';

/**
 * The made-up publishers of GTFS-Realtime: Styria's association, Vienna's city operator, and the railways, which also
 * hand on what the other cities tell. Each line has one of them, so nothing is told twice.
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
 * Lines that are measured, and of which a record is kept: trains and the underground, as signal boxes see them, and all
 * that runs in Graz. Of the others nobody says when they came, only when they are expected, as in life; that also keeps a
 * month of the record the work of a minute.
 */
export function isMeasured({ mode, agency }: SampleLine): boolean {
  return mode === 'rail' || mode === 's_bahn' || mode === 'metro' || agency === 'graz';
}
