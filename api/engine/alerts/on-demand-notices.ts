import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Notice } from '../../contract/definitions.ts';
import { type Booking, isClosed } from '../read/bookings.ts';
import type { Timetable } from '../read/timetable.ts';
import { BOOKING_PRIORITY, describeContact, describeDeadline } from './booking-notices.ts';

/**
 * The notices that say how to book an on-demand ride, one for each rule.
 * @param trip row of `onDemandTrips`
 */
export function listRideNotices(
  timetable: Timetable,
  trip: number,
  day: number,
  bookings: readonly Booking[],
  instant: Instant,
): Notice[] {
  const { tables } = timetable;
  const route = tables.onDemandTrips.route[trip]!;
  const { label, operatorName } = timetable.lines.get(route);
  const source = tables.sources.sourceId.get(tables.routes.source[route]!);
  return [...new Set(bookings.map(({ rule }) => rule))].map((rule) => {
    const own = bookings.filter((booking) => booking.rule === rule);
    const deadline = describeDeadline(own, { instant, isWholeTrip: false });
    const sentences = [`Diese Fahrt ist nur nach Anmeldung möglich${deadline}.`, ...describeContact(tables, rule, own)];
    return {
      id: `booking:${source}:${tables.bookingRules.ruleId.get(rule)}:${tables.onDemandTrips.tripId.get(trip)}.${day}`,
      title: isClosed(own, instant) ? 'Anmeldefrist abgelaufen' : 'Nur nach Anmeldung',
      text: sentences.join(' '),
      kind: 'information',
      priority: BOOKING_PRIORITY,
      affectedLines: [label],
      lines: [{ label, ...(operatorName === undefined ? {} : { operatorName }) }],
      affectedStops: [],
    };
  });
}
