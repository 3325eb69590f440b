/** Fewer trips prove nothing. */
const MIN_TRIPS = 10;
/** Share of the reported trips that must be off by the same hours. */
const MIN_SHARE = 0.6;
/** A trip may be late or early by so much besides. */
const TOLERANCE_SECONDS = 600;
const HOUR_SECONDS = 3600;

/** Most trips of an answer are early or late by the same number of whole hours. */
interface ClockOffset {
  /** Negative where the reported times are early. */
  readonly hours: number;
  readonly trips: number;
}

/**
 * Finds a fault of a publisher's clock or time zone. A real delay of hours does not hit most trips alike.
 * @param delaysSeconds of the first reported event of each trip in an answer, as reported
 */
export function findClockOffset(delaysSeconds: readonly number[]): ClockOffset | null {
  if (delaysSeconds.length < MIN_TRIPS) return null;
  const counts = new Map<number, number>();
  for (const seconds of delaysSeconds) {
    const hours = Math.round(seconds / HOUR_SECONDS);
    if (hours === 0 || Math.abs(seconds - hours * HOUR_SECONDS) > TOLERANCE_SECONDS) continue;
    counts.set(hours, (counts.get(hours) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (!most || most[1] < MIN_SHARE * delaysSeconds.length) return null;
  return { hours: most[0], trips: most[1] };
}
