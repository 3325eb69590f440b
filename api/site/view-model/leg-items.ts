import type { LegRef } from '../../contract/v2-leg-ref.ts';

const PARTS = 3;

/** Formats rides for the `legs` parameter of the site routes; a comma within an item is encoded. */
export function listLegItems(legs: readonly LegRef[]): string {
  return legs
    .flatMap(({ journeyRef, originId, destinationId }) => [journeyRef, originId, destinationId])
    .map(encodeURIComponent)
    .join(',');
}

/** @returns an empty list if the text is invalid */
export function readLegItems(text: string): LegRef[] {
  const items = text === '' ? [] : text.split(',').map(decodeItem);
  if (items.length % PARTS !== 0 || items.some((one) => !one)) return [];
  return Array.from({ length: items.length / PARTS }, (_, i) => {
    const [journeyRef, originId, destinationId] = items.slice(PARTS * i) as [string, string, string];
    return { journeyRef, originId, destinationId };
  });
}

function decodeItem(item: string): string | null {
  try {
    return decodeURIComponent(item);
  } catch {
    return null;
  }
}
