import type { Instant } from '../../model/service-time.ts';

/**
 * Of records of one key the one that was recorded last, of equally old ones the later in the list, at the place of the
 * first. Records of no key are all kept.
 * @param tellRefused is told each record that is left out
 */
export function keepNewest<Item extends { readonly recordedAt: Instant | null }>(
  items: readonly Item[],
  keyOf: (item: Item) => string | null,
  tellRefused: (item: Item) => void,
): Item[] {
  const kept: Item[] = [];
  const placeOfKey = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    const known = key === null ? undefined : placeOfKey.get(key);
    if (known === undefined) {
      if (key !== null) placeOfKey.set(key, kept.length);
      kept.push(item);
      continue;
    }
    const isNewer = (item.recordedAt ?? 0) >= (kept[known]!.recordedAt ?? 0);
    tellRefused(isNewer ? kept[known]! : item);
    if (isNewer) kept[known] = item;
  }
  return kept;
}
