import { describe, expect, it } from 'vitest';
import { findTimetables } from '../../../pipeline/config/configured-source.ts';
import { parseRealtime } from '../../../pipeline/config/realtime-config.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';

const timetables = [toSourceId('wien'), toSourceId('graz')];

/** The errors for a list of these entries. */
const refuse = (...entries: readonly unknown[]) => sentencesOf(entries);

const sentencesOf = (list: unknown) => parseRealtime(list, timetables).problems.map(({ sentence }) => sentence);

const feed = { id: 'graz', kind: 'gtfs-rt', tripUpdates: 'https://example.org/tu.pb' };
const trias = { id: 't', kind: 'trias', url: 'https://example.org/trias', requestorRef: 'me', stops: ['at:46:1'] };
const hafas = { id: 'vao', kind: 'hafas', profile: 'vao', stops: [1_290_101], dailyBudget: 5000 };

describe('valid entries', () => {
  it('may be short: the rest comes from the defaults of the publisher', () => {
    const { realtime, problems } = parseRealtime([feed, { id: 'wl', kind: 'wiener-linien' }], timetables);
    expect(problems).toEqual([]);
    expect(realtime).toMatchObject([
      {
        id: 'graz',
        archive: 'full',
        options: {
          tripUpdates: ['https://example.org/tu.pb'],
          vehiclePositions: [],
          zone: 'Europe/Vienna',
          measuredStopEvents: false,
        },
        timetable: null,
        isStandby: false,
        headers: {},
        dailyBudget: null,
        isNationwide: null,
      },
      { id: 'wl', options: { url: null, stations: null, trafficInfo: true, news: true } },
    ]);
  });

  it('may state everything', () => {
    const facts = { intervalSeconds: 20, maxAgeSeconds: 90, timeoutSeconds: 5, dailyBudget: 9000 };
    const credits = { name: 'Graz', attribution: 'Graz AG', licence: 'CC BY 4.0' };
    const more = { ...facts, ...credits, coverage: ['Graz'], headers: { authorization: 'x' }, timetable: 'graz' };
    const alerts = ['http://example.org/a', 'https://example.org/b'];
    const entry = {
      ...feed,
      ...more,
      alerts,
      standby: true,
      nationwide: true,
      measuredStopEvents: true,
      alertsIntervalSeconds: 20,
    };
    const { realtime, problems } = parseRealtime([entry], timetables);
    expect(problems).toEqual([]);
    const isReported = { isStandby: true, isNationwide: true };
    expect(realtime).toMatchObject([
      { ...more, ...isReported, options: { alerts, measuredStopEvents: true, alertsIntervalSeconds: 20 } },
    ]);
  });

  it('accept numbers as ids, and versions as YAML reads them', () => {
    const ojp = { ...trias, id: 'o', kind: 'ojp', version: 2, stops: [8_503_000] };
    const stations = { id: 'wl', kind: 'wiener-linien', stations: [60_201_040, '60200014'] };
    const { realtime, problems } = parseRealtime([trias, ojp, hafas, stations], []);
    expect(problems).toEqual([]);
    expect(realtime).toMatchObject([
      { options: { version: '1.2', stops: ['at:46:1'], situations: true } },
      { options: { version: '2.0', stops: ['8503000'] } },
      {
        archive: 'none',
        dailyBudget: 5000,
        options: { profile: 'vao', endpoint: null, key: null, stops: ['1290101'], dailyBudget: 5000 },
      },
      { options: { stations: [60_201_040, 60_200_014] } },
    ]);
  });

  it('may be absent', () => {
    expect([undefined, null, []].map((list) => parseRealtime(list, []).problems)).toEqual([[], [], []]);
  });
});

