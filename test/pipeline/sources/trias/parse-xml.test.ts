import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnreadableAnswer } from '../../../../pipeline/model/problem.ts';
import {
  decodeReferences,
  defaultXmlLimits,
  element,
  escapeXml,
  findElement,
  isTrueAt,
  parseXml,
  parseXmlText,
  pickText,
  textAt,
  textElement,
  xmlDocument,
} from '../../../../pipeline/sources/trias/xml.ts';

/** The code of the rejection, or null if the text is read. */
function refusalOf(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.code;
    throw error;
  }
}

const billionLaughs = `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><r>&b;</r>`;
const fileEntity = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><r>&f;</r>';

describe('rejects', () => {
  test.each([
    ['nothing', '', 'empty'],
    ['blanks', ' \n ', 'empty'],
    ['JSON', '{"a": 1}', 'not_xml'],
    ['text', 'Service Unavailable', 'not_xml'],
    ['an HTML page', '<html><body>503</body></html>', 'html'],
    ['an HTML page with its type', '<!doctype html><title>x</title>', 'html'],
    ['a billion laughs', billionLaughs, 'forbidden_doctype'],
    ['an entity from a file', fileEntity, 'forbidden_doctype'],
    ['an external DTD', '<!DOCTYPE r SYSTEM "http://evil.example/x.dtd"><r/>', 'forbidden_doctype'],
    ['a type in small letters', '<!doctype r><r/>', 'forbidden_doctype'],
    ['a type behind the root', '<r/><!DOCTYPE r>', 'forbidden_doctype'],
    ['an entity in the middle', '<r><!ENTITY a "b"></r>', 'forbidden_doctype'],
    ['a missing end', '<r><a>1</a>', 'truncated'],
    ['only the declaration', '<?xml version="1.0"?>', 'truncated'],
    ['an open comment', '<r><!-- ', 'truncated'],
    ['an open CDATA section', '<r><![CDATA[ ', 'truncated'],
    ['crossed tags', '<r><a><b></a></b></r>', 'malformed_xml'],
    ['a bare ampersand', '<r>a & b</r>', 'malformed_xml'],
    ['an attribute twice', '<r a="1" a="2"></r>', 'malformed_xml'],
    ['two roots', '<r></r><r></r>', 'malformed_xml'],
    ['an endless depth', `${'<a>'.repeat(500)}${'</a>'.repeat(500)}`, 'malformed_xml'],
  ])('%s', (_, text, code) => {
    expect(refusalOf(() => parseXmlText(text))).toBe(code);
  });

  test('documents with too many bytes or tags', () => {
    const bytes = new TextEncoder().encode('<r><a/><a/></r>');
    expect(refusalOf(() => parseXml(bytes, { ...defaultXmlLimits, maxBytes: 10 }))).toBe('too_large');
    expect(refusalOf(() => parseXml(bytes, { ...defaultXmlLimits, maxTags: 3 }))).toBe('too_large');
    expect(refusalOf(() => parseXml(bytes))).toBeNull();
  });

  test.each([
    ['Latin-1', [0x3c, 0x72, 0x3e, 0xe4, 0x3c, 0x2f, 0x72, 0x3e], 'not_utf8'],
    ['UTF-16', [0xff, 0xfe, 0x3c, 0x00, 0x72, 0x00], 'not_utf8'],
  ])('bytes in %s', (_, bytes, code) => {
    expect(refusalOf(() => parseXml(Uint8Array.from(bytes)))).toBe(code);
  });
});

