import { describe, expect, test } from 'vitest';
import { judgeLineWatch, judgeTripWatch } from '../../../api/watches/judge/judge-watch.ts';
import { NOTHING_EMITTED, type WatchMemory } from '../../../api/watches/watch.ts';
import { at, disruptionOf, late, legOf, play, type Seen, type Step } from './judged-legs.ts';

describe('a watched trip emits', () => {
  test.each<[string, Step[]]>([
    ['nothing for a delay below the threshold', [['07:00', late(4), []]]],
    ['a delay from the threshold on', [['07:00', late(5), ['delay 5']]]],
    ['nothing without realtime', [['07:00', late(null), []]]],
    [
      'an early departure from two minutes on, immediately if it becomes earlier, and its recovery',
      [
        ['07:00', late(-1), []],
        ['07:10', late(-2), ['delay -2']],
        ['07:10:30', late(-6), ['delay -6']],
        ['07:20', late(-5), []],
        ['07:30', late(-3), ['delay -3']],
        ['07:40', late(-1), []],
        ['07:41', late(0), ['recovered 0']],
      ],
    ],
    [
      'an early departure of one minute in the last ten minutes',
      [
        ['07:40', late(-1), []],
        ['07:50', late(-1), ['delay -1']],
        ['08:00', late(-1), []],
      ],
    ],
    [
      'an early departure although it arrives late, and then the late arrival',
      [
        ['07:30', { legs: [{ late: -3, lateThere: 12 }] }, ['delay -3']],
        ['08:00', { legs: [{ late: -3, lateThere: 12 }] }, ['delay 12']],
      ],
    ],
    [
      'a delay after an early departure',
      [
        ['07:30', late(-3), ['delay -3']],
        ['07:40', late(7), ['delay 7']],
        ['07:40:30', late(-2), ['delay -2']],
      ],
    ],
    [
      'an early departure without the traveller once, and nothing about its path',
      [
        ['07:50', late(0), []],
        ['07:55', { legs: [{ late: -6 }] }, ['delay -6']],
        ['08:10', { legs: [{ late: -6, lateThere: 20 }] }, []],
      ],
    ],
    [
      'a departure ahead of time although it was reported, if only shortly before',
      [
        ['07:53', { legs: [{ late: -6 }] }, ['delay -6']],
        ['07:54', { legs: [{ late: -6 }] }, ['delay -6']],
      ],
    ],
    [
      'nothing for an early start if the watch begins on board',
      [
        ['08:02', { legs: [{ late: -2, lateThere: 0 }] }, []],
        ['08:10', { legs: [{ late: -2, lateThere: 6 }] }, ['delay 6']],
      ],
    ],
    [
      'skipped stops on the way once, and that they are served again',
      [
        ['07:00', { legs: [{ skipped: ['A', 'B'] }] }, ['disruption']],
        ['07:10', { legs: [{ skipped: ['A', 'B'] }] }, []],
        ['07:20', {}, ['recovered']],
      ],
    ],
    [
      'a cancellation again if it is of another kind',
      [
        ['07:00', { legs: [{ cancellation: { kind: 'skipsOrigin', next: null } }] }, ['cancelled']],
        ['07:10', { legs: [{ cancellation: { kind: 'trip' } }] }, ['cancelled']],
        ['07:20', { legs: [{ cancellation: { kind: 'trip' } }] }, []],
      ],
    ],
    [
      'a recovered transfer after two confident polls, if its vehicle departs within half an hour',
      [
        ['08:31', { state: 'missed', legs: [{}, { change: 'missed' }] }, ['transferMissed ref1']],
        ['08:32', { legs: [{}, { change: 'safe', chance: 0.95 }] }, []],
        ['08:32:10', { legs: [{}, { change: 'safe', chance: 0.95 }], polledAt: '08:32' }, []],
        ['08:32:40', { legs: [{}, { change: 'safe', chance: 0.97 }] }, ['recovered ref1']],
      ],
    ],
    [
      'no early recovery if confident polls are interrupted, or long before the departure',
      [
        ['08:20', { state: 'missed', legs: [{}, { change: 'missed' }] }, ['transferMissed ref1']],
        ['08:21', { legs: [{}, { change: 'safe', chance: 0.99 }] }, []],
        ['08:22', { legs: [{}, { change: 'safe', chance: 0.99 }] }, []],
        ['08:29', { legs: [{}, { change: 'safe', chance: 0.99, late: 3 }] }, []],
        ['08:29:30', { state: 'atRisk', legs: [{}, { change: 'safe', chance: 0.94, late: 3 }] }, []],
        ['08:29:40', { legs: [{}, { change: 'safe', chance: 0.99, late: 3 }] }, []],
        ['08:30', { legs: [{}, { change: 'safe', late: 3 }] }, ['recovered ref1']],
      ],
    ],
    [
      'a growing delay in steps of five minutes, not each minute',
      [
        ['07:00', late(5), ['delay 5']],
        ['07:10', late(6), []],
        ['07:20', late(9), []],
        ['07:30', late(10), ['delay 10']],
        ['07:40', late(14), []],
        ['07:50', late(15), ['delay 15']],
      ],
    ],
    [
      'a large delay in larger steps',
      [
        ['07:00', late(60), ['delay 60']],
        ['07:10', late(75), []],
        ['07:20', late(80), ['delay 80']],
      ],
    ],
    [
      'recovery below half of the threshold, and a smaller delay on the way there',
      [
        ['07:00', late(20), ['delay 20']],
        ['07:10', late(12), ['delay 12']],
        ['07:20', late(4), []],
        ['07:30', late(3), []],
        ['07:40', late(2), ['recovered 2']],
        ['07:50', late(4), []],
        ['07:55', late(0), []],
      ],
    ],
    [
      'nothing for a delay that fluctuates around the threshold',
      [
        ['07:00', late(5), ['delay 5']],
        ['07:10', late(4), []],
        ['07:20', late(5), []],
        ['07:30', late(3), []],
        ['07:40', late(6), []],
      ],
    ],
    [
      'at most one event in three minutes if two sources contradict each other',
      [
        ['07:00:00', late(20), ['delay 20']],
        ['07:00:30', late(0), []],
        ['07:01:00', late(20), []],
        ['07:02:30', late(0), []],
        ['07:03:00', late(0), ['recovered 0']],
        ['07:03:30', late(20), []],
        ['07:06:00', late(20), ['delay 20']],
      ],
    ],
    [
      'another platform once, and the change back',
      [
        ['07:00', { legs: [{ platform: '2' }] }, ['platform']],
        ['07:10', { legs: [{ platform: '2' }] }, []],
        ['07:20', { legs: [{ platform: '1' }] }, ['platform']],
      ],
    ],
    [
      'no platform that is first announced, but its change',
      [
        ['07:00', { legs: [{ plannedPlatform: null, platform: null }] }, []],
        ['07:10', { legs: [{ plannedPlatform: null, platform: '3' }] }, []],
        ['07:20', { legs: [{ plannedPlatform: null, platform: '4' }] }, ['platform']],
      ],
    ],
    ['no platform of a train that has departed', [['08:10', { legs: [{ platform: '2' }] }, []]]],
    [
      'a cancellation immediately, and its withdrawal',
      [
        ['07:00', late(5), ['delay 5']],
        ['07:00:30', { state: 'cancelled', legs: [{ cancellation: { kind: 'trip' }, late: 20 }] }, ['cancelled']],
        ['07:01', late(5), []],
        ['07:04', late(5), ['recovered']],
      ],
    ],
    [
      'a transfer at risk, missed, at risk again, and safe after ten minutes',
      [
        ['07:00', { state: 'atRisk', legs: [{}, { change: 'atRisk' }] }, ['transferAtRisk ref1']],
        ['07:00:30', { state: 'missed', legs: [{}, { change: 'missed' }] }, ['transferMissed ref1']],
        ['07:01', { state: 'atRisk', legs: [{}, { change: 'atRisk' }] }, []],
        ['07:04', { state: 'atRisk', legs: [{}, { change: 'atRisk' }] }, ['transferAtRisk ref1']],
        ['07:06', { legs: [{}, { change: 'safe' }] }, []],
        ['07:09', { state: 'atRisk', legs: [{}, { change: 'atRisk' }] }, []],
        ['07:14', { legs: [{}, { change: 'safe' }] }, ['recovered ref1']],
      ],
    ],
    [
      'events of all legs in their order, the worst first per leg',
      [
        [
          '07:00',
          {
            state: 'missed',
            legs: [
              { late: 30, platform: '2' },
              { change: 'missed', late: 7 },
            ],
            disruptions: ['x'],
          },
          ['delay 30', 'platform', 'transferMissed ref1', 'delay 7 ref1', 'disruption x'],
        ],
      ],
    ],
    [
      'nothing for a leg that has ended',
      [
        ['08:50', { legs: [{ platform: '2', late: 7 }, {}] }, []],
        ['08:51', { legs: [{ cancellation: { kind: 'trip' }, isOver: true }, { late: 6 }] }, ['delay 6 ref1']],
      ],
    ],
    [
      'disruptions once each, and their end after five minutes without',
      [
        ['07:00', { disruptions: ['x', 'y'] }, ['disruption x', 'disruption y']],
        ['07:01', { disruptions: ['y'] }, []],
        ['07:03', { disruptions: ['y', 'x'] }, []],
        ['07:04', { disruptions: ['y'] }, []],
        ['07:05', { disruptions: null }, []],
        ['07:09', { disruptions: ['y', 'z'] }, ['disruptionEnded x', 'disruption z']],
      ],
    ],
    [
      'its end five minutes after the last arrival, and nothing afterwards',
      [
        ['08:44', late(0), []],
        ['08:44:30', late(20), ['delay 20']],
        ['09:04:59', late(20), []],
        ['09:05', late(20), ['ended']],
        ['09:06', { state: 'cancelled', legs: [{ cancellation: { kind: 'trip' } }], disruptions: ['x'] }, []],
      ],
    ],
    ['only its end if it had ended before it was watched', [['12:00', { legs: [{ late: 30 }] }, ['ended']]]],
    [
      'nothing while it is missing from the timetable',
      [
        ['07:00', late(10), ['delay 10']],
        ['07:10', null, []],
        ['07:20', late(10), []],
      ],
    ],
  ])('%s', (_what, steps) => {
    play(steps);
  });

  test('applies its own delay threshold', () => {
    play(
      [
        ['07:00', late(1), ['delay 1']],
        ['07:10', late(5), []],
        ['07:20', late(6), ['delay 6']],
        ['07:30', late(0), ['recovered 0']],
      ],
      { minDelayMinutes: 1 },
    );
    play(
      [
        ['07:00', late(29), []],
        ['07:10', late(30), ['delay 30']],
        ['07:20', late(16), []],
        ['07:30', late(15), ['recovered 15']],
      ],
      { minDelayMinutes: 30 },
    );
  });

  test('works with a clock that was set back', () => {
    play([
      ['09:00', { legs: [{}, { late: 6 }] }, ['delay 6 ref1']],
      ['07:00', { legs: [{}, { late: 20 }] }, ['delay 20 ref1']],
    ]);
  });
});

