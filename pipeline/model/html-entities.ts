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
export function decodeEntities(text: string): string {
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
