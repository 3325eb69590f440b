import { AUSTRIA, type Instant, localDate } from '../../../pipeline/model/service-time.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { Notice } from '../../contract/definitions.ts';
import { type Booking, isClosed } from '../read/bookings.ts';
import { getLabel, getLine, getStopName, type TripView } from '../read/dated-trip.ts';
import { presentTimestamp } from '../read/present.ts';

/** Below disruptions: passengers must book, but nothing has gone wrong. */
export const BOOKING_PRIORITY = 5;
/** Stops named in a notice. */
const MAX_NAMED_STOPS = 4;

/**
 * Lists notices that say how a ride is booked, one for each rule.
 * @param bookings of the ride, or of the whole trip
 * @param isWholeTrip names the stops where booking is needed, if it is not needed everywhere
 */
export function listBookingNotices(
  view: TripView,
  bookings: readonly Booking[],
  instant: Instant,
  isWholeTrip = false,
): Notice[] {
  const rules = [...new Set(bookings.map(({ rule }) => rule))];
  return rules.map((rule) => {
    const own = bookings.filter((booking) => booking.rule === rule);
    return presentRule(view, rule, own, { instant, isWholeTrip });
  });
}

interface Shown {
  readonly instant: Instant;
  readonly isWholeTrip: boolean;
}

function presentRule(view: TripView, rule: number, own: readonly Booking[], shown: Shown): Notice {
  const { instant, isWholeTrip } = shown;
  const { bookingRules, sources } = view.published.timetable.tables;
  const label = getLabel(view);
  const { operatorName } = getLine(view);
  const source = sources.sourceId.get(bookingRules.source[rule]!);
  return {
    id: `booking:${source}:${bookingRules.ruleId.get(rule)}:${view.tripKey.toString(16)}.${view.day}`,
    title: !isWholeTrip && isClosed(own, instant) ? 'Anmeldefrist abgelaufen' : 'Nur nach Anmeldung',
    text: describeRule(view, rule, own, shown),
    kind: 'information',
    priority: BOOKING_PRIORITY,
    affectedLines: label === '' ? [] : [label],
    lines: label === '' ? [] : [{ label, ...(operatorName === undefined ? {} : { operatorName }) }],
    affectedStops: isWholeTrip ? listStops(view, own) : [],
  };
}

/** The stops where booking is needed; empty if it is needed at every stop. */
function listStops(view: TripView, own: readonly Booking[]): string[] {
  const positions = new Set(own.map(({ position }) => position));
  if (positions.size === view.callCount) return [];
  return [...new Set([...positions].map((position) => getStopName(view, position)))].slice(0, MAX_NAMED_STOPS);
}

function describeRule(view: TripView, rule: number, own: readonly Booking[], shown: Shown): string {
  const sentences = [
    `${nameRide(view, own, shown.isWholeTrip)} nur nach Anmeldung möglich${describeDeadline(own, shown)}.`,
    ...describeContact(view.published.timetable.tables, rule, own),
  ];
  return sentences.join(' ');
}

/** The distinct messages of a rule for some of its uses, and how to book. */
export function describeContact(
  { bookingRules }: TimetableTables,
  rule: number,
  own: readonly Pick<Booking, 'use'>[],
): string[] {
  const [phone, url, message] = [bookingRules.phone, bookingRules.url, bookingRules.message].map((of) => of.get(rule));
  const uses = new Set(own.map(({ use }) => use));
  const contact = [...(phone ? [`Telefon ${phone}`] : []), ...(url ? [url] : [])].join(', ');
  const sentences = [
    message ?? '',
    uses.has('pickup') ? bookingRules.pickupMessage.get(rule) : '',
    uses.has('dropOff') ? bookingRules.dropOffMessage.get(rule) : '',
    // Last, because a full stop would become part of the address.
    contact === '' ? '' : `Anmeldung: ${contact}`,
  ];
  return [...new Set(sentences.filter((sentence) => sentence !== ''))];
}

function nameRide(view: TripView, own: readonly Booking[], isWholeTrip: boolean): string {
  const stops = isWholeTrip ? listStops(view, own) : [];
  if (stops.length > 0) return `Ein- und Ausstieg in ${stops.join(', ')} ist`;
  const uses = new Set(own.map(({ use }) => use));
  if (uses.size === 2 || isWholeTrip) return 'Diese Fahrt ist';
  return uses.has('pickup') ? 'Der Einstieg ist' : 'Der Ausstieg ist';
}

/** `, bis 2.3. um 07:00 Uhr`; empty without a deadline, and for a trip whose rides have several. */
export function describeDeadline(own: readonly Booking[], { instant, isWholeTrip }: Shown): string {
  const deadlines = own.flatMap(({ deadline }) => deadline ?? []);
  if (deadlines.length === 0 || (isWholeTrip && new Set(deadlines).size > 1)) return '';
  const deadline = Math.min(...deadlines) as Instant;
  const [, month, day] = localDate(deadline, AUSTRIA).split('-').map(Number);
  const until = `bis ${day}.${month}. um ${presentTimestamp(deadline).slice(11, 16)} Uhr`;
  return deadline < instant ? `; die Frist (${until}) ist abgelaufen` : `, ${until}`;
}
