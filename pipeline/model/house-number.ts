/** Words before a number that only concern the inside of a house. */
const DOOR_WORDS = 'top|tür|tuer|stiege|stg|stock|haus|nr|no';
const DOOR = new RegExp(`\\b(?:${DOOR_WORDS})\\.?\\s*$`, 'iu');
const NUMBER = /(?<![\p{L}\p{N}])\d{1,5}(?:\s?[a-z](?![\p{L}\p{N}]))?(?:\s?[-–/+]\s?\d{0,4}[a-z]?(?![\p{L}\p{N}]))*/giu;

/** A query divided into the words of a street or place, and numbers. */
interface AddressQuery {
  /** The query without the number of a house; the query itself if it has none. */
  readonly text: string;
  /** As typed; null without one. */
  readonly number: string | null;
  readonly postcode: string | null;
}

/**
 * Divides a query such as "1060 Wien, Mariahilfer Str. 12/3/5". The number of a house is the last one that is neither
 * a postcode nor an ordinal ("10. Oktober"); a number after "Stiege" or "Top" belongs to the number before it.
 * @param isPostcode whether some place has this postcode
 */
export function readAddressQuery(query: string, isPostcode: (digits: string) => boolean): AddressQuery {
  const numbers = [...query.matchAll(NUMBER)].map((match) => ({ text: match[0], from: match.index }));
  const postcode = numbers.find(({ text }) => /^\d{4,5}$/.test(text) && isPostcode(text));
  const others = numbers.filter((one) => one !== postcode && !isOrdinal(query, one));
  const doors = others.filter(({ from }) => DOOR.test(query.slice(0, from)));
  const house = others.filter((one) => !doors.includes(one)).at(-1) ?? null;
  if (house === null) return { text: query, number: null, postcode: postcode?.text ?? null };
  let text = query;
  for (const { text: number, from } of [house, ...doors].sort((a, b) => b.from - a.from)) {
    const before = text.slice(0, from).replace(doors.some((door) => door.from === from) ? DOOR : /$^/, '');
    text = `${before.trimEnd()} ${text.slice(from + number.length)}`;
  }
  text = text
    .replace(/\s*,\s*(?=,|$)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' || text === postcode?.text
    ? { text: query, number: null, postcode: postcode?.text ?? null }
    : { text, number: house.text, postcode: postcode?.text ?? null };
}

/** "10." before a word, as in streets named after a day. */
function isOrdinal(query: string, { text, from }: { readonly text: string; readonly from: number }): boolean {
  return (
    /^\d+$/.test(text) && /^\.?[\s-]*\p{L}/u.test(query.slice(from + text.length)) && query[from + text.length] === '.'
  );
}

/** The form in which numbers of houses are compared: "12 A" is "12a", "3 – 5" is "3-5". */
export function foldHouseNumber(number: string): string {
  return number
    .toLowerCase()
    .replace(/[–—]/g, '-')
    .replace(/\s+/g, '')
    .replace(/[,;].*$/, '');
}

/** The number itself, then what remains without doors and letters: "12a/3/5", "12a/3", "12a", "12". */
export function listHouseNumberForms(number: string): string[] {
  const folded = foldHouseNumber(number);
  const parts = folded.split('/');
  const forms = parts.map((_, i) => parts.slice(0, parts.length - i).join('/'));
  const digits = /^\d+/.exec(folded)?.[0];
  return [...new Set(digits === undefined ? forms : [...forms, digits])];
}

/** Whether a number such as "12-16" or "12/14" covers one that is searched for. */
export function coversHouseNumber(published: string, wanted: number): boolean {
  const [, first, last] = /^(\d+)[a-z]?-(\d+)[a-z]?/.exec(foldHouseNumber(published)) ?? [];
  if (first === undefined || last === undefined) return false;
  return Number(first) <= wanted && wanted <= Number(last) && (wanted - Number(first)) % 2 === 0;
}
