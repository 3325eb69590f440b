import type { Leg } from '../../contract/v2-trip.ts';
import type { Language } from '../texts/languages.ts';
import { legNoteTexts } from '../texts/leg-notes.ts';

type WithAttributes = Pick<Leg, 'attributes'>;

/** The value of an attribute `name:value`; `null` if the leg does not have it. */
function findValue({ attributes }: WithAttributes, name: string): string | null {
  const found = attributes.find((attribute) => attribute.startsWith(`${name}:`));
  return found === undefined ? null : found.slice(name.length + 1);
}

/** Whether a leg is ridden on a shared bicycle. */
export function isRental(leg: WithAttributes): boolean {
  return findValue(leg, 'rental') !== null;
}

/** Sentences about a leg: rental and parking of a bicycle or car, occupancy of a vehicle, and booking. */
export function listLegNotes(leg: WithAttributes, language: Language): readonly string[] {
  const { fixed, bookBy, phone } = legNoteTexts[language];
  const known: Readonly<Record<string, string>> = fixed;
  const [deadline, number] = [findValue(leg, 'bookBy'), findValue(leg, 'phone')];
  return [
    ...describeRental(leg, language),
    ...leg.attributes.flatMap((attribute) => known[attribute] ?? []),
    // A timestamp in local time; the notice of the ride has the date.
    ...(deadline === null ? [] : [bookBy(deadline.slice(11, 16))]),
    ...(number === null ? [] : [phone(number)]),
  ];
}

function describeRental(leg: WithAttributes, language: Language): readonly string[] {
  const system = findValue(leg, 'rental');
  if (system === null) return [];
  const available = Number(findValue(leg, 'availability') ?? 1);
  const [station, returnStation] = [findValue(leg, 'station'), findValue(leg, 'returnStation')];
  return [legNoteTexts[language].rental({ system, station, returnStation, available })];
}

/** Web page where the leg is rented or booked. */
interface LegLink {
  readonly address: string;
  readonly text: string;
}

/** @returns `null` if there is none; publishers' addresses of other schemes are left out */
export function findLegLink(leg: WithAttributes, language: Language): LegLink | null {
  const address = findValue(leg, 'url');
  if (address === null || !/^https?:\/\//i.test(address)) return null;
  const { rent, book } = legNoteTexts[language];
  const system = findValue(leg, 'rental');
  return { address, text: system === null ? book : rent(system) };
}
