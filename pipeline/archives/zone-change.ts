import {
  fromEpochDay,
  type Instant,
  type ServiceDate,
  serviceDayStart,
  toEpochDay,
  zoneOffsetSeconds,
} from '../model/service-time.ts';

/** What the clocks of a zone show around a service date. */
export interface ZoneChange {
  /** Noon minus 12 h of the date. */
  readonly dayStart: Instant;
  /** How far ahead of UTC they are until `changesAt`, and from then on. */
  readonly secondsBefore: number;
  readonly secondsAfter: number;
  /** When they are changed; long after the date where they are not. */
  readonly changesAt: Instant;
}

const DAY = 86_400;
/** Trips of a date begin and end within this time. */
const DAYS_BEFORE = 3;
const DAYS_AFTER = 7;
const NEVER = (toEpochDay('2999-12-31' as ServiceDate) * DAY) as Instant;

/** @throws RangeError for an unknown zone, and for clocks that are changed twice within ten days */
export function findZoneChange(date: ServiceDate, zone: string): ZoneChange {
  const dayStart = serviceDayStart(date, zone);
  const offsetAt = (seconds: number) => zoneOffsetSeconds(zone, seconds as Instant);
  let low = dayStart - DAYS_BEFORE * DAY;
  let high = dayStart + DAYS_AFTER * DAY;
  const [secondsBefore, secondsAfter] = [offsetAt(low), offsetAt(high)];
  if (secondsBefore === secondsAfter) return { dayStart, secondsBefore, secondsAfter, changesAt: NEVER };
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const offset = offsetAt(middle);
    if (offset === secondsBefore) low = middle;
    else if (offset === secondsAfter) high = middle;
    else throw new RangeError(`the clocks of ${zone} are changed twice around ${fromEpochDay(toEpochDay(date))}`);
  }
  return { dayStart, secondsBefore, secondsAfter, changesAt: high as Instant };
}