describe('rejects by name', () => {
  const cases: readonly [entry: unknown, ...messages: string[]][] = [
    ['text', 'realtime[0] must be {id, kind, …}'],
    [{ id: 'a' }, 'realtime[0].kind must be one of gtfs-rt, wiener-linien, trias, ojp, hafas, gbfs'],
    [{ ...feed, kind: 'siri' }, 'realtime[0].kind must be one of gtfs-rt, wiener-linien, trias, ojp, hafas, gbfs'],
    [{ ...feed, id: 'A B' }, 'realtime[0].id must be 1 to 40 of a-z, 0-9, "_" and "-"'],
    [{ id: 'a', kind: 'gtfs-rt' }, 'realtime[0] must hold at least one of tripUpdates, vehiclePositions, alerts'],
    [{ ...feed, tripUpdates: 'tu.pb' }, 'realtime[0].tripUpdates must be an http or https address, or a list of them'],
    [{ ...feed, tripUpdates: [] }, 'realtime[0].tripUpdates must be an http or https address, or a list of them'],
    [{ ...feed, zone: 'Mars/Base' }, 'realtime[0].zone must be a time zone such as Europe/Vienna'],
    [
      { ...feed, timetable: 'linz' },
      'realtime[0].timetable must be the id of a timetable source; there are wien, graz',
    ],
    [{ ...feed, standby: 'yes' }, 'realtime[0].standby must be true or false'],
    [{ ...feed, intervalSeconds: 0 }, 'realtime[0].intervalSeconds must be a whole number from 1 to 86400'],
    [{ ...feed, timeoutSeconds: '5' }, 'realtime[0].timeoutSeconds must be a whole number from 1 to 300'],
    [{ ...feed, headers: { key: 1 } }, 'realtime[0].headers must be header names with their texts'],
    [{ ...feed, coverage: 'Graz' }, 'realtime[0].coverage must be a list of texts'],
    [{ id: 'wl', kind: 'wiener-linien', stations: [1] }, 'realtime[0].stations must be a list of DIVA numbers'],
    [{ ...trias, url: undefined }, 'realtime[0].url must be an http or https address'],
    [{ ...trias, version: '2.0' }, 'realtime[0].version must be 1.1 or 1.2'],
    [{ ...trias, stops: 'at:46:1' }, 'realtime[0].stops must be a list of stop numbers or ids'],
    [{ ...hafas, profile: [] }, 'realtime[0].profile must be the name of a profile, or one of your own'],
    [{ ...hafas, dailyBudget: undefined }, 'realtime[0].dailyBudget must be a whole number from 1 to 100000000'],
    [
      { id: 'vao', kind: 'hafas' },
      'realtime[0].dailyBudget must be a whole number from 1 to 100000000',
      'realtime[0].profile must be the name of a profile, or one of your own',
      'realtime[0].stops must be a list of stop numbers or ids',
    ],
  ];
  it.each(cases)('%j', (entry, ...messages) => {
    expect(refuse(entry)).toEqual(messages);
  });

  it('an unknown key, including one of another kind', () => {
    expect(refuse({ ...feed, stops: ['1'] })[0]).toMatch(
      /^unknown key "realtime\[0\]\.stops"; allowed are id, kind, timetable, .*, tripUpdates, /,
    );
  });

  it('an id that is taken, and a value that is not a list', () => {
    expect(refuse(feed, feed)).toEqual(['realtime[1].id "graz" is taken by another realtime source']);
    expect(sentencesOf({})).toEqual(['realtime must be a list of {id, kind, …}']);
  });

  it('without revealing a secret', () => {
    const secrets = { headers: { authorization: ['hunter2'] }, key: 42, endpoint: 'hunter2', requestorRef: 'hunter2' };
    const errors = refuse({ ...hafas, ...secrets }, { ...trias, url: 'hunter2', requestorRef: ['hunter2'] });
    expect(errors).toHaveLength(6);
    expect(errors.join()).not.toContain('hunter2');
  });
});

describe('the timetables whose ids a source uses', () => {
  const cases: readonly [id: string, timetable: string | null, found: string[]][] = [
    ['graz', null, ['graz']],
    ['graz_rt', null, ['wien', 'graz']],
    ['graz_rt', 'graz', ['graz']],
    ['graz', 'wien', ['wien']],
    ['graz', 'linz', []],
  ];
  it.each(cases)('%s with timetable %s: %j', (id, timetable, found) => {
    const named = timetable === null ? null : toSourceId(timetable);
    expect(findTimetables({ id: toSourceId(id), timetable: named }, timetables)).toEqual(found);
  });
});
