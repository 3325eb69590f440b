import { lowerBound } from '../../../pipeline/model/binary-search.ts';
import { hashKey, hashSpelling, nameKinds, type SearchIndex } from '../../../pipeline/model/search-index.ts';
import { listIdForms } from '../../../pipeline/model/stop-id-forms.ts';

/**
 * How exactly a query names a stop; a greater number ranks before any smaller one. 0: not at all. A name as it is
 * written is before one of the same words, and this before the same words in another order; within each, the name that
 * is shown before a translation, and this before a platform's. Codes are after all names.
 */
const MATCHES = { sameWords: 2, sameOrder: 5, asWritten: 8 } as const;
const CODE = nameKinds.indexOf('code');
const [CODE_SPELLED_DIFFERENTLY, CODE_AS_WRITTEN] = [1, 2];

export function rateExactness(match: keyof typeof MATCHES, kind: number): number {
  if (kind === CODE) return match === 'asWritten' ? CODE_AS_WRITTEN : CODE_SPELLED_DIFFERENTLY;
  return MATCHES[match] + (CODE - kind);
}

const IFOPT = /^[a-z]{2}:\d+:\d+/i;
/** Station numbers of Vienna (DIVA, 8 digits) and of HAFAS (9 digits), from which IFOPT ids follow. */
const REGISTER_NUMBER = /^\d{8,9}$/;

/**
 * Finds the entries of which the query is a whole name or a code.
 * @param found gets the entry and its exactness, perhaps several times
 */
export function findExact(index: SearchIndex, query: string, found: (entry: number, exactness: number) => void): void {
  findKey(index, query, found);
  for (const stopId of listStopIds(query)) findKey(index, stopId, found);
}

/** Ids under which a timetable may have the stop of a public number. */
function listStopIds(query: string): string[] {
  const text = query.trim();
  if (IFOPT.test(text)) return listIdForms('ifopt', text.toLowerCase()).map(({ stopId }) => stopId);
  const digits = text.replace(/\s/g, '');
  if (!REGISTER_NUMBER.test(digits)) return [];
  const forms = [...listIdForms('diva', digits), ...listIdForms('hafas', digits)];
  return forms.filter(({ needsConfirmation }) => !needsConfirmation).map(({ stopId }) => stopId);
}

function findKey(index: SearchIndex, text: string, found: (entry: number, exactness: number) => void): void {
  const { keyHash, keyCheck, keySpelling, keyEntry, keyKind } = index;
  const { hash, check } = hashKey(text);
  const spelling = hashSpelling(text);
  for (let row = lowerBound(keyHash, hash); row < keyHash.length && keyHash[row] === hash; row++) {
    if (keyCheck[row] !== check) continue;
    const match = keySpelling[row] === spelling ? 'asWritten' : 'sameOrder';
    found(keyEntry[row]!, rateExactness(match, keyKind[row]!));
  }
}
