import { describe, expect, it } from 'vitest';
import {
  type AlertStates,
  decideNotifications,
  revertNotification,
} from '../../../jobs/alerts/decide-notifications.ts';
import type { ActiveAlert, AlertKind } from '../../../jobs/alerts/evaluate-alerts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-03-01T00:00:00Z');

const stale = (subject: string): ActiveAlert => ({
  kind: 'source_stale',
  subject,
  text: `${subject} is stale.`,
  remedy: 'Look.',
});

/**
 * A minute of a story: the sources that are stale from then on; `?` if they cannot be read, `elsewhere` if another
 * machine evaluates them.
 */
type Story = readonly (readonly [minute: number, active: readonly string[] | '?' | 'elsewhere'])[];

/**
 * Plays a story minute by minute.
 * @returns `minute event subject` for each notification
 */
function play(story: Story, until: number, { failsAt = [] as readonly number[] } = {}): string[] {
  const sent: string[] = [];
  let states: AlertStates = {};
  for (let minute = 0; minute <= until; minute++) {
    const active = story.findLast(([from]) => from <= minute)?.[1] ?? [];
    const isUnknown = typeof active === 'string';
    const evaluation = {
      active: isUnknown ? [] : active.map(stale),
      unknown: new Set<AlertKind>(isUnknown ? ['source_stale'] : []),
      elsewhere: new Set<AlertKind>(active === 'elsewhere' ? ['source_stale'] : []),
    };
    const now = START + minute * MINUTE;
    // Each minute is a separate process: all its knowledge is in the file.
    const before = JSON.parse(JSON.stringify(states)) as AlertStates;
    const decided = decideNotifications(evaluation, before, { now, reminderMilliseconds: 24 * HOUR });
    states = decided.states;
    for (const notification of decided.notifications) {
      sent.push(`${minute} ${notification.event} ${notification.alert.subject}`);
      if (failsAt.includes(minute)) states = revertNotification(states, before, notification);
    }
  }
  return sent;
}

const DAY = 24 * 60;

const stories: readonly [what: string, story: Story, until: number, sent: readonly string[]][] = [
  ['sends nothing while no alert is active', [[0, []]], 100, []],
  ['fires once, a minute later', [[5, ['a']]], 100, ['6 firing a']],
  [
    'sends nothing for an alert that ends within a minute',
    [
      [5, ['a']],
      [6, []],
    ],
    100,
    [],
  ],
  [
    'resolves after three good minutes',
    [
      [5, ['a']],
      [20, []],
    ],
    100,
    ['6 firing a', '23 resolved a'],
  ],
  [
    'sends a flapping alert once',
    [
      [5, ['a']],
      [10, []],
      [12, ['a']],
      [14, []],
      [16, ['a']],
    ],
    100,
    ['6 firing a'],
  ],
  [
    'reminds after a day, and each day',
    [[5, ['a']]],
    2 * DAY + 100,
    ['6 firing a', `${DAY + 6} reminder a`, `${2 * DAY + 6} reminder a`],
  ],
  [
    'fires again after it was resolved',
    [
      [5, ['a']],
      [10, []],
      [30, ['a']],
    ],
    100,
    ['6 firing a', '13 resolved a', '31 firing a'],
  ],
  [
    'keeps a separate alert for each subject',
    [
      [5, ['a']],
      [7, ['a', 'b']],
      [20, ['b']],
    ],
    100,
    ['6 firing a', '8 firing b', '23 resolved a'],
  ],
  [
    'resolves nothing while the facts are unknown',
    [
      [5, ['a']],
      [10, '?'],
    ],
    100,
    ['6 firing a'],
  ],
  [
    'does not repeat an alert that is active again after unknown facts',
    [
      [5, ['a']],
      [10, '?'],
      [50, ['a']],
    ],
    100,
    ['6 firing a'],
  ],
  [
    'resolves an alert that is inactive after unknown facts',
    [
      [5, ['a']],
      [10, '?'],
      [50, []],
    ],
    100,
    ['6 firing a', '53 resolved a'],
  ],
  [
    'drops what another machine evaluates, and fires again when this one takes over',
    [
      [5, ['a']],
      [10, 'elsewhere'],
      [50, ['a']],
    ],
    100,
    ['6 firing a', '51 firing a'],
  ],
];

describe('decideNotifications', () => {
  it.each(stories)('%s', (_what, story, until, sent) => {
    expect(play(story, until)).toEqual(sent);
  });

  it('repeats a notification that could not be delivered', () => {
    const story: Story = [
      [5, ['a']],
      [20, []],
    ];
    expect(play(story, 100, { failsAt: [6, 7, 23] })).toEqual([
      '6 firing a',
      '7 firing a',
      '8 firing a',
      '23 resolved a',
      '24 resolved a',
    ]);
    expect(play([[5, ['a']]], DAY + 100, { failsAt: [DAY + 6] })).toEqual([
      '6 firing a',
      `${DAY + 6} reminder a`,
      `${DAY + 7} reminder a`,
    ]);
  });

  it('fires and reminds after the clock was set back', () => {
    const evaluation = { active: [stale('a')], unknown: new Set<AlertKind>(), elsewhere: new Set<AlertKind>() };
    const at = (now: number, states: AlertStates) =>
      decideNotifications(evaluation, states, { now, reminderMilliseconds: 24 * HOUR });
    const first = at(START, {});
    const second = at(START - HOUR, first.states);
    expect(second.notifications).toEqual([]);
    const third = at(START - HOUR + MINUTE, second.states);
    expect(third.notifications.map(({ event }) => event)).toEqual(['firing']);
    const back = at(START - 48 * HOUR, third.states);
    expect(back.notifications).toEqual([]);
    expect(at(START - 24 * HOUR, back.states).notifications.map(({ event }) => event)).toEqual(['reminder']);
  });
});
