import { describe, expect, it } from 'vitest';
import { namePoint } from '../../../api/engine/places/nearest-place.ts';
import { presentPlace } from '../../../api/engine/places/present-place.ts';
import { searchPlaces } from '../../../api/engine/places/search-places.ts';
import { house, type MapNode, makePlaceIndex } from '../../support/worlds/made-up-places.ts';

const map: readonly MapNode[] = [
  { lat: 48.2, lon: 16.35, tags: { place: 'city', name: 'Wien', 'name:en': 'Vienna' } },
  { lat: 47.07, lon: 15.43, tags: { place: 'city', name: 'Graz', 'name:sl': 'Gradec' } },
  { lat: 48.186, lon: 16.312, tags: { historic: 'castle', name: 'Schloss Schönbrunn', wikidata: 'Q1' } },
  house('Mariahilfer Straße', '12', 'Wien', '1070', 48.2015, 16.36),
  house('Mariahilfer Straße', '12', 'Wien', '1150', 48.193, 16.33),
  house('Mariahilfer Straße', '12-16', 'Graz', '8020', 47.073, 15.428),
  house('Mariahilfer Straße', '14a', 'Wien', '1070', 48.2013, 16.3595),
  house('Dr.-Karl-Lueger-Platz', '3', 'Wien', '1010', 48.2075, 16.379),
  house('Überfuhrgasse', '7', 'Graz', '8020', 47.08, 15.42),
  house('Hauptstraße', '1', 'Kleinort', '3001', 48.3, 15.9),
  house('Hauptstraße', '1', 'Grossort', '3002', 47.9, 15.8),
  { lat: 47.767, lon: 15.806, tags: { natural: 'peak', name: 'Hochschneeberg' } },
  { lat: 48.21, lon: 16.37, tags: { amenity: 'cafe', name: 'Café Zentral' } },
];
const index = makePlaceIndex(map);

function names(query: string, options: { kinds?: readonly ('poi' | 'address')[]; bias?: [number, number] } = {}) {
  const { kinds = ['poi', 'address'], bias } = options;
  const near = bias ? { bias: { lat: bias[0], lon: bias[1] } } : {};
  return searchPlaces(index, { query, limit: 5, kinds, ...near }).map((row) => presentPlace(index, row).name);
}

describe('the search of places', () => {
  it.each([
    ['Mariahilfer Straße 12, 1070 Wien', 'Mariahilfer Straße 12, 1070 Wien'],
    ['1150 Wien Mariahilfer Straße 12', 'Mariahilfer Straße 12, 1150 Wien'],
    ['Wien Mariahilferstr. 14a', 'Mariahilfer Straße 14a, 1070 Wien'],
    ['Vienna mariahilfer strasse 14a', 'Mariahilfer Straße 14a, 1070 Wien'],
    ['mariahlfer straße 14a', 'Mariahilfer Straße 14a, 1070 Wien'],
    ['Mariahilfer Straße 14a/3/5', 'Mariahilfer Straße 14a, 1070 Wien'],
    ['Graz Mariahilfer Straße 14', 'Mariahilfer Straße 12-16, 8020 Graz'],
    ['Dr Karl Lueger Pl. 3', 'Dr.-Karl-Lueger-Platz 3, 1010 Wien'],
    ['dr karl lu', 'Dr.-Karl-Lueger-Platz, Wien'],
    ['uberfuhrg 7', 'Überfuhrgasse 7, 8020 Graz'],
    ['ueberfuhr', 'Überfuhrgasse, Graz'],
    ['Gradec Überfuhrgasse', 'Überfuhrgasse, Graz'],
    ['schönbr', 'Schloss Schönbrunn, Wien'],
    ['schloss schonbrun', 'Schloss Schönbrunn, Wien'],
    ['hochschneeberg', 'Hochschneeberg'],
    ['cafe zen', 'Café Zentral, Wien'],
  ])('answers %j', (query, first) => {
    expect(names(query)[0]).toBe(first);
  });

  it('prefers what is near the traveller', () => {
    expect(names('Hauptstraße 1', { bias: [48.3, 15.9] })[0]).toBe('Hauptstraße 1, 3001 Kleinort');
    expect(names('Hauptstraße 1', { bias: [47.9, 15.8] })[0]).toBe('Hauptstraße 1, 3002 Grossort');
  });

  it('answers from the second letter on', () => {
    expect(names('c')).toEqual([]);
    expect(names('ca')).toEqual(['Café Zentral, Wien']);
  });

  it('answers the street where its number is not known', () => {
    expect(names('Überfuhrgasse 999')).toEqual(['Überfuhrgasse, Graz']);
  });

  it('answers only the kinds that are asked for', () => {
    expect(names('Wien', { kinds: ['address'] }).every((name) => name !== 'Wien')).toBe(true);
    expect(names('Mariahilfer Straße 12', { kinds: ['poi'] })).toEqual([]);
  });

  it('is the same for a map in another order', () => {
    const other = makePlaceIndex([...map].reverse());
    const all = ['Mariahilfer Straße 12', 'Hauptstraße', 'schönbrunn', 'wien'].map((query) =>
      [index, other].map((one) =>
        searchPlaces(one, { query, limit: 5, kinds: ['poi', 'address'] }).map((row) => presentPlace(one, row).name),
      ),
    );
    for (const [found, again] of all) expect(again).toEqual(found);
  });
});

describe('a point on the map', () => {
  it.each([
    [48.2015, 16.36, 'Mariahilfer Straße 12'],
    [48.2019, 16.36, 'Mariahilfer Straße 12'],
    [47.7671, 15.8061, 'Hochschneeberg'],
    [47.775, 15.806, 'nahe Hochschneeberg'],
    [48.21, 16.3701, 'Café Zentral'],
  ])('at %f, %f is %s', (lat, lon, name) => {
    expect(namePoint(index, lat, lon)).toBe(name);
  });

  it('far from everything has no name', () => {
    expect(namePoint(index, 46, 10)).toBeNull();
  });
});
