import type { EventTexts } from './event-texts.ts';
import type { NamedTrip, SeenCancellation, SeenLeg } from './seen.ts';
import { clockOf, joinNames } from './text-parts.ts';

function name({ label, direction }: NamedTrip): string {
  return direction === '' ? label : `${label} to ${direction}`.trim();
}

function minutes(count: number): string {
  return count === 1 ? '1 minute' : `${count} minutes`;
}

function departureOf({ trip, from, departure }: SeenLeg): string {
  return `The ${clockOf(departure.scheduled)} ${name(trip)} from ${from}`;
}

function changeTo({ trip, from, departure }: SeenLeg): string {
  return `Your connection at ${from} to the ${clockOf(departure.scheduled)} ${name(trip)}`;
}

function platformOf({ isRail }: SeenLeg, platform: string): string {
  return `${isRail ? 'platform' : 'stand'} ${platform}`;
}

function describeCancellation({ trip, from, to }: SeenLeg, cancellation: SeenCancellation): string {
  switch (cancellation.kind) {
    case 'trip':
      return 'is cancelled.';
    case 'replaced': {
      const { substitute } = cancellation;
      if (!substitute) return `is replaced by another trip, which does not run from ${from} to ${to}.`;
      return `is replaced: the ${substitute.departure} ${name(substitute)} runs instead.`;
    }
    case 'endsEarly':
      if (cancellation.endsAt === cancellation.unserved) return `terminates at ${cancellation.endsAt}.`;
      return `will not stop at ${cancellation.unserved}; it terminates at ${cancellation.endsAt}.`;
    case 'beginsLate':
      return `will not stop at ${from}; it starts at ${cancellation.beginsAt}.`;
    case 'skipsOrigin':
      return `will not stop at ${from}${cancellation.next === null ? '' : `; its next stop is ${cancellation.next}`}.`;
    case 'skipsDestination': {
      const { last, next } = cancellation;
      const around = [
        ...(last === null ? [] : [`before it at ${last}`]),
        ...(next === null ? [] : [`after it at ${next}`]),
      ];
      return `will not stop at ${to}${around.length === 0 ? '' : `, but ${around.join(' and ')}`}.`;
    }
    case 'noBoarding':
      return `runs, but you cannot board at ${from}.`;
    case 'noAlighting':
      return `runs, but you cannot get off at ${to}.`;
    case 'endsBetween': {
      const { endsAt, continuation } = cancellation;
      const isOther = continuation.label !== trip.label;
      return `terminates at ${endsAt} and does not continue ${isOther ? `as ${name(continuation)}` : `to ${continuation.direction}`}.`;
    }
  }
}

export const englishTexts: EventTexts = {
  late({ trip, from, to, departure, arrival }, event, count) {
    const [verb, place, { scheduled, expected }] =
      event === 'departure'
        ? (['leaves', `from ${from}`, departure] as const)
        : (['arrives', `at ${to}`, arrival] as const);
    return `${name(trip)} ${verb} ${minutes(count)} late: ${place} at ${clockOf(expected)} instead of ${clockOf(scheduled)}.`;
  },
  early: ({ trip, from, departure: { scheduled, expected } }, count) =>
    `${name(trip)} leaves ${minutes(count)} early: from ${from} at ${clockOf(expected)} instead of ${clockOf(scheduled)}.`,
  leftEarly: ({ trip, from, departure: { scheduled, expected } }, count) =>
    `${name(trip)} has left ${minutes(count)} early: from ${from} at ${clockOf(expected)} instead of ${clockOf(scheduled)}.`,
  notEarly: ({ trip, from, departure }) =>
    `${name(trip)} is not leaving early after all: from ${from} at ${clockOf(departure.expected)}.`,
  punctual({ trip }, count) {
    if (count <= 0) return `${name(trip)} is back on time.`;
    return `${name(trip)} is now only ${minutes(count)} late.`;
  },
  platform: (leg, now, before) =>
    `${departureOf(leg)} leaves from ${platformOf(leg, now)} instead of ${platformOf(leg, before)}.`,
  cancelled: (leg, cancellation) => `${departureOf(leg)} ${describeCancellation(leg, cancellation)}`,
  notCancelled: (leg) => `${departureOf(leg)} runs to ${leg.to} after all.`,
  skipped: (leg, stops) => `${departureOf(leg)} will not stop on the way at ${joinNames(stops, ['and', 'more'])}.`,
  notSkipped: (leg) => `${departureOf(leg)} will stop everywhere on the way after all.`,
  transferAtRisk: (leg) => `${changeTo(leg)} is at risk.`,
  transferMissed: (leg) => `${changeTo(leg)} will be missed.`,
  transferSafe: (leg) => `${changeTo(leg)} should work out again.`,
  disruption: (title) => `New alert: ${title}`,
  disruptionEnded: (title) => `No longer reported: ${title}`,
  keepPlan: (arrival) => `Best to keep to your planned trip: it arrives at ${clockOf(arrival)}.`,
  options(count, arrival) {
    const ways = count === 1 ? 'There is another option: it' : `There are ${count} other options: the best`;
    return `${ways} arrives at ${clockOf(arrival)}.`;
  },
  ended: () => 'Your trip has ended.',
};
