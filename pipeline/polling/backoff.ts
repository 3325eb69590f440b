/** However long a request has failed, it is tried again within this time, or its interval where that is longer. */
const LONGEST_SECONDS = 300;

/** A wait is stretched by up to this share, so that many pollers do not come back in one moment. */
const JITTER = 0.5;

/**
 * The wait after failures in a row: the request's interval, doubled with each of them. Never shorter than the
 * interval, so that a source in trouble is not asked more often than one that is well.
 * @param failures in a row, from 1 on
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function backoffMilliseconds(failures: number, intervalSeconds: number, random: number): number {
  const doubled = intervalSeconds * 2 ** Math.min(failures - 1, 20);
  const seconds = Math.min(doubled, Math.max(LONGEST_SECONDS, intervalSeconds));
  return Math.round(seconds * (1 + random * JITTER) * 1000);
}

/** However long a publisher asks to be left alone, it is tried again after this time. */
const LONGEST_RETRY_AFTER_SECONDS = 3600;

/**
 * Reads a `Retry-After` header.
 * @param text seconds, or a date as HTTP writes it
 * @returns seconds from now, at most an hour; null when there is no header, or nothing to understand in it
 * @see RFC 9110, section 10.2.3
 */
export function parseRetryAfter(text: string | null, nowMilliseconds: number): number | null {
  if (text === null) return null;
  const isSeconds = /^\d{1,9}$/.test(text.trim());
  // A date begins with the name of its day; without it, `Date.parse` would find years in numbers.
  const isDate = /^[A-Z][a-z]+,? /.test(text) && !Number.isNaN(Date.parse(text));
  if (!isSeconds && !isDate) return null;
  const seconds = isSeconds ? Number(text) : (Date.parse(text) - nowMilliseconds) / 1000;
  return Math.min(Math.max(0, Math.ceil(seconds)), LONGEST_RETRY_AFTER_SECONDS);
}
