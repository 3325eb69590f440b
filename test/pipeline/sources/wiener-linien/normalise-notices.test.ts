import { describe, expect, it } from 'vitest';
import { findNoticeKind } from '../../../../pipeline/sources/wiener-linien/normalise-notices.ts';
import { at, listProblems, readNotices } from './read-fixture.ts';

describe('traffic information', () => {
  it('is converted to an alert with plain text', async () => {
    const { alerts, problems, recordCount } = await readNotices('traffic-info-good', 'trafficInfos');
    expect({ problems, recordCount }).toEqual({ problems: [], recordCount: 5 });
    expect(alerts[0]).toEqual({
      place: 'trafficInfos[0]',
      id: 'I20260504-0001',
      kind: 'construction',
      category: 'stoerunglang',
      priority: 20,
      title: '5, 9A: Gleisbauarbeiten',
      text: 'Linie 5: Kein Betrieb zwischen Börse und Ring.\nMehr hier.\nOrt: Ringstraße / Börse',
      operatorName: 'Wiener Linien',
      isAccess: false,
      activeWindows: [{ from: at('04:30:00', '2026-05-02'), to: at('02:00:00', '2026-11-07') }],
      lines: ['5', '9A'].map((label) => ({
        label,
        routeId: null,
        agencyId: null,
        operatorName: 'Wiener Linien',
        region: 'Wien',
      })),
      stops: [],
      trips: [],
      entities: [{ lines: [0, 1], stops: [], trips: [], directionId: null }],
      links: [{ title: 'hier', url: 'https://example.org/a?b=1&c=2' }],
      pin: null,
    });
  });

  it('has facts of its category', async () => {
    const { alerts } = await readNotices('traffic-info-good', 'trafficInfos');
    const rows = alerts
      .slice(1)
      .map(({ id, kind, priority, isAccess, title, text, stops }) => [
        id,
        kind,
        priority,
        isAccess,
        title,
        text,
        stops.map((stop) => `${stop.idSpace} ${stop.id} ${stop.name}`),
      ]);
    expect(rows).toEqual([
      [
        'I20260504-0002',
        'allClear',
        90,
        false,
        '5: Verkehrsunfall',
        'Linie 5: Der Betrieb wurde aufgenommen.',
        ['rbl 9101 null'],
      ],
      ['R9101-509', 'replacementService', 30, false, 'Ersatzbus für <80', 'Ersatzbus für <80', ['rbl 9101 null']],
      [
        'eD_901',
        'information',
        50,
        true,
        'Aufzug Musterplatz: außer Betrieb',
        'U1 Bahnsteig - Ausgang Ring\nU1 beide Richtungen\nGrund: AUFZUGSERNEUERUNG',
        ['rbl 9001 Musterplatz', 'rbl 9002 Musterplatz'],
      ],
      [
        'fD_902',
        'information',
        55,
        true,
        'Fahrtreppe Musterplatz: außer Betrieb',
        'Ort: Aufgang Ring',
        ['rbl null Musterplatz'],
      ],
    ]);
  });

  it('keeps an open end', async () => {
    const { alerts } = await readNotices('traffic-info-good', 'trafficInfos');
    expect(alerts.slice(2).map(({ activeWindows }) => activeWindows)).toEqual([
      [{ from: at('00:00:18'), to: null }],
      [{ from: at('01:15:00', '2026-04-28'), to: null }],
      [],
    ]);
  });

  it('drops only invalid notices, with a problem', async () => {
    const update = await readNotices('traffic-info-odd', 'trafficInfos');
    expect(listProblems(update)).toEqual([
      'notice_without_id trafficInfos[0]',
      'notice_without_id trafficInfos[1]',
      'unknown_category trafficInfos[2]',
      'bad_time trafficInfos[2]',
      'notice_without_text trafficInfos[3]',
      'unknown_category trafficInfos[4]',
      'window_ends_before_it_begins trafficInfos[4]',
    ]);
    expect(update.alerts).toMatchObject([
      {
        id: 'X1',
        category: null,
        priority: 60,
        lines: [],
        stops: [{ id: '9001' }],
        activeWindows: [{ from: null, to: at('09:00:00') }],
      },
      { id: 'X3', title: 'Nur Text', text: 'Nur Text', operatorName: 'Nachbar AG', activeWindows: [] },
    ]);
    expect(update.alerts[0]!.stops).toHaveLength(1);
  });
});

describe('news', () => {
  it('cover works and lifts', async () => {
    const { alerts, problems } = await readNotices('news-good', 'pois');
    expect(problems).toEqual([]);
    expect(alerts).toMatchObject([
      {
        place: 'pois[0]',
        id: 'N20260504-1',
        kind: 'construction',
        category: 'aktuelles',
        priority: 70,
        title: '9A: Bauarbeiten ab 20.05.2026',
        text: 'Umleitung\nHaltestelle Ring entfällt\nHaltestelle Börse bleibt',
        isAccess: false,
        stops: [],
        activeWindows: [{ from: at('04:00:00', '2026-05-20') }],
      },
      {
        id: 'ftazW_9',
        kind: 'information',
        category: 'aufzugsservice',
        priority: 75,
        title: 'Aufzug Musterplatz: geplante Wartung',
        text: 'beide Richtungen - Ausgang Ring\nU1 beide Richtungen',
        isAccess: true,
        stops: [{ id: '9001', name: 'Musterplatz' }, { id: '9002' }],
        activeWindows: [{ from: at('20:45:00', '2026-05-08'), to: at('00:45:00', '2026-05-09') }],
      },
    ]);
  });

  it('have web links only, each once', async () => {
    const update = await readNotices('news-odd', 'pois');
    expect(listProblems(update)).toEqual(['notice_without_id pois[0]', 'unknown_category pois[1]']);
    expect(update.alerts).toMatchObject([
      { id: '77', links: [{ title: 'https://example.org/c', url: 'https://example.org/c' }] },
    ]);
  });
});

it.each([
  ['Ersatzverkehr Busse halten vor Nr. 5', false, 'replacementService'],
  ['46: Gleisbauarbeiten', false, 'construction'],
  ['U2: Betrieb eingestellt', false, 'cancellation'],
  ['2: Rettungseinsatz', false, 'emergency'],
  ['2: Rettungseinsatz', true, 'allClear'],
  ['16A: Verkehrsüberlastung', false, 'information'],
  ['Autoverladung: Ladezeiten', false, 'loadingTime'],
])('%s, resolved %s, is %s', (headline, isResolved, kind) => {
  expect(findNoticeKind(headline, isResolved)).toBe(kind);
});
