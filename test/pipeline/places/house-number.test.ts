import { describe, expect, it } from 'vitest';
import { coversHouseNumber, listHouseNumberForms, readAddressQuery } from '../../../pipeline/model/house-number.ts';
import { readPlaceId, toPlaceRef, writePlaceId } from '../../../pipeline/model/place-id.ts';

const isPostcode = (digits: string) => ['1060', '6080', '9490'].includes(digits);

describe('an address as typed', () => {
  it.each([
    ['Mariahilfer Straße 12', 'Mariahilfer Straße', '12', null],
    ['mariahilfer str. 12a', 'mariahilfer str.', '12a', null],
    ['1060 Wien, Mariahilfer Straße 12/3/5', '1060 Wien, Mariahilfer Straße', '12/3/5', '1060'],
    ['Mariahilfer Straße 12, 1060 Wien', 'Mariahilfer Straße, 1060 Wien', '12', '1060'],
    ['12 Mariahilfer Straße', 'Mariahilfer Straße', '12', null],
    ['10. Oktober Straße 3', '10. Oktober Straße', '3', null],
    ['10.-Oktober-Straße', '10.-Oktober-Straße', null, null],
    ['Straße des 17. Juni', 'Straße des 17. Juni', null, null],
    ['Hauptstraße 5 Top 12', 'Hauptstraße', '5', null],
    ['Hauptstraße 5, Stiege 2, Tür 7', 'Hauptstraße', '5', null],
    ['Hauptstraße 12 - 14', 'Hauptstraße', '12 - 14', null],
    ['1060', '1060', null, '1060'],
    ['12', '12', null, null],
    ['Wien Hbf', 'Wien Hbf', null, null],
    ['Hauptstraße 1234', 'Hauptstraße', '1234', null],
  ])('%j is divided', (query, text, number, postcode) => {
    const read = readAddressQuery(query, isPostcode);
    expect({ ...read, text: read.text.replace(/\s*,/g, ',') }).toEqual({ text, number, postcode });
  });

  it('has forms of a number from exact to coarse', () => {
    expect(listHouseNumberForms('12 A/3/5')).toEqual(['12a/3/5', '12a/3', '12a', '12']);
    expect(listHouseNumberForms('7')).toEqual(['7']);
  });

  it.each([
    ['12-16', 14, true],
    ['12-16', 13, false],
    ['12–16', 16, true],
    ['12-16', 18, false],
    ['12', 12, false],
  ])('%j covers %i: %s', (published, wanted, isCovered) => {
    expect(coversHouseNumber(published, wanted)).toBe(isCovered);
  });
});

describe('the id of a place', () => {
  it.each(['place:n240092010', 'place:w1', 'place:ra17', 'place:at5000090', 'place:s123456789012345'])(
    '%s round-trips',
    (id) => {
      expect(writePlaceId(readPlaceId(id)!)).toBe(id);
    },
  );

  it.each(['place:x1', 'place:n01', 'place:n', 'n1', 'place:n1 ', 'place:n99999999999999999'])('refuses %j', (id) => {
    expect(readPlaceId(id)).toBeNull();
  });

  it('is another number for the address of an object', () => {
    expect(toPlaceRef('n', 5)).not.toBe(toPlaceRef('na', 5));
  });
});
