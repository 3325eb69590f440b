/** One word of a stop's or place's name. */
export interface NameWord {
  /** The form in which words are compared. */
  readonly text: string;
  /** With "ue", "ph" and the like unchanged; equals `text` if it contains none. */
  readonly written: string;
}

/** One word of a search. */
export interface QueryWord {
  /** All spellings that it may stand for, in the form of names; as typed first. */
  readonly forms: readonly string[];
  /** The form of the same word in a name. */
  readonly text: string;
  /** Weight of the word: letters of `text`. */
  readonly letters: number;
  /** A linking word ("an der"), which hardly identifies a stop. */
  readonly isConnecting: boolean;
  /** False for a last word without a following character: more letters may be typed. */
  readonly isComplete: boolean;
}

interface RawWord {
  readonly letters: string;
  /** A dot follows; without one, some abbreviations are not expanded. */
  readonly isDotted: boolean;
}

/** Longer words are truncated in names and queries alike, which bounds the cost of a search. */
const MAX_WORD_LETTERS = 60;

// Letters that Unicode does not decompose into a base letter and a mark.
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

// Words that are nearly always abbreviations in stop names, with or without a dot.
const SHORT_WORDS: ReadonlyMap<string, string> = new Map([
  ['hbf', 'hauptbahnhof'],
  ['hbhf', 'hauptbahnhof'],
  ['bf', 'bahnhof'],
  ['bhf', 'bahnhof'],
  ['str', 'strasse'],
  ['pl', 'platz'],
  ['st', 'sankt'],
]);

// The same at the end of a compound, longest first; no German word has these endings.
const SHORT_ENDINGS: readonly (readonly [string, string])[] = [
  ['hbf', 'hauptbahnhof'],
  ['bhf', 'bahnhof'],
  ['bf', 'bahnhof'],
  ['str', 'strasse'],
];

// Endings that need the dot: "Zieglerg." is a Gasse, "Weg" is not.
const DOTTED_ENDINGS: readonly (readonly [string, string])[] = [
  ['pl', 'platz'],
  ['g', 'gasse'],
];

// Endings that a search expands in addition to the word as typed: "schwedenpl" is a Platz, but "templ" may begin
// Templergasse.
const GUESSED_ENDINGS: readonly (readonly [string, string])[] = [['pl', 'platz']];
/** The same before a dot, for names that lack a space: "OberSt. Veit". */
const GUESSED_DOTTED_ENDINGS: readonly (readonly [string, string])[] = [['st', 'sankt']];

const SHORTEST_COMPOUND_HEAD = 3;

// Articles and prepositions in names of stops, in the languages of Austria and its neighbours, English and French.
const CONNECTING_WORDS: ReadonlySet<string> = new Set(
  (
    'am an auf bei beim das dem den der des die im in ins ob und vom von zu zum zur and at of on the ' +
    'au aux de des du la le les sur al alla da dal dei del della di il na nad ob pod pri u ve w z'
  ).split(' '),
);

/**
 * Words of a stop's or place's name as the search compares them: lower case, without marks, umlauts and their
 * two-letter spellings alike, ß = ss = s, abbreviations written out.
 */
export function nameWords(name: string): NameWord[] {
  return splitWords(name).map((word) => toNameWord(expandCertain(word) ?? word.letters));
}

/** Words of a search; a possible abbreviation or beginning of a word keeps both readings. */
export function queryWords(query: string): QueryWord[] {
  const words = splitWords(query);
  const isOpen = /[\p{L}\p{N}\p{M}]$/u.test(query);
  return words.map((word, i) => {
    const sure = expandCertain(word);
    const guess = expandEnding(word.letters, word.isDotted ? GUESSED_DOTTED_ENDINGS : GUESSED_ENDINGS);
    const readings = [word.letters, sure ?? guess].filter((reading) => reading !== null).map(toNameWord);
    const { text } = toNameWord(sure ?? word.letters);
    return {
      forms: [...new Set(readings.flatMap((reading) => [reading.text, reading.written]))],
      text,
      letters: text.length,
      // "a. d." is short for such words too.
      isConnecting: CONNECTING_WORDS.has(word.letters) || (word.isDotted && word.letters.length === 1),
      isComplete: !(isOpen && i === words.length - 1),
    };
  });
}

/** The compound of two neighbouring words, the same `text` as if it had been written as one. */
export function joinWords(first: string, second: string): string {
  return toNameWord(first + second).text;
}

/** Texts of these need none of the rules for other letters, which take several times as long. */
const BEYOND_ASCII = /[^ -~]/;

function splitWords(text: string): RawWord[] {
  const lower = text.toLowerCase();
  const plain = BEYOND_ASCII.test(lower) ? replaceLetters(lower) : lower;
  const words = plain.match(BEYOND_ASCII.test(plain) ? /[\p{L}\p{N}]+\.?/gu : /[A-Za-z0-9]+\.?/g) ?? [];
  return words.map((word) => {
    const isDotted = word.endsWith('.');
    return { letters: isDotted ? word.slice(0, -1) : word, isDotted };
  });
}

function replaceLetters(lower: string): string {
  return (
    lower
      .normalize('NFKD')
      // Letters beyond the basic plane would sort differently in UTF-16 and occur in no stop's name.
      .replace(/\p{M}|[\u{10000}-\u{10ffff}]/gu, '')
      .replace(/[ßæœøłđðþı]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
  );
}

// Each rule replaces all repetitions at once, so that folding twice, or folding a compound of folded words, changes
// nothing. Most words need no rule, and to find that out takes less than to replace nothing.
function toNameWord(letters: string): NameWord {
  const single = letters.includes('ss') ? letters.replace(/s+/g, 's') : letters;
  const written = single.length > MAX_WORD_LETTERS ? single.slice(0, MAX_WORD_LETTERS) : single;
  if (!/[aou]e|ph/.test(written)) return { written, text: written };
  return { written, text: written.replace(/([aou])e+/g, '$1').replace(/ph/g, 'f') };
}

function expandCertain({ letters, isDotted }: RawWord): string | null {
  const expansion = SHORT_WORDS.get(letters) ?? expandEnding(letters, SHORT_ENDINGS);
  if (expansion !== null || !isDotted) return expansion;
  return letters === 'g' ? 'gasse' : expandEnding(letters, DOTTED_ENDINGS);
}

function expandEnding(letters: string, endings: readonly (readonly [string, string])[]): string | null {
  for (const [short, long] of endings) {
    const head = letters.length - short.length;
    if (head >= SHORTEST_COMPOUND_HEAD && letters.endsWith(short)) return letters.slice(0, head) + long;
  }
  return null;
}
