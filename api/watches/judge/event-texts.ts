import type { Instant } from '../../../pipeline/model/service-time.ts';
import { presentTimestamp } from '../../engine/read/present.ts';
import type { SeenLeg } from './seen.ts';

// One German sentence for each event, as the traveller reads it on a locked screen.

/** Local hours and minutes. */
function clockOf(time: Instant): string {
  return presentTimestamp(time).slice(11, 16);
}

function minutes(count: number): string {
  return count === 1 ? '1 Minute' : `${count} Minuten`;
}

function departureOf({ name, from, departure }: SeenLeg): string {
  return `${name} um ${clockOf(departure.scheduled)} ab ${from}`;
}

function changeTo({ name, from, departure }: SeenLeg): string {
  return `Der Anschluss in ${from} an ${name} (${clockOf(departure.scheduled)})`;
}

function platformOf({ isRail }: SeenLeg, platform: string): string {
  return `${isRail ? 'Gleis' : 'Steig'} ${platform}`;
}

export const eventTexts = {
  delay(leg: SeenLeg, delayMinutes: number): string {
    const { name, from, to, departure, arrival } = leg;
    const isLateHere = !leg.hasDeparted && departure.expected - departure.scheduled >= 60;
    const [verb, place, { scheduled, expected }] = isLateHere
      ? ([`fährt ${minutes(delayMinutes)} später`, `ab ${from}`, departure] as const)
      : ([`kommt ${minutes(delayMinutes)} später an`, `in ${to}`, arrival] as const);
    return `${name} ${verb}: ${place} um ${clockOf(expected)} statt ${clockOf(scheduled)}.`;
  },
  punctual({ name }: SeenLeg, delayMinutes: number): string {
    if (delayMinutes <= 0) return `${name} ist wieder pünktlich.`;
    return `${name} hat nur noch ${minutes(delayMinutes)} Verspätung.`;
  },
  platform: (leg: SeenLeg, now: string, before: string) =>
    `${departureOf(leg)} fährt von ${platformOf(leg, now)} statt ${platformOf(leg, before)}.`,
  cancelled: (leg: SeenLeg) =>
    leg.substitute === null
      ? `${departureOf(leg)} fällt aus.`
      : `${departureOf(leg)} wird ersetzt: Es fährt ${leg.substitute}.`,
  notCancelled: (leg: SeenLeg) => `${departureOf(leg)} fährt nun doch.`,
  changeAtRisk: (leg: SeenLeg) => `${changeTo(leg)} ist gefährdet.`,
  changeMissed: (leg: SeenLeg) => `${changeTo(leg)} wird nicht erreicht.`,
  changeSafe: (leg: SeenLeg) => `${changeTo(leg)} klappt voraussichtlich wieder.`,
  disruption: (title: string) => `Neue Meldung: ${title}`,
  disruptionEnded: (title: string) => `Nicht mehr gemeldet: ${title}`,
  options(count: number, arrival: Instant): string {
    const ways = count === 1 ? 'Es gibt eine andere Möglichkeit' : `Es gibt ${count} andere Möglichkeiten`;
    return `${ways}; die beste kommt um ${clockOf(arrival)} an.`;
  },
  ended: () => 'Die Reise ist zu Ende.',
};
