/**
 * What stands behind a time, weakest first: nothing, a forecast, or the publisher's word that it happened.
 * @see decisions, section 5: a forecast never becomes an actual because time passed
 */
export const evidences = ['unknown', 'forecast', 'observed_actual'] as const;

export type Evidence = (typeof evidences)[number];
