// Response of the site route about one trip number.

/** How one day of a trip ended: `unknown` if it ran, as far as is known, but was nowhere observed. */
export type TripDayStatus = 'onTime' | 'late' | 'cancelled' | 'unknown';

export interface TripRecordDay {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly status: TripDayStatus;
  /** Scheduled departure from the first stop: `HH:MM`, local time. */
  readonly departure: string;
  /** First and last planned stop; `null` if unknown. */
  readonly from: string | null;
  readonly to: string | null;
  /** Planned calls, and those of them that were observed or cancelled. */
  readonly scheduled: number;
  readonly observed: number;
  readonly cancelled: number;
  /** Delay at the last stop where the trip was observed; `null` if nowhere. */
  readonly finalDelaySeconds: number | null;
}

/** `GET /site/data/punctuality/trip` */
export interface TripRecord {
  readonly number: string;
  readonly period: { readonly from: string; readonly to: string };
  /** A day is on time if the delay at the last observed stop is smaller than this. */
  readonly onTimeMaxDelaySeconds: number;
  /** `null` if nothing is recorded in the period; `''` if the operator is unknown. */
  readonly operator: string | null;
  /** All operators that have trips with this number in the period. */
  readonly operators: readonly string[];
  /** Days on which the trip was scheduled, ascending. */
  readonly days: readonly TripRecordDay[];
  /** Numbers of days, by status. */
  readonly counts: Readonly<Record<TripDayStatus, number>>;
  /** Median delay of the late days; `null` without any. */
  readonly lateMedianSeconds: number | null;
}
