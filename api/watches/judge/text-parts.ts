import type { Instant } from '../../../pipeline/model/service-time.ts';
import { presentTimestamp } from '../../engine/read/present.ts';

/** Local hours and minutes. */
export function clockOf(time: Instant): string {
  return presentTimestamp(time).slice(11, 16);
}

/** Names in one text: more than four are counted. */
const MAX_NAMES = 4;

/** `A`, `A und B`, `A, B, C und 3 weiteren`. @param words `und`, and what follows the number of further ones */
export function joinNames(names: readonly string[], [and, more]: readonly [and: string, more: string]): string {
  const shown =
    names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES - 1), `${names.length - MAX_NAMES + 1} ${more}`] : names;
  return shown.length === 1 ? shown[0]! : `${shown.slice(0, -1).join(', ')} ${and} ${shown.at(-1)!}`;
}
