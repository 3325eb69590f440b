import type { EventTexts } from './event-texts.ts';
import type { NamedTrip, SeenCancellation, SeenLeg } from './seen.ts';
import { clockOf, joinNames } from './text-parts.ts';

function name({ label, direction }: NamedTrip): string {
  return direction === '' ? label : `${label} nach ${direction}`.trim();
}

function minutes(count: number): string {
  return count === 1 ? '1 Minute' : `${count} Minuten`;
}

function departureOf({ trip, from, departure }: SeenLeg): string {
  return `${name(trip)} um ${clockOf(departure.scheduled)} ab ${from}`;
}

function changeTo({ trip, from, departure }: SeenLeg): string {
  return `Der Anschluss in ${from} an ${name(trip)} (${clockOf(departure.scheduled)})`;
}

function platformOf({ isRail }: SeenLeg, platform: string): string {
  return `${isRail ? 'Gleis' : 'Steig'} ${platform}`;
}

function describeCancellation({ trip, from, to }: SeenLeg, cancellation: SeenCancellation): string {
  switch (cancellation.kind) {
    case 'trip':
      return 'fällt aus.';
    case 'replaced': {
      const { substitute } = cancellation;
      if (!substitute) return `wird durch eine andere Fahrt ersetzt, die nicht von ${from} nach ${to} fährt.`;
      return `wird ersetzt: Es fährt ${name(substitute)} um ${substitute.departure}.`;
    }
    case 'endsEarly':
      if (cancellation.endsAt === cancellation.unserved) return `endet schon in ${cancellation.endsAt}.`;
      return `hält nicht in ${cancellation.unserved}, endet in ${cancellation.endsAt}.`;
    case 'beginsLate':
      return `hält nicht in ${from}, beginnt erst in ${cancellation.beginsAt}.`;
    case 'skipsOrigin':
      return `hält nicht in ${from}${cancellation.next === null ? '' : `; nächster Halt ist ${cancellation.next}`}.`;
    case 'skipsDestination': {
      const { last, next } = cancellation;
      const around = [...(last === null ? [] : [`davor in ${last}`]), ...(next === null ? [] : [`danach in ${next}`])];
      return `hält nicht in ${to}${around.length === 0 ? '' : `, aber ${around.join(' und ')}`}.`;
    }
    case 'noBoarding':
      return `fährt, doch in ${from} kann man nicht einsteigen.`;
    case 'noAlighting':
      return `fährt, doch in ${to} kann man nicht aussteigen.`;
    case 'endsBetween': {
      const { endsAt, continuation } = cancellation;
      const isOther = continuation.label !== trip.label;
      return `endet in ${endsAt} und fährt nicht weiter${isOther ? ' als' : ''} ${isOther ? name(continuation) : `nach ${continuation.direction}`}.`;
    }
  }
}

export const germanTexts: EventTexts = {
  late({ trip, from, to, departure, arrival }, event, count) {
    const [verb, place, { scheduled, expected }] =
      event === 'departure'
        ? ([`fährt ${minutes(count)} später`, `ab ${from}`, departure] as const)
        : ([`kommt ${minutes(count)} später an`, `in ${to}`, arrival] as const);
    return `${name(trip)} ${verb}: ${place} um ${clockOf(expected)} statt ${clockOf(scheduled)}.`;
  },
  early: ({ trip, from, departure: { scheduled, expected } }, count) =>
    `${name(trip)} fährt ${minutes(count)} früher: ab ${from} schon um ${clockOf(expected)} statt ${clockOf(scheduled)}.`,
  leftEarly: ({ trip, from, departure: { scheduled, expected } }, count) =>
    `${name(trip)} ist ${minutes(count)} zu früh abgefahren: ab ${from} um ${clockOf(expected)} statt ${clockOf(scheduled)}.`,
  notEarly: ({ trip, from, departure }) =>
    `${name(trip)} fährt nun doch nicht früher: ab ${from} um ${clockOf(departure.expected)}.`,
  punctual({ trip }, count) {
    if (count <= 0) return `${name(trip)} ist wieder pünktlich.`;
    return `${name(trip)} hat nur noch ${minutes(count)} Verspätung.`;
  },
  platform: (leg, now, before) =>
    `${departureOf(leg)} fährt von ${platformOf(leg, now)} statt ${platformOf(leg, before)}.`,
  cancelled: (leg, cancellation) => `${departureOf(leg)} ${describeCancellation(leg, cancellation)}`,
  notCancelled: (leg) => `${departureOf(leg)} fährt nun doch bis ${leg.to}.`,
  skipped: (leg, stops) => `${departureOf(leg)} hält unterwegs nicht in ${joinNames(stops, ['und', 'weiteren'])}.`,
  notSkipped: (leg) => `${departureOf(leg)} hält unterwegs nun doch überall.`,
  transferAtRisk: (leg) => `${changeTo(leg)} ist gefährdet.`,
  transferMissed: (leg) => `${changeTo(leg)} wird nicht erreicht.`,
  transferSafe: (leg) => `${changeTo(leg)} klappt voraussichtlich wieder.`,
  disruption: (title) => `Neue Meldung: ${title}`,
  disruptionEnded: (title) => `Nicht mehr gemeldet: ${title}`,
  keepPlan: (arrival) => `Am besten bei der geplanten Verbindung bleiben: Sie kommt um ${clockOf(arrival)} an.`,
  options(count, arrival) {
    const ways =
      count === 1 ? 'Es gibt eine andere Möglichkeit: Sie' : `Es gibt ${count} andere Möglichkeiten: Die beste`;
    return `${ways} kommt um ${clockOf(arrival)} an.`;
  },
  ended: () => 'Die Reise ist zu Ende.',
};
