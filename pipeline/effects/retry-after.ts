/** A longer `Retry-After` is cut to this. */
const MAX_RETRY_AFTER_SECONDS = 3600;

/**
 * Reads a `Retry-After` header.
 * @param text seconds, or a date as HTTP writes it
 * @returns seconds from now, at most an hour; null when the header is missing or invalid
 * @see RFC 9110, section 10.2.3
 */
export function parseRetryAfter(text: string | null, nowMilliseconds: number): number | null {
  if (text === null) return null;
  const isSeconds = /^\d{1,9}$/.test(text.trim());
  // An HTTP date begins with the weekday; without that check `Date.parse` takes numbers for years.
  const isDate = /^[A-Z][a-z]+,? /.test(text) && !Number.isNaN(Date.parse(text));
  if (!isSeconds && !isDate) return null;
  const seconds = isSeconds ? Number(text) : (Date.parse(text) - nowMilliseconds) / 1000;
  return Math.min(Math.max(0, Math.ceil(seconds)), MAX_RETRY_AFTER_SECONDS);
}