describe('the status of a watched trip', () => {
  test.each<[string, Seen | null, WatchMemory['status']]>([
    ['07:00', {}, 'onTrack'],
    ['07:00', late(6), 'delayed'],
    ['07:00', { disruptions: ['x'] }, 'disrupted'],
    ['07:00', { state: 'atRisk', legs: [{ late: 6 }] }, 'atRisk'],
    ['07:00', { state: 'missed' }, 'missed'],
    ['07:00', late(-3), 'delayed'],
    ['07:57', late(-4), 'missed'],
    ['07:00', { legs: [{ skipped: ['A'] }] }, 'disrupted'],
    ['07:00', { state: 'cancelled' }, 'cancelled'],
    ['07:00', { state: 'unknown' }, 'unknown'],
    ['07:00', null, 'unknown'],
    ['09:10', {}, 'ended'],
  ])('at %s matches the current state', (clock, seen, status) => {
    const now = at(clock);
    const trip = seen && {
      polledAt: seen.polledAt === undefined ? now : at(seen.polledAt),
      state: seen.state ?? 'onTrack',
      legs: (seen.legs ?? [{}]).map((leg, i) => legOf(i, leg, now)),
      disruptions: (seen.disruptions ?? []).map(disruptionOf),
    };
    const verdict = judgeTripWatch({ kind: 'trip', minDelayMinutes: 5 }, NOTHING_EMITTED, trip, now);
    expect(verdict.memory.status).toBe(status);
  });
});

