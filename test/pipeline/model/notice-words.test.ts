import { describe, expect, it } from 'vitest';
import { findKindByWords, isSpecialService } from '../../../pipeline/model/notice-words.ts';

describe('the kind of a notice is derived from its text', () => {
  it.each([
    ['S1: Ersatzverkehr', '', 'replacementService'],
    ['Rail replacement bus', '', 'replacementService'],
    ['46: Gleisbauarbeiten', '', 'construction'],
    ['U6: Sanierung', '', 'construction'],
    ['U2: Betrieb eingestellt', '', 'cancellation'],
    ['Zugausfall', '', 'cancellation'],
    ['2: Rettungseinsatz', '', 'emergency'],
    ['Störung', 'Wegen eines Polizeieinsatzes kommt es zu Verspätungen.', 'emergency'],
    ['Service alert', 'Trains are held by police activity.', 'emergency'],
    ['Notfall in der Station', '', 'emergency'],
    ['Lift', 'Drücken Sie im Notfall den Knopf.', null],
    ['Autoschleuse: Ladezeiten', '', 'loadingTime'],
    ['Störung behoben', 'Der Polizeieinsatz ist zu Ende.', 'allClear'],
    ['Service resumed after police activity', '', 'allClear'],
    ['Fahrplanwechsel am 13. Dezember', '', 'announcement'],
    ['16A: Verkehrsüberlastung', 'Es kommt zu Verspätungen.', null],
    ['', '', null],
  ])('of "%s", "%s" is %s', (title, text, kind) => {
    expect(findKindByWords(title, text)).toBe(kind);
  });
});

it.each([
  ['Sonderzug Mariazell', true],
  ['SONDERFAHRT', true],
  ['Special train', true],
  ['Sonderburg', false],
  ['Besondere Zugfahrt', false],
  [null, false],
])('%s is a special service: %s', (text, isSpecial) => {
  expect(isSpecialService(text)).toBe(isSpecial);
});
