import { describe, expect, it } from 'vitest';
import type { AlertReport, StopName } from '../../../../pipeline/model/realtime.ts';
import type {
  Alert,
  EntitySelector,
  TimeRange,
  TranslatedString,
} from '../../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { listProblems, NOW, normaliseEntities } from './normalise-entities.ts';

function normaliseAlert(alert: Partial<Alert>) {
  const whole = { activePeriod: [], informedEntity: [], headerText: emit('Linie 5: Umleitung'), ...alert };
  const update = normaliseEntities([{ id: 'news-1', alert: whole }]);
  return { report: update.alerts[0], problems: listProblems(update) };
}

/** `language: text` of each translation. */
function emit(...texts: readonly string[]): TranslatedString {
  return {
    translation: texts.map((one) => {
      const [, language, text] = /^(?:([a-zA-Z-]*): )?([\s\S]*)$/.exec(one)!;
      return language === undefined ? { text: text! } : { language, text: text! };
    }),
  };
}

const stop = (id: string): StopName => ({ id, idSpace: 'gtfs', name: null, lat: null, lon: null });
const line = (routeId: string | null, agencyId: string | null = null) => ({
  label: null,
  routeId,
  agencyId,
  operatorName: null,
  region: null,
});

const at = (lines: number[], stops: number[] = []) => ({ lines, stops, trips: [] as number[], directionId: null });

