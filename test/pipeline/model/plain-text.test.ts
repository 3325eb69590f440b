import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlainLine, toPlainText } from '../../../pipeline/model/plain-text.ts';

const check = (html: string, expected: string) => expect(toPlainText(html)).toBe(expected);

describe('tags', () => {
  it.each([
    ['lines of paragraphs', '<p>Linie 46:</p><p><br></p><p>Linie 49</p>', 'Linie 46:\nLinie 49'],
    ['breaks in every spelling', 'a<br>b<br/>c<BR />d</br>e', 'a\nb\nc\nd\ne'],
    ['lists', '<ul><li>U1</li><li>U2</li></ul>', 'U1\nU2'],
    ['cells', '<table><tr><td>U1</td><td>5 min</td></tr></table>', 'U1 5 min'],
    ['inside a word', '<b>U</b>1, <span class="x">D</span>', 'U1, D'],
    ['links, the text of which stays', '<a href="https://example.org/?a=1&amp;b=2">mehr</a>', 'mehr'],
    ['comments, with tags in them', 'a<!-- <p>hidden</p> -->b', 'a b'],
    ['scripts and styles', '<style>p {color: red}</style>a<SCRIPT>if (a < b) x()</SCRIPT >b', 'a b'],
    ['declarations', '<!DOCTYPE html><?xml version="1.0"?>a', 'a'],
    ['line ends, which are white space where there are tags', '<p>one\n  line</p>\r\n<p>two</p>', 'one line\ntwo'],
    ['an unterminated comment', 'a <!-- b', 'a <!-- b'],
  ])('%s', (_what, html, expected) => check(html, expected));
});

describe('text that is not a tag is kept', () => {
  it.each([
    'ÖBB-Ersatzbus für <80',
    'a < b und c > d',
    'x <- y -> z',
    'U1 <3',
    'Linie <',
    'nie zu <b Ende',
    '1 & 2 &; &# &#; &#x; &unbekannt; &auml',
  ])('%s', (text) => check(text, text));
});

describe('entities', () => {
  it.each([
    ['umlauts', 'K&auml;rnten, &Ouml;BB, Stra&szlig;e, &Uuml;ber', 'Kärnten, ÖBB, Straße, Über'],
    ['quotes and dashes', '&bdquo;Wien&ldquo; &ndash; Graz &hellip;', '„Wien“ – Graz …'],
    ['ends of the Latin block', 'a&nbsp;b&iexcl;&yuml;&times;&divide;', 'a b¡ÿ×÷'],
    ['neighbours', '&Zcaron;ilina, Gy&odblac;r, Plze&#328;', 'Žilina, Győr, Plzeň'],
    ['numbers', '&#228;&#xe4;&#XE4;&#x1F68B;&#0000228;', 'äää🚋ä'],
    ['numbers that mean Windows-1252', '&#132;5 &#128;&#147; &#150;', '„5 €“ –'],
    ['numbers without a character', 'a&#0;b&#xD800;c&#1114112;d&#9999999999;e', 'abcde'],
    ['decodes once only', '&amp;lt;b&amp;gt; &amp;amp; &amp;#228;', '&lt;b&gt; &amp; &#228;'],
    ['that look like tags after decoding', '&lt;b&gt;fett&lt;/b&gt;', '<b>fett</b>'],
    ['not a property name of objects', '&constructor; &toString; &__proto__;', '&constructor; &toString; &__proto__;'],
  ])('%s', (_what, html, expected) => check(html, expected));
});

describe('white space and invisible characters', () => {
  it.each([
    ['runs', '  a \t\u00A0 b  ', 'a b'],
    ['line ends of a text without tags', 'Fahrtbehinderung\r\n \n wegen Unfall \n\n', 'Fahrtbehinderung\nwegen Unfall'],
    ['zero width', 'Do\u00ADnau\u200B\u200D\uFEFFinsel\u2060', 'Donauinsel'],
    ['marks of direction', '\u202Eabc\u2066d\u200F', 'abcd'],
    ['control characters', 'a\u0000b\u0007c\u009Fd\u007F', 'abcd'],
    ['half a surrogate pair', 'a\ud800b\udc00c 🚋', 'abc 🚋'],
    ['nothing', ' <p> </p>\n', ''],
  ])('%s', (_what, html, expected) => check(html, expected));
});

it('one line for titles', () => {
  expect(toPlainLine('Feuerwehreinsatz\nBetrieb ab Parlament')).toBe('Feuerwehreinsatz Betrieb ab Parlament');
});

describe('for any text', () => {
  const pieces = fc.constantFrom(
    '<',
    '>',
    '/',
    '!',
    '--',
    'b',
    'br',
    'script',
    '&',
    ';',
    '#',
    'x41',
    'auml',
    ' ',
    '\n',
    '"',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces).map((list) => list.join('')),
  );

  it('does not throw, and leaves neither double spaces nor invisible characters', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const plain = toPlainText(text);
        expect(plain).not.toMatch(/\s\s|^\s|\s$/);
        expect(plain).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
    );
  });

  it('keeps letters, digits and signs other than < and &', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-zÄÖÜäöüß0-9.,:;()>#/+-]*$/), (text) => {
        expect(toPlainText(text)).toBe(text);
      }),
    );
  });
});
