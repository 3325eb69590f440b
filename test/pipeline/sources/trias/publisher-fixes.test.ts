import { describe, expect, test } from 'vitest';
import {
  fromLinkingAlpsRef,
  withoutEfaSettings,
  withoutPlaceholder,
} from '../../../../pipeline/sources/trias/trias-source.ts';

/** As VAO writes it: base64 of UTF-8, padded with `-`. */
function toRef(location: string): string {
  const bytes = new TextEncoder().encode(location);
  return btoa(String.fromCharCode(...bytes)).replaceAll('=', '-');
}

describe('linking-alps-stop-reference', () => {
  const location = 'S|A=1@O=Ötztal@X=10859275@Y=47238287@U=81@L=470120400@i=A×at:47:1204:0:1@|Ötztal|10.85|47.23|true';
  test.each([
    ['a location', toRef(location), 'at:47:1204:0:1'],
    ['a location one letter longer', toRef(location.replace('|true', '|false')), 'at:47:1204:0:1'],
    ['an id', 'at:47:1204', 'at:47:1204'],
    ['a number', '8503000', '8503000'],
    ['a location without the id', toRef(location.replace('i=A×', 'j=')), toRef(location.replace('i=A×', 'j='))],
    ['invalid base64', 'U3xBPTFA%%%', 'U3xBPTFA%%%'],
    ['base64 that is cut off', 'U3xBPTFAa', 'U3xBPTFAa'],
  ])('%s', (_, ref, id) => {
    expect(fromLinkingAlpsRef(ref)).toBe(id);
  });
});

test.each([
  ['n/a', null],
  ['xxx', null],
  ['Wien', 'Wien'],
])('placeholders: %s', (text, value) => {
  expect(withoutPlaceholder(text)).toBe(value);
});

test.each([
  ['<p>A</p> inEFA="false";MeldungTyp="Information"', '<p>A</p>'],
  ['A inEFA="true"', 'A'],
  ['inEFA="true" and more', 'inEFA="true" and more'],
  ['A', 'A'],
])('efa-settings: %s', (text, expected) => {
  expect(withoutEfaSettings(text)).toBe(expected);
});
