import { AUSTRIA, formatTimestamp, type Instant, zoneOffsetSeconds } from '../../../pipeline/model/service-time.ts';

/** Value of a date and time field: `YYYY-MM-DDTHH:MM`, Austrian local time. */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

/** Whether a text has the form of a local time; its date may not exist. */
export function isLocalTime(text: string): boolean {
  return LOCAL_TIME.test(text);
}

/** Converts a local time to a timestamp with offset for the API; null for any other text. */
export function toTimestamp(localTime: string): string | null {
  const asUtc = isLocalTime(localTime) ? Date.parse(`${localTime}:00Z`) / 1000 : Number.NaN;
  if (Number.isNaN(asUtc)) return null;
  const near = (asUtc - zoneOffsetSeconds(AUSTRIA, asUtc as Instant)) as Instant;
  return formatTimestamp((asUtc - zoneOffsetSeconds(AUSTRIA, near)) as Instant, AUSTRIA);
}

/** Converts an instant to the value of a date and time field. @param milliseconds since 1970 */
export function toLocalTime(milliseconds: number): string {
  return formatTimestamp(Math.floor(milliseconds / 1000) as Instant, AUSTRIA).slice(0, 16);
}
