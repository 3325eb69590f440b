import { describe, expect, test } from 'vitest';
import { listIdForms } from '../../../../pipeline/model/stop-id-forms.ts';
import { isSameName, isSimilarName, readPlaceName } from '../../../../pipeline/realtime/matching/place-names.ts';
import { listLabelForms } from '../../../../pipeline/realtime/matching/timetable-index.ts';

describe('names of places', () => {
  test.each<[a: string, b: string, expected: 'same' | 'similar' | 'other']>([
    ['Praterstern', 'Prater Stern', 'same'],
    ['Südtiroler Pl. - Hbf.', 'Suedtiroler Platz Hauptbahnhof', 'same'],
    ['Währinger Straße - Volksoper', 'Währinger Str.-Volksoper', 'same'],
    ['Wien Westbahnhof', 'Westbahnhof', 'similar'],
    ['Karlsplatz U', 'Karlsplatz', 'similar'],
    ['St. Pölten Hbf', 'St. Pölten Hauptbahnhof (Bahnsteige 1-8)', 'similar'],
    ['Mödling Bahnhof', 'Bahnhof', 'other'],
    ['Graz Hauptbahnhof', 'Wien Hauptbahnhof', 'other'],
    ['Wien Mitte', 'Wien Meidling', 'other'],
    ['U', 'Karlsplatz U', 'other'],
    ['', '', 'other'],
    ['–', '', 'other'],
  ])('%s and %s: %s', (a, b, expected) => {
    for (const [one, two] of [
      [a, b],
      [b, a],
    ].map((pair) => pair.map(readPlaceName))) {
      const judged = isSameName(one!, two!) ? 'same' : isSimilarName(one!, two!) ? 'similar' : 'other';
      expect(judged).toBe(expected);
    }
  });
});

describe('labels of lines', () => {
  test.each<[label: string, forms: readonly string[]]>([
    ['U1', ['U1']],
    [' u 1 ', ['U1']],
    ['Bus 13A', ['BUS13A', '13A']],
    ['Straßenbahn D', ['STRASSENBAHND', 'D']],
    ['S 80', ['S80']],
    ['RJX 162', ['RJX162', 'RJX of 162']],
    ['Bus', ['BUS']],
    ['', ['']],
  ])('%s', (label, forms) => {
    const listed = listLabelForms(label).map((form) =>
      form.trainNumber === null ? form.label : `${form.label} of ${form.trainNumber}`,
    );
    expect(listed).toEqual(forms);
  });
});

describe('forms of ids', () => {
  test.each<[space: Parameters<typeof listIdForms>[0], id: string, forms: readonly string[]]>([
    ['gtfs', '007', ['007']],
    ['ifopt', 'at:49:1349', ['at:49:1349', 'at:49:01349']],
    [
      'ifopt',
      'at:49:7:0:2',
      ['at:49:7:0:2', 'at:49:00007:0:2', 'at:49:7:0', 'at:49:00007:0', 'at:49:7', 'at:49:00007'],
    ],
    ['ifopt', 'odd', ['odd']],
    ['diva', '60200007', ['at:49:7', 'at:49:00007', 'at:43:7', 'at:43:00007', '60200007']],
    ['diva', 'abc', ['abc']],
    ['rbl', '4111', ['4111']],
    ['hafas', '8100353', ['8100353']],
    ['hafas', '0490134900', ['at:49:1349', 'at:49:01349', '0490134900', '490134900']],
  ])('%s %s', (space, id, forms) => {
    expect(listIdForms(space, id).map(({ stopId }) => stopId)).toEqual(forms);
  });
});
