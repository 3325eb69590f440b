import { describe, expect, it } from 'vitest';
import { createGbfsSource } from '../../../../pipeline/sources/gbfs/gbfs-source.ts';
import { FETCHED_AT, parsePart, version2, version3 } from './gbfs-answers.ts';

// Rebuilt small from the examples of the specification, versions 2.3 and 3.0.

const feeds2 = {
  en: {
    feeds: [
      { name: 'system_information', url: 'https://example.com/gbfs/1/en/system_information' },
      { name: 'free_bike_status', url: 'https://example.com/gbfs/1/en/free_bike_status' },
    ],
  },
  de: {
    feeds: [
      { name: 'system_information', url: 'https://example.com/gbfs/1/de/system_information' },
      { name: 'station_information', url: 'https://example.com/gbfs/1/de/station_information' },
      { name: 'system_alerts', url: 'https://example.com/gbfs/1/de/system_alerts' },
    ],
  },
};
const feeds3 = {
  feeds: [
    { name: 'system_information', url: 'https://example.com/gbfs/1/system_information' },
    { name: 'vehicle_status', url: 'https://example.com/gbfs/1/vehicle_status' },
  ],
};

describe('the auto-discovery file', () => {
  it('lists the files of the preferred language in version 2', async () => {
    const { listedFiles, codes } = await parsePart('discovery', version2(feeds2));
    expect(listedFiles).toEqual([
      { part: 'system-information', url: 'https://example.com/gbfs/1/de/system_information' },
      { part: 'station-information', url: 'https://example.com/gbfs/1/de/station_information' },
    ]);
    expect(codes).toEqual([]);
  });

  it('lists those of the first language without the preferred one', async () => {
    const { listedFiles } = await parsePart('discovery', version2(feeds2), { language: 'fr' });
    expect(listedFiles!.map(({ url }) => url.split('/').at(-2))).toEqual(['en', 'en']);
  });

  it('lists the files of version 3', async () => {
    const { listedFiles } = await parsePart('discovery', version3(feeds3));
    expect(listedFiles!.map(({ part }) => part)).toEqual(['system-information', 'vehicle-status']);
  });

  it('refuses files of hosts that the configuration does not name, and those that leave https', async () => {
    const feeds = [
      { name: 'system_information', url: 'https://example.com/system' },
      { name: 'station_information', url: 'https://elsewhere.example/stations' },
      { name: 'station_status', url: 'http://example.com/status' },
      { name: 'vehicle_types', url: 'file:///etc/passwd' },
    ];
    const refused = await parsePart('discovery', version3({ feeds }));
    expect(refused.listedFiles!.map(({ part }) => part)).toEqual(['system-information']);
    expect(refused.codes).toEqual([
      'discovery station_information: file_on_other_host',
      'discovery station_status: file_on_other_host',
      'discovery vehicle_types: bad_file_address',
    ]);
    const allowed = await parsePart('discovery', version3({ feeds }), { fileHosts: ['elsewhere.example'] });
    expect(allowed.listedFiles!.map(({ part }) => part)).toEqual(['system-information', 'station-information']);
  });

  it.each([
    ['no_files', version3({ feeds: [] })],
    ['no_files', version2({})],
    ['foreign_format', { feeds: [] }],
    ['unsupported_version', { ...version3(feeds3), version: '4.0' }],
    ['truncated', '{"last_updated": 1'],
    ['not_json', '<html>Not found</html>'],
  ])('is refused as %s', async (code, answer) => {
    await expect(parsePart('discovery', answer)).rejects.toMatchObject({ code });
  });
});

describe('requests', () => {
  const source = createGbfsSource({ id: 'a', url: 'https://a.example/gbfs', fileHosts: [], language: 'de', facts: {} });

  it('begin with auto-discovery', () => {
    expect(source.listRequests(FETCHED_AT)).toMatchObject([{ part: 'discovery', url: 'https://a.example/gbfs' }]);
  });

  it('request stock every minute, and the other files every six hours', () => {
    const seconds = (part: string) => source.toFileRequest!({ part, url: 'https://a.example/x' }).intervalSeconds;
    expect(['station-status', 'vehicle-status', 'station-information'].map(seconds)).toEqual([60, 60, 21_600]);
  });
});

describe('the envelope', () => {
  it('reads the time of publication in both versions', async () => {
    for (const answer of [version2({ stations: [] }), version3({ stations: [] })]) {
      expect(await parsePart('station-status', answer)).toMatchObject({ publishedAt: FETCHED_AT, isFrozen: false });
    }
  });

  it('marks old stock as frozen, but not an old list of stations', async () => {
    const old = { ...version2({ stations: [] }), last_updated: FETCHED_AT - 601 };
    expect(await parsePart('station-status', old)).toMatchObject({ isFrozen: true });
    expect(await parsePart('station-information', old)).toMatchObject({ isFrozen: false });
  });

  it('is valid for its ttl, stock for five minutes at most', async () => {
    const promised = { ...version2({ stations: [] }), ttl: 86_400 };
    expect(await parsePart('station-status', promised)).toMatchObject({ validSeconds: 300 });
    expect(await parsePart('station-information', promised)).toMatchObject({ validSeconds: 86_400 });
  });
});

describe('the system', () => {
  it.each([
    ['of version 2', version2({ name: 'Radl', url: 'https://example.com' }), 'Radl'],
    [
      'of version 3, in the preferred language',
      version3({
        name: [
          { text: 'Bikes', language: 'en' },
          { text: 'Räder', language: 'de-AT' },
        ],
      }),
      'Räder',
    ],
    ['of version 3, in its only language', version3({ name: [{ text: 'Bikes', language: 'en' }] }), 'Bikes'],
  ])('has a name, %s', async (_, answer, name) => {
    expect(await parsePart('system-information', answer)).toMatchObject({ sharing: { kind: 'system', name } });
  });

  it('has types, of which only bicycles are used', async () => {
    const vehicle_types = [
      { vehicle_type_id: 'abc123', form_factor: 'bicycle', propulsion_type: 'human', return_constraint: 'any_station' },
      { vehicle_type_id: 'cargo', form_factor: 'cargo_bicycle', return_constraint: 'roundtrip_station' },
      { vehicle_type_id: 'def456', form_factor: 'scooter_standing', return_constraint: 'free_floating' },
      { vehicle_type_id: 'abc123', form_factor: 'car' },
      { form_factor: 'bicycle' },
    ];
    const { sharing, codes } = await parsePart('vehicle-types', version2({ vehicle_types }));
    expect(sharing).toEqual({
      kind: 'vehicleTypes',
      types: [
        { id: 'abc123', isBike: true, returns: 'stations' },
        { id: 'cargo', isBike: true, returns: 'sameStation' },
        { id: 'def456', isBike: false, returns: 'anywhere' },
      ],
    });
    expect(codes).toEqual(['vehicle-types 3: duplicate_vehicle_type', 'vehicle-types 4: bad_vehicle_type']);
  });
});