describe('reads', () => {
  test('names without prefixes, and the attributes lang and version', () => {
    const root = parseXmlText('<t:A xmlns:t="x" version="1.2" t:other="y"><s:B xml:lang="de">c</s:B></t:A>');
    expect(root).toMatchObject({ name: 'A', attributes: new Map([['version', '1.2']]) });
    expect(root.children).toEqual([{ name: 'B', attributes: new Map([['lang', 'de']]), children: [], text: 'c' }]);
  });

  test.each([
    ['no number is guessed', '<r><a>007</a></r>', '007'],
    ['spaces around values are dropped', '<r><a>\n x y </a></r>', 'x y'],
    ['references are resolved once', '<r><a>&lt;p&gt; &amp;lt; &#228;&#xE4;</a></r>', '<p> &lt; ää'],
    ['CDATA is kept', '<r><a>1 &lt; <![CDATA[<b> &amp; ]]>2</a></r>', '1 < <b> &amp; 2'],
    ['comments are dropped', '<r><a>x<!-- <a>y</a> -->z</a></r>', 'xz'],
    ['unknown entities are kept', '<r><a>&nbsp;&constructor;</a></r>', '&nbsp;&constructor;'],
    ['an empty element is null', '<r><a/></r>', null],
    ['so is a missing one', '<r/>', null],
  ])('text: %s', (_, xml, text) => {
    expect(textAt(parseXmlText(xml), 'a')).toBe(text);
  });

  test.each([
    ['true', true],
    [' 1 ', true],
    ['false', false],
    ['TRUE', false],
    ['', false],
  ])('the boolean "%s"', (text, value) => {
    expect(isTrueAt(parseXmlText(`<r><a>${text}</a></r>`), 'a')).toBe(value);
  });

  test.each([
    ['German by attribute', '<n><Text xml:lang="en">a</Text></n><n><Text xml:lang="de-AT">b</Text></n>', 'b'],
    [
      'German by element',
      '<n><Text>a</Text><Language>en</Language></n><n><Text>b</Text><Language>de</Language></n>',
      'b',
    ],
    ['the first of other languages', '<n xml:lang="fr">a</n><n xml:lang="it">b</n>', 'a'],
    ['not the empty one', '<n xml:lang="de"> </n><n xml:lang="it">b</n>', 'b'],
    ['none', '', null],
  ])('text in several languages: %s', (_, names, text) => {
    expect(pickText(parseXmlText(`<r>${names}</r>`).children)).toBe(text);
  });

  test.each(['__proto__', 'constructor', 'toString'])('an element named %s', (name) => {
    // Parsing may reject the name, but must not pass it on as a key of an object.
    refusalOf(() => parseXmlText(`<r><${name}>x</${name}></r>`));
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(Object.prototype.toString.call({})).toBe('[object Object]');
  });
});

test.each([
  ['&amp;&lt;&gt;&quot;&apos;', `&<>"'`],
  ['&amp;amp;', '&amp;'],
  ['&#0;&#8;&#55296;&#x110000;&#9999999999;', '\ufffd\ufffd\ufffd\ufffd\ufffd'],
  ['&#128652;&#x1F68C;', '🚌🚌'],
  ['&#xD;&#10;&#9;', '\r\n\t'],
  ['&AMP; & &; &#; &#x; &hellip', '&AMP; & &; &#; &#x; &hellip'],
])('%s is decoded', (text, decoded) => {
  expect(decodeReferences(text)).toBe(decoded);
});

describe('writing', () => {
  test('round-trips through the parser', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const written = xmlDocument(element('r', [textElement('a', text)], { version: text }));
        const root = parseXmlText(written);
        expect(findElement(root, 'a')?.text).toBe(text);
      }),
    );
  });

  test('gives a valid document for any text', () => {
    // Including lone surrogates and control characters.
    const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(anyText, (text) => {
        const written = xmlDocument(element('r', [textElement('a', text)], { version: text }));
        expect(refusalOf(() => parseXmlText(written))).toBeNull();
      }),
    );
  });

  test.each([
    [`<a b="c" d='e'>&`, '&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;'],
    ['a\u0000b\ud800c', 'a\ufffdb\ufffdc'],
    ['zwei\nZeilen\r', 'zwei\nZeilen&#13;'],
  ])('escapes %j', (text, escaped) => {
    expect(escapeXml(text)).toBe(escaped);
  });
});