describe('options', () => {
  const missed: Seen = { state: 'missed', legs: [{}, { change: 'missed' }] };

  test('are searched when the trip of a rescue watch breaks, and not after it recovers', () => {
    expect(play([['07:00', missed, ['transferMissed ref1']]], { kind: 'rescue' }).optionsDue).toBe(at('07:00'));
    expect(play([['07:00', missed, ['transferMissed ref1']]]).optionsDue).toBeNull();
    const mended = play(
      [
        ['07:00', missed, ['transferMissed ref1']],
        ['07:05', { legs: [{}, {}] }, []],
      ],
      { kind: 'rescue' },
    );
    expect(mended.optionsDue).toBeNull();
  });
});

describe('watched lines emit', () => {
  test('their disruptions, and nothing without realtime', () => {
    const steps: [string, readonly string[] | null, string[], WatchMemory['status']][] = [
      ['07:00', null, [], 'unknown'],
      ['07:01', [], [], 'onTrack'],
      ['07:02', ['x'], ['disruption x'], 'disrupted'],
      ['07:03', null, [], 'unknown'],
      ['07:10', [], [], 'disrupted'],
      ['07:15', [], ['disruptionEnded x'], 'onTrack'],
    ];
    let memory: WatchMemory = NOTHING_EMITTED;
    for (const [clock, seen, emitted, status] of steps) {
      const verdict = judgeLineWatch({ kind: 'line' }, memory, seen?.map(disruptionOf) ?? null, at(clock));
      expect([clock, verdict.events.map(({ kind, disruptionId }) => `${kind} ${disruptionId}`)]).toEqual([
        clock,
        emitted,
      ]);
      expect(verdict.memory.status).toBe(status);
      memory = verdict.memory;
    }
  });
});