describe('an alert', () => {
  it('is converted to a report', () => {
    const { report, problems } = normaliseAlert({
      cause: 'CONSTRUCTION',
      effect: 'DETOUR',
      severityLevel: 'WARNING',
      activePeriod: [{ start: NOW - 60, end: NOW + 3600 }],
      informedEntity: [{ agencyId: 'wl', routeId: '5' }, { stopId: 'x' }],
      headerText: emit('<b>Linie 5:</b> Umleitung'),
      descriptionText: emit('<p>Halt &amp; Ersatz<br>am Platz</p>'),
      url: emit('https://example.org/5?a=1&copy=2'),
    });
    expect(problems).toEqual([]);
    expect(report).toEqual({
      place: 'entity news-1',
      id: 'news-1',
      kind: 'construction',
      category: 'CONSTRUCTION',
      priority: 30,
      title: 'Linie 5: Umleitung',
      text: 'Halt & Ersatz\nam Platz',
      operatorName: null,
      isAccess: false,
      activeWindows: [{ from: NOW - 60, to: NOW + 3600 }],
      lines: [line('5', 'wl')],
      stops: [stop('x')],
      trips: [],
      entities: [at([0], []), at([], [0])],
      links: [{ title: 'Linie 5: Umleitung', url: 'https://example.org/5?a=1&copy=2' }],
      pin: null,
    });
  });

  it.each<[readonly string[], string]>([
    [['en: Detour', 'de: Umleitung', 'Detour'], 'Umleitung'],
    [['en: Detour', 'DE-at: Umleitung'], 'Umleitung'],
    [['en: Detour', 'Umleitung', 'fr: Déviation'], 'Umleitung'],
    [['fr: Déviation', ': Umleitung'], 'Umleitung'],
    [['fr: Déviation', 'en-GB: Detour'], 'Detour'],
    [['fr: Déviation', 'it: Deviazione'], 'Déviation'],
    [['de:  ', 'en: Detour'], 'Detour'],
    [['den: Detour', 'fr: Déviation'], 'Detour'],
  ])('with texts in %j has the title %s', (texts, title) => {
    expect(normaliseAlert({ headerText: emit(...texts) }).report!.title).toBe(title);
  });

  it.each<[Partial<Alert>, Partial<AlertReport>]>([
    [{}, { title: 'Linie 5: Umleitung', text: '' }],
    [
      { headerText: emit(), descriptionText: emit('Zwei\nZeilen') },
      { title: 'Zwei Zeilen', text: 'Zwei\nZeilen' },
    ],
    [{ headerText: emit(), ttsHeaderText: emit('Linie fünf') }, { title: 'Linie fünf' }],
    [{ ttsDescriptionText: emit('gesprochen') }, { text: 'gesprochen' }],
  ])('with %j has the text %j', (alert, expected) => {
    expect(normaliseAlert(alert).report).toMatchObject(expected);
  });

  it('is refused without a text', () => {
    const { report, problems } = normaliseAlert({ headerText: emit('<p> </p>') });
    expect([report, problems]).toEqual([undefined, ['alert_without_text @ entity news-1']]);
  });

  it.each<[Partial<Alert>, Partial<AlertReport>]>([
    [
      { cause: 'MAINTENANCE', effect: 'NO_SERVICE' },
      { kind: 'construction', category: 'MAINTENANCE' },
    ],
    [
      { cause: 'STRIKE', effect: 'NO_SERVICE' },
      { kind: 'cancellation', category: 'STRIKE' },
    ],
    [
      { cause: 'POLICE_ACTIVITY', effect: 'DETOUR' },
      { kind: 'emergency', category: 'POLICE_ACTIVITY' },
    ],
    [
      { cause: 'OTHER_CAUSE', effect: 'NO_EFFECT' },
      { kind: 'announcement', category: 'NO_EFFECT' },
    ],
    [{ headerText: emit('de: Störung behoben'), effect: 'SIGNIFICANT_DELAYS' }, { kind: 'allClear' }],
    [{ headerText: emit('de: Ladezeiten der Autoschleuse') }, { kind: 'loadingTime' }],
    [
      { descriptionText: emit('de: Wegen eines Rettungseinsatzes wird umgeleitet.'), effect: 'DETOUR' },
      { kind: 'emergency' },
    ],
    [{ effect: 'STOP_MOVED' }, { kind: 'information', category: 'STOP_MOVED' }],
    [{ cause: 'WEATHER' }, { kind: 'information', category: 'WEATHER' }],
    [{ effect: 'ACCESSIBILITY_ISSUE' }, { kind: 'information', category: 'ACCESSIBILITY_ISSUE', isAccess: true }],
    [{ effect: 'MODIFIED_SERVICE', effectDetail: emit('de: Schienenersatzverkehr') }, { kind: 'replacementService' }],
    [
      { cause: 'OTHER_CAUSE', causeDetail: emit('Stadtmarathon') },
      { kind: 'other', category: 'Stadtmarathon' },
    ],
    [{ effect: 'OTHER_EFFECT', effectDetail: emit('Gleistausch') }, { category: 'Gleistausch' }],
    [
      { cause: 99, effect: 99 },
      { kind: 'other', category: null },
    ],
    [{}, { kind: 'other', category: null, isAccess: false, priority: 50 }],
    [{ severityLevel: 'SEVERE' }, { priority: 10 }],
    [{ severityLevel: 'INFO' }, { priority: 70 }],
    [{ severityLevel: 'UNKNOWN_SEVERITY' }, { priority: 50 }],
    [{ severityLevel: 9 }, { priority: 50 }],
  ])('with %j is %j', (alert, expected) => {
    expect(normaliseAlert(alert).report).toMatchObject(expected);
  });

  it.each<[TimeRange, object[], number]>([
    [{}, [{ from: null, to: null }], 0],
    [{ start: NOW }, [{ from: NOW, to: null }], 0],
    [{ start: 0, end: NOW }, [{ from: null, to: NOW }], 0],
    [{ start: NOW, end: 253_402_300_799 }, [{ from: NOW, to: null }], 0],
    [{ start: NOW, end: 2 ** 64 }, [{ from: NOW, to: null }], 0],
    [{ start: NOW, end: NOW }, [], 1],
    [{ start: NOW * 1000 }, [], 1],
  ])('with periods %j applies in %j', (range, windows, problemCount) => {
    const { report, problems } = normaliseAlert({ activePeriod: [range] });
    expect(report!.activeWindows).toEqual(windows);
    expect(problems).toEqual(Array.from({ length: problemCount }, () => 'bad_active_period @ entity news-1'));
  });

  const trip = { tripId: 'a', startDate: '20260310' };

  it.each<[string, EntitySelector[], Partial<AlertReport>, number]>([
    ['an agency', [{ agencyId: 'wl' }], { lines: [line(null, 'wl')], stops: [], trips: [], entities: [at([0])] }, 0],
    [
      'a line at a stop',
      [{ routeId: '5', stopId: 'x' }],
      { lines: [line('5')], stops: [stop('x')], entities: [at([0], [0])] },
      0,
    ],
    [
      'a line, or a stop',
      [{ routeId: '5' }, { stopId: 'x' }],
      { lines: [line('5')], stops: [stop('x')], entities: [at([0]), at([], [0])] },
      0,
    ],
    [
      'two lines, each at a different stop',
      [
        { routeId: '5', stopId: 'x' },
        { routeId: '6', stopId: 'y' },
      ],
      { entities: [at([0], [0]), at([1], [1])] },
      0,
    ],
    [
      'a stop of an agency',
      [{ agencyId: 'wl', stopId: 'x' }],
      { lines: [line(null, 'wl')], stops: [stop('x')], entities: [at([0], [0])] },
      0,
    ],
    [
      'a line with its type',
      [{ routeId: '5', routeType: 3, stopId: 'x' }],
      { lines: [line('5')], entities: [at([0], [0])] },
      0,
    ],
    ['all trams at a stop', [{ routeType: 0, stopId: 'x' }], { stops: [], entities: [] }, 1],
    [
      'one direction of a line',
      [{ routeId: '5', directionId: 1 }],
      { lines: [line('5')], entities: [{ ...at([0]), directionId: 1 }] },
      0,
    ],
    [
      'a trip at a stop',
      [{ trip, routeId: '5', stopId: 'x' }],
      { lines: [line('5')], entities: [{ ...at([], [0]), trips: [0] }] },
      0,
    ],
    [
      'two stops of a line',
      [
        { routeId: '5', stopId: 'x' },
        { routeId: '5', stopId: 'y' },
      ],
      { lines: [line('5')], entities: [at([0], [0, 1])] },
      0,
    ],
    [
      'both directions of a line',
      [0, 1].map((directionId) => ({ routeId: '5', directionId })),
      { lines: [line('5')] },
      0,
    ],
    ['a line as a trip', [{ trip: { routeId: '5' } }], { lines: [line('5')], trips: [] }, 0],
    ['all trams', [{ routeType: 0 }], { lines: [], stops: [], trips: [] }, 1],
    ['all trams of an agency', [{ agencyId: 'wl', routeType: 0 }], { lines: [] }, 1],
    ['nothing', [{}], { lines: [], stops: [], trips: [], entities: [] }, 1],
  ])('selects %s', (_what, informedEntity, expected, problemCount) => {
    const { report, problems } = normaliseAlert({ informedEntity });
    expect(report).toMatchObject(expected);
    expect(problems).toEqual(Array.from({ length: problemCount }, () => 'unsupported_selector @ entity news-1'));
  });

  it('selects trips', () => {
    const { report } = normaliseAlert({
      informedEntity: [
        { agencyId: 'wl', trip },
        { routeId: '5', trip },
        { trip: { routeId: '5', startTime: '08:00:00' } },
      ],
    });
    expect(report!.trips).toMatchObject([
      { tripId: 'a', startDate: '2026-03-10' },
      { tripId: null, routeId: '5', startTime: 28_800 },
    ]);
    expect(report!.lines).toEqual([line('5')]);
    expect(report!.entities).toEqual([{ ...at([]), trips: [0, 1] }]);
  });

  it('may have an image, and no invalid link', () => {
    const { report, problems } = normaliseAlert({
      url: emit('www.example.org'),
      image: {
        localizedImage: [
          { url: 'https://example.org/en.png', mediaType: 'image/png', language: 'en' },
          { url: 'https://example.org/de.png', mediaType: 'image/png', language: 'de' },
        ],
      },
      imageAlternativeText: emit('Plan der Umleitung'),
    });
    expect(report!.links).toEqual([{ title: 'Plan der Umleitung', url: 'https://example.org/de.png' }]);
    expect(problems).toEqual(['bad_link @ entity news-1']);
  });
});
