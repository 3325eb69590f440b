import { expect, test } from 'vitest';
import { chooseMediaType } from '../../../api/plugins/accepted-media-type.ts';

const offered = ['application/json', 'application/x-table', 'text/csv'];

test.each<[string | undefined, string]>([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV; charset=utf-8', 'text/csv'],
  ['text/*', 'text/csv'],
  ['application/*', 'application/json'],
  ['application/x-table', 'application/x-table'],
  // An explicit type beats a wildcard, and quality beats both.
  ['*/*, text/csv', 'text/csv'],
  ['application/*, application/x-table', 'application/x-table'],
  ['text/csv;q=0.4, */*;q=0.5', 'application/json'],
  ['text/csv;q=0.5, application/x-table;q=0.9', 'application/x-table'],
  ['application/json;q=0, */*', 'application/x-table'],
  ['application/json;q=0, application/x-table;q=0, text/*', 'text/csv'],
  // Unacceptable types fall back to the first.
  ['image/png', 'application/json'],
  ['text/csv;q=0', 'application/json'],
  ['text/csv;q=2', 'application/json'],
  ['text/csv;q=x', 'application/json'],
  [', ;q=1,,/', 'application/json'],
])('%s', (accept, expected) => {
  expect(chooseMediaType(accept, offered)).toBe(expected);
});

test('returns the only type to every client', () => {
  expect(chooseMediaType('text/csv', ['application/json'])).toBe('application/json');
});
