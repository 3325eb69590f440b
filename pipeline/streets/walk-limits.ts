import type { WalkProfile } from './walk-router.ts';

/** Nobody is sent on a longer walk than this, over streets or without them. */
export const MAX_WALK_METERS = 50_000;

/** Walks to many places at once are measured up to here: as far as anybody may ask to walk to a stop. */
export const MAX_MEASURED_METERS = 5000;

/**
 * Who stands further away from every street than this stands nowhere that the graph knows. People do stand in parks, on
 * forecourts and on platforms that nobody has drawn, and from there they go straight to the next street.
 */
export const MAX_METERS_TO_STREET = 300;

/** On foot as everywhere in the service; in a wheelchair as the street engine has it. */
export const usualSpeedKmh: Readonly<Record<WalkProfile, number>> = { foot: 4.7, wheelchair: 4 };
