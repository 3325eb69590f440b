import { describe, expect, test } from 'vitest';
import { listActive, parseAnnouncements, stateOf } from '../../../pipeline/snapshots/parse-announcements.ts';
import { instant } from '../../support/worlds/board-world.ts';

const least = `
  - id: a
    title: Neuer Fahrplan
    text: Ab 13. Dezember.`;
const file = (entries: string) => `announcements:${entries}\n`;

describe('a file of announcements', () => {
  test('has defaults for omitted members', () => {
    const { announcements, problems } = parseAnnouncements(file(least));
    expect(problems).toEqual([]);
    expect(announcements).toEqual([
      {
        id: 'a',
        title: 'Neuer Fahrplan',
        text: 'Ab 13. Dezember.',
        kind: 'information',
        priority: 0,
        activeFrom: null,
        activeTo: null,
        url: null,
        platforms: [],
        closedAt: null,
      },
    ]);
  });

  test.each([
    ['nothing', ''],
    ['only a comment', '# later\n'],
    ['the empty list', 'announcements: []\n'],
    ['the name of the list', 'announcements:\n'],
    ['JSON', '{"announcements": []}'],
  ])('may hold %s', (_what, source) => {
    expect(parseAnnouncements(source)).toEqual({ announcements: [], problems: [] });
  });

  test.each<[string, string, string]>([
    ['broken YAML', 'announcements: [', 'line 1: Flow sequence in block collection'],
    ['a text', 'hello', 'line 1: the file must hold "announcements:"'],
    ['another list', 'notices: []', 'line 1: unknown key "notices"'],
    ['not a list', 'announcements: none', 'line 1: announcements must be a list'],
    ['a text as an entry', file('\n  - hello'), 'line 2: an announcement must be {id, title, text, …}'],
    ['an unknown member', file(`${least}\n    titel: b`), 'line 5: unknown key "titel"; did you mean "title"?'],
    ['without text', file('\n  - id: a\n    title: b'), 'line 2: text must be plain text'],
    ['a title of two lines', file('\n  - id: a\n    title: "b\\nc"\n    text: d'), 'line 3: title must be one line'],
    ['an id with spaces', file('\n  - id: a b\n    title: b\n    text: d'), 'line 2: id must be'],
    ['a taken id', file(`${least}${least}`), 'line 5: the id "a" is taken'],
    ['another kind', file(`${least}\n    kind: party`), 'line 5: kind must be information, maintenance'],
    ['a priority out of range', file(`${least}\n    priority: 101`), 'line 5: priority must be a whole number'],
    ['an invalid day', file(`${least}\n    activeTo: 2026-02-30T00:00:00Z`), 'line 5: activeTo must be a time'],
    [
      'a time without offset',
      file(`${least}\n    activeFrom: 2026-02-03T00:00:00`),
      'line 5: activeFrom must be a time',
    ],
    [
      'an end before the start',
      file(`${least}\n    activeFrom: 2026-02-03T00:00:00Z\n    activeTo: 2026-02-03T00:00:00Z`),
      'line 6: activeTo must lie after activeFrom',
    ],
    ['an address of another scheme', file(`${least}\n    url: javascript:alert(1)`), 'line 5: url must be an http'],
    ['an unknown platform', file(`${least}\n    platforms: [ios, fax]`), 'line 5: platforms must be a list of ios'],
  ])('with %s is rejected with the line', (_what, source, problem) => {
    const { problems } = parseAnnouncements(source);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]).toMatch(new RegExp(`^${problem.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
  });
});

const NOW = instant('2026-03-01T12:00:00Z');
const entry = (id: string, more: string) => `
  - id: ${id}
    title: ${id}
    text: ${id}
    ${more}`;

test('active announcements are shown, the most important first, then the newest', () => {
  const { announcements, problems } = parseAnnouncements(
    file(
      [
        entry('closed', 'closedAt: 2026-03-01T12:00:00Z'),
        entry('closed-soon', 'closedAt: 2026-03-01T12:00:01Z'),
        entry('expired', 'activeTo: 2026-03-01T13:00:00+01:00'),
        entry('planned', 'activeFrom: 2026-03-01T12:00:01Z'),
        entry('newer', 'activeFrom: 2026-03-01T12:00:00Z'),
        entry('older', 'activeFrom: 2026-02-01T12:00:00Z'),
        entry('urgent', 'priority: 5'),
      ].join(''),
    ),
  );
  expect(problems).toEqual([]);
  expect(announcements.map((one) => stateOf(one, NOW))).toEqual([
    'closed',
    'active',
    'expired',
    'planned',
    'active',
    'active',
    'active',
  ]);
  expect(listActive(announcements, NOW).map(({ id }) => id)).toEqual(['urgent', 'newer', 'older', 'closed-soon']);
});
