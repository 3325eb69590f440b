import { describe, expect, it } from 'vitest';
import { toPlainText } from '../../../pipeline/model/plain-text.ts';

// Quadratic time on these would take minutes and exceed the time limit of a test.
describe('converts hostile texts in linear time', () => {
  const MANY = 200_000;
  it.each([
    '<',
    '<a',
    '<a ',
    '</',
    '<!--',
    '<script>',
    '<script',
    '</script   ',
    '<style>-->',
    '&',
    '&#',
    '&a',
    '& ',
    ' \n',
  ])('%j repeated', (piece) => {
    expect(toPlainText(piece.repeat(MANY)).length).toBeLessThanOrEqual(piece.length * MANY);
  });

  it.each([
    ['spaces between letters', `a${' '.repeat(MANY)}b`, 'a b'],
    ['one unterminated tag', `a <b ${'x="'.repeat(MANY)}`, `a <b ${'x="'.repeat(MANY)}`],
    ['unterminated comments', `${'<!-- -->'.repeat(MANY)}a`, 'a'],
  ])('%s', (_what, html, expected) => {
    expect(toPlainText(html)).toBe(expected);
  });
});
