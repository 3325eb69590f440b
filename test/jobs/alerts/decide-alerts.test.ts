import { describe, expect, it } from 'vitest';
import type { BrokenPromise, PromiseKind } from '../../../jobs/alerts/broken-promises.ts';
import { type AlertMemory, decideAlerts, forgetAlert } from '../../../jobs/alerts/decide-alerts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-03-01T00:00:00Z');

const stale = (subject: string): BrokenPromise => ({
  kind: 'source_stale',
  subject,
  text: `${subject} is stale.`,
  remedy: 'Look.',
});

/** A minute of a story: what is broken from then on; `?` for sources of which nothing is known, `elsewhere` for
 * those that another machine looks at. */
type Story = readonly (readonly [minute: number, broken: readonly string[] | '?' | 'elsewhere'])[];

/**
 * Plays a story minute by minute.
 * @returns `minute event subject` for each alert
 */
function play(story: Story, until: number, { failsAt = [] as readonly number[] } = {}): string[] {
  const told: string[] = [];
  let memory: AlertMemory = {};
  for (let minute = 0; minute <= until; minute++) {
    const broken = story.findLast(([from]) => from <= minute)?.[1] ?? [];
    const isUnknown = typeof broken === 'string';
    const judgement = {
      broken: isUnknown ? [] : broken.map(stale),
      unknown: new Set<PromiseKind>(isUnknown ? ['source_stale'] : []),
      elsewhere: new Set<PromiseKind>(broken === 'elsewhere' ? ['source_stale'] : []),
    };
    const now = START + minute * MINUTE;
    // Each minute is a process of its own: all that it knows is in the file.
    const before = JSON.parse(JSON.stringify(memory)) as AlertMemory;
    const decided = decideAlerts(judgement, before, { now, reminderMilliseconds: 24 * HOUR });
    memory = decided.memory;
    for (const alert of decided.alerts) {
      told.push(`${minute} ${alert.event} ${alert.promise.subject}`);
      if (failsAt.includes(minute)) memory = forgetAlert(memory, before, alert);
    }
  }
  return told;
}

const DAY = 24 * 60;

const stories: readonly [what: string, story: Story, until: number, told: readonly string[]][] = [
  ['nothing is broken', [[0, []]], 100, []],
  ['broken is told once, a minute later', [[5, ['a']]], 100, ['6 broken a']],
  [
    'one that is well within a minute is never told',
    [
      [5, ['a']],
      [6, []],
    ],
    100,
    [],
  ],
  [
    'kept again is told after three good minutes',
    [
      [5, ['a']],
      [20, []],
    ],
    100,
    ['6 broken a', '23 kept a'],
  ],
  [
    'one that flickers is told once',
    [
      [5, ['a']],
      [10, []],
      [12, ['a']],
      [14, []],
      [16, ['a']],
    ],
    100,
    ['6 broken a'],
  ],
  [
    'still broken is told again after a day, and each day',
    [[5, ['a']]],
    2 * DAY + 100,
    ['6 broken a', `${DAY + 6} reminder a`, `${2 * DAY + 6} reminder a`],
  ],
  [
    'broken again after it was kept is told anew',
    [
      [5, ['a']],
      [10, []],
      [30, ['a']],
    ],
    100,
    ['6 broken a', '13 kept a', '31 broken a'],
  ],
  [
    'each subject has an alert of its own',
    [
      [5, ['a']],
      [7, ['a', 'b']],
      [20, ['b']],
    ],
    100,
    ['6 broken a', '8 broken b', '23 kept a'],
  ],
  [
    'what is unknown is not kept',
    [
      [5, ['a']],
      [10, '?'],
    ],
    100,
    ['6 broken a'],
  ],
  [
    'what is unknown and then broken is not told again',
    [
      [5, ['a']],
      [10, '?'],
      [50, ['a']],
    ],
    100,
    ['6 broken a'],
  ],
  [
    'what is unknown and then well is kept',
    [
      [5, ['a']],
      [10, '?'],
      [50, []],
    ],
    100,
    ['6 broken a', '53 kept a'],
  ],
  [
    'what another machine looks at is forgotten, and told anew by this one',
    [
      [5, ['a']],
      [10, 'elsewhere'],
      [50, ['a']],
    ],
    100,
    ['6 broken a', '51 broken a'],
  ],
];

describe('alerts', () => {
  it.each(stories)('%s', (_what, story, until, told) => {
    expect(play(story, until)).toEqual(told);
  });

  it('that could not be delivered are told the next time', () => {
    const story: Story = [
      [5, ['a']],
      [20, []],
    ];
    expect(play(story, 100, { failsAt: [6, 7, 23] })).toEqual([
      '6 broken a',
      '7 broken a',
      '8 broken a',
      '23 kept a',
      '24 kept a',
    ]);
    expect(play([[5, ['a']]], DAY + 100, { failsAt: [DAY + 6] })).toEqual([
      '6 broken a',
      `${DAY + 6} reminder a`,
      `${DAY + 7} reminder a`,
    ]);
  });

  it('are told, and told again, also when the clock was set back', () => {
    const judgement = { broken: [stale('a')], unknown: new Set<PromiseKind>(), elsewhere: new Set<PromiseKind>() };
    const at = (now: number, memory: AlertMemory) =>
      decideAlerts(judgement, memory, { now, reminderMilliseconds: 24 * HOUR });
    const first = at(START, {});
    const second = at(START - HOUR, first.memory);
    expect(second.alerts).toEqual([]);
    const third = at(START - HOUR + MINUTE, second.memory);
    expect(third.alerts.map(({ event }) => event)).toEqual(['broken']);
    const back = at(START - 48 * HOUR, third.memory);
    expect(back.alerts).toEqual([]);
    expect(at(START - 24 * HOUR, back.memory).alerts.map(({ event }) => event)).toEqual(['reminder']);
  });
});
