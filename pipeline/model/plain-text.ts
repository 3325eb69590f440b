// Names in the order of their characters, from U+00A0 to U+00FF.
const LATIN_1 = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr
deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`;

const OTHERS: Readonly<Record<string, string>> = {
  // Markup itself.
  quot: '"',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
  // Punctuation.
  sbquo: '‚',
  lsquo: '‘',
  rsquo: '’',
  bdquo: '„',
  ldquo: '“',
  rdquo: '”',
  lsaquo: '‹',
  rsaquo: '›',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  bull: '•',
  dagger: '†',
  Dagger: '‡',
  permil: '‰',
  prime: '′',
  Prime: '″',
  euro: '€',
  trade: '™',
  ensp: '\u2002',
  emsp: '\u2003',
  thinsp: '\u2009',
  zwnj: '\u200C',
  zwj: '\u200D',
  lrm: '\u200E',
  rlm: '\u200F',
  // Letters of neighbours.
  OElig: 'Œ',
  oelig: 'œ',
  Scaron: 'Š',
  scaron: 'š',
  Zcaron: 'Ž',
  zcaron: 'ž',
  Ccaron: 'Č',
  ccaron: 'č',
  Rcaron: 'Ř',
  rcaron: 'ř',
  Ecaron: 'Ě',
  ecaron: 'ě',
  Cacute: 'Ć',
  cacute: 'ć',
  Dstrok: 'Đ',
  dstrok: 'đ',
  Odblac: 'Ő',
  odblac: 'ő',
  Udblac: 'Ű',
  udblac: 'ű',
  Yuml: 'Ÿ',
  fnof: 'ƒ',
  // Signs.
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  harr: '↔',
  rArr: '⇒',
  minus: '−',
  le: '≤',
  ge: '≥',
  ne: '≠',
  asymp: '≈',
  infin: '∞',
  check: '✓',
};

const named: ReadonlyMap<string, string> = new Map([
  ...LATIN_1.split(/\s/).map((name, i) => [name, String.fromCodePoint(0xa0 + i)] as const),
  ...Object.entries(OTHERS),
]);

// What numbers 128 to 159 mean to browsers: Windows-1252. Elsewhere they would be control characters.
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

const ENTITY = /&(?:#([0-9]{1,10})|#[xX]([0-9a-fA-F]{1,8})|([A-Za-z][A-Za-z0-9]{1,7}));/g;

/**
 * Reads the entities of a text, each once: `&amp;lt;` is `&lt;`. Known are all numbers, and the names that texts in
 * German use. Others stay as they are, and so does a name without its semicolon; a number of no character is left out.
 * @see HTML Living Standard, "Numeric character reference end state"
 */
function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity, decimal: string | undefined, hexadecimal: string | undefined, name: string) => {
    if (decimal !== undefined) return toCharacter(Number(decimal));
    if (hexadecimal !== undefined) return toCharacter(Number.parseInt(hexadecimal, 16));
    return named.get(name) ?? entity;
  });
}

function toCharacter(code: number): string {
  if (code >= 128 && code <= 159) return WINDOWS_1252[code - 128]!;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code === 0 || isSurrogate || code > 0x10ffff ? '' : String.fromCodePoint(code);
}

// Every expression here reads on from where the last one ended and never goes back over a run: a text of a megabyte
// that was made to hurt costs milliseconds.

/** What stands between these is not meant to be read. */
const UNREAD_SECTIONS = [
  { open: /<!--/g, close: /-->/g },
  { open: /<script\b[^<>]*>/gi, close: /<\/script\b[^<>]*>/gi },
  { open: /<style\b[^<>]*>/gi, close: /<\/style\b[^<>]*>/gi },
];

/** A letter must follow at once, as browsers have it: `<80 km/h` and `a < b` are text. */
const TAG = /<(?:\/?([a-z][a-z0-9]*)[^<>]*|[!?][^<>]*)>/gi;

const BREAKING_TAGS: ReadonlySet<string> = new Set(
  `address article aside blockquote br center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
  header hr li main nav ol p pre section table tbody tfoot thead tr ul`.split(/\s+/),
);

const SPACING_TAGS: ReadonlySet<string> = new Set(['td', 'th', 'option']);

// Control characters, and all that has no width: soft hyphens, joiners, marks of direction, byte order marks. Half a
// surrogate pair is no character either.
const INVISIBLE = /[\p{Cf}\p{Cs}]|(?!\s)\p{Cc}/gu;

/**
 * Text for people out of what publishers send, HTML or not. Tags go, what ends a line (`<br>`, `<p>`, `<li>` …) becomes
 * one line break, entities are read once, white space is one space, and what cannot be seen is left out. The line ends
 * of a text without tags are its own and stay; in one with tags they are white space, as in HTML.
 * It never throws, in time linear in the length. The result is text: `<b>` in it was written as `&lt;b&gt;`, so
 * whoever puts it on a page has to escape it.
 */
export function toPlainText(html: string): string {
  const readable = UNREAD_SECTIONS.reduce(removeSections, html);
  return collapseSpace(decodeEntities(replaceTags(readable)).replace(INVISIBLE, ''));
}

/** As `toPlainText`, in one line: for titles and names. */
export function toPlainLine(html: string): string {
  return toPlainText(html).replaceAll('\n', ' ');
}

function removeSections(html: string, { open, close }: { readonly open: RegExp; readonly close: RegExp }): string {
  let kept = '';
  let from = 0;
  for (;;) {
    const start = findFrom(open, html, from);
    const end = start && findFrom(close, html, start.end);
    // A section that never ends is none: its text is better shown than lost.
    if (!start || !end) return kept + html.slice(from);
    kept += `${html.slice(from, start.index)} `;
    from = end.end;
  }
}

function findFrom(
  pattern: RegExp,
  text: string,
  from: number,
): { readonly index: number; readonly end: number } | null {
  const search = new RegExp(pattern);
  search.lastIndex = from;
  const match = search.exec(text);
  return match && { index: match.index, end: search.lastIndex };
}

function replaceTags(html: string): string {
  if (html.search(TAG) < 0) return html;
  return html.replace(/\s+/g, ' ').replace(TAG, (_tag, name: string | undefined) => {
    const lowerName = name?.toLowerCase() ?? '';
    if (BREAKING_TAGS.has(lowerName)) return '\n';
    return SPACING_TAGS.has(lowerName) ? ' ' : '';
  });
}

function collapseSpace(text: string): string {
  return text.replace(/\s+/g, (space) => (/[\r\n]/.test(space) ? '\n' : ' ')).trim();
}
