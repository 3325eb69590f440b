import { describe, expect, it } from 'vitest';
import { parseStopPoints } from '../../../../pipeline/sources/wiener-linien/parse-stop-points.ts';
import { createWienerLinienSource } from '../../../../pipeline/sources/wiener-linien/wiener-linien-source.ts';

const HEADER = 'StopID;DIVA;StopText;Municipality;MunicipalityID;Longitude;Latitude';

function parse(...rows: readonly string[]) {
  const { stops, problems, recordCount } = parseStopPoints(Buffer.from([HEADER, ...rows, ''].join('\r\n')), 'wl');
  return { stops, problems: problems.map(({ code, place }) => `${place} ${code}`), recordCount };
}

describe('the register of platforms', () => {
  it('has number, station, name and place of each', () => {
    expect(parse('2;60201421;Venediger Au;Wien;49000001;16.3965357;48.2179090')).toEqual({
      stops: [
        {
          place: 'row 2',
          idSpace: 'rbl',
          id: '2',
          name: 'Venediger Au',
          lat: 48.217909,
          lon: 16.3965357,
          parentStation: '60201421',
          platformCode: null,
        },
      ],
      problems: [],
      recordCount: 1,
    });
  });

  const incomplete: readonly [row: string, kept: object, problems: readonly string[]][] = [
    [
      '26;;Praterstern S U;;;0000000000;0000000000',
      { id: '26', name: 'Praterstern S U', parentStation: null, lat: null, lon: null },
      ['row 2 stop_point_without_diva', 'row 2 stop_point_without_place'],
    ],
    [
      '1209;60200897;;Wien;49000001;16.3662714;48.2453510',
      { id: '1209', name: null, parentStation: '60200897' },
      ['row 2 stop_point_without_name'],
    ],
    ['7;60200001;A;Wien;1;16,38;48.2', { lat: null, lon: null }, ['row 2 stop_point_without_place']],
    ['7;60200001;A;Wien;1;;', { lat: null, lon: null }, ['row 2 stop_point_without_place']],
    ['7;1;A;Wien;1;16.38;48.2', { parentStation: null, lat: 48.2 }, ['row 2 stop_point_without_diva']],
    ['"7";"60200001";"A";"Wien";"1";"16.38";"48.2"', { id: '7', name: 'A', lat: 48.2 }, []],
  ];
  it.each(incomplete)('keeps %s, and counts what it lacks', (row, kept, problems) => {
    expect(parse(row)).toMatchObject({ stops: [kept], problems, recordCount: 1 });
  });

  it.each([
    ['2', 'bad_stop_point'],
    [';60201421;Venediger Au;Wien;49000001;16.39;48.21', 'bad_stop_point'],
    ['2;60201421;Venediger; Au;Wien;49000001;16.39;48.21', 'bad_stop_point'],
    ['1;60201421;Venediger Au;Wien;49000001;16.39;48.21', 'duplicate_stop_point'],
  ])('refuses %s as %s', (row, code) => {
    const { stops, problems, recordCount } = parse('1;60200001;A;Wien;1;16.38;48.2', row);
    expect([stops.length, problems, recordCount]).toEqual([1, [`row 3 ${code}`], 2]);
  });

  it.each(['', '<html>maintenance</html>', 'StopID;DIVA'])('is not %j', (text) => {
    expect(() => parseStopPoints(Buffer.from(text), 'wl')).toThrow(/without the columns StopID, DIVA/);
  });

  it('is requested where its address is configured, before the notices', () => {
    const stopPoints = 'https://example.org/haltepunkte.csv';
    const source = createWienerLinienSource({ stations: [60209001], stopPoints });
    const requests = source.listRequests(0 as never);
    expect(requests.map(({ part, url }) => (part === 'stop-points' ? url : part))).toEqual([
      'monitor-1',
      stopPoints,
      'traffic-info',
      'news',
    ]);
    const bytes = Buffer.from(`${HEADER}\n1;60200001;A;Wien;1;16.38;48.2\n`);
    expect(source.parse(bytes, requests[1]!, 0 as never)).toMatchObject({ stops: [{ id: '1' }], recordCount: 1 });
  });
});
