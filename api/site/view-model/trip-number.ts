const TRIP_NUMBER = 'tripNumber:';

/** The name by which riders know a trip: `RJX 162` for a train of the line RJX; null if it is known by its line alone. */
export function findTripNumber(attributes: readonly string[]): string | null {
  const found = attributes.find((attribute) => attribute.startsWith(TRIP_NUMBER));
  return found?.slice(TRIP_NUMBER.length).trim() || null;
}

/**
 * Text of the badge: the number, if it begins with the label of the line, as `RJX 162` does. Other numbers, such as
 * `2017` for a train of the line S1, say less than the label and follow it elsewhere.
 */
export function chooseBadge(
  label: string,
  number: string | null,
): { readonly badge: string; readonly rest: string | null } {
  if (number === null || number === label) return { badge: label, rest: null };
  return number.startsWith(`${label} `) ? { badge: number, rest: null } : { badge: label, rest: number };
}
