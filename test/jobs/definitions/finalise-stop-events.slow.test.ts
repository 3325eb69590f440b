import { describe, expect, it } from 'vitest';
import {
  type Answer,
  finalise,
  listRows,
  live,
  openWorldToFinalise,
  type ReportedEvent,
  storeAnswers,
} from '../../support/worlds/finalised-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';

const DAY = '2026-03-03';
const AFTER = '2026-03-04T13:45:00Z';

const soundWorld = () => openWorldToFinalise(soundFeed, DAY);

const atA = { trip: 't1', position: 0, stopId: 'a', event: 'departure', planned: `${DAY}T07:00:00Z` } as const;
const atB = { trip: 't1', position: 1, stopId: 'b', event: 'arrival', planned: `${DAY}T07:10:00Z` } as const;
const fromB = { ...atB, event: 'departure', planned: `${DAY}T07:11:00Z` } as const;
const atC = { trip: 't1', position: 2, stopId: 'c', event: 'arrival', planned: `${DAY}T07:20:00Z` } as const;

const observed = (reported: ReportedEvent, time: string): ReportedEvent => ({
  ...reported,
  time: `${DAY}T${time}Z`,
  evidence: 'observed_actual',
});
const forecast = (reported: ReportedEvent, time: string): ReportedEvent => ({
  ...reported,
  time: `${DAY}T${time}Z`,
  evidence: 'forecast',
});
const cancelled = (reported: ReportedEvent): ReportedEvent => ({ ...reported, isCancelled: true });
const at = (time: string, ...reported: ReportedEvent[]): Answer => ({ at: `${DAY}T${time}Z`, reported });

describe('finalise-stop-events makes one row per planned call', () => {
  it.each<[reason: string, answers: Answer[], rows: string[]]>([
    [
      'a call without observations is unknown, and neither late nor cancelled',
      [at('06:50:00', forecast(atA, '07:01:00'))],
      [
        't1.0 a departure 07:00 forecast forecast +60 660 s before',
        't1.1 b arrival 07:10 unknown',
        't1.2 c arrival 07:20 unknown',
      ],
    ],
    [
      'the arrival counts, at the first stop the departure; the departures of other calls are stored beside it',
      [
        at(
          '07:30:00',
          observed(atA, '07:00:20'),
          observed(atB, '07:09:30'),
          observed(fromB, '07:12:00'),
          observed(atC, '07:20:00'),
        ),
      ],
      [
        't1.0 a departure 07:00 observed_actual +20 left +20',
        't1.1 b arrival 07:10 observed_actual -30 left +60',
        't1.2 c arrival 07:20 observed_actual +0',
      ],
    ],
    [
      'a delay of exactly 330 s',
      [at('07:30:00', observed(atC, '07:25:30'))],
      ['t1.0 a departure 07:00 unknown', 't1.1 b arrival 07:10 unknown', 't1.2 c arrival 07:20 observed_actual +330'],
    ],
    [
      'a forecast that has passed remains a forecast; its age is that of the last response with it',
      [
        at('07:15:00', forecast(atC, '07:21:00')),
        at('07:16:00', forecast(atC, '07:22:00')),
        at('07:19:00'),
        at('08:00:00'),
      ],
      [
        't1.0 a departure 07:00 unknown',
        't1.1 b arrival 07:10 unknown',
        't1.2 c arrival 07:20 forecast forecast +120 0 s before',
      ],
    ],
    [
      'the last forecast before the call is stored beside its observation; later reports are not forecasts',
      [
        at('07:15:00', forecast(atC, '07:21:00')),
        at('07:16:00', forecast(atC, '07:22:00')),
        at('07:20:40', forecast(atC, '07:24:00')),
        at('07:22:00', observed(atC, '07:20:30')),
      ],
      [
        't1.0 a departure 07:00 unknown',
        't1.1 b arrival 07:10 unknown',
        't1.2 c arrival 07:20 observed_actual +30 forecast +120 270 s before',
      ],
    ],
    [
      'a cancelled call no longer has its forecast',
      [at('06:50:00', forecast(atB, '07:11:00')), at('07:05:00', cancelled(atB), cancelled(fromB))],
      ['t1.0 a departure 07:00 unknown', 't1.1 b arrival 07:10 unknown cancelled', 't1.2 c arrival 07:20 unknown'],
    ],
    [
      'a cancelled trip',
      [at('06:50:00', cancelled(atA), cancelled(atB), cancelled(fromB), cancelled(atC))],
      [
        't1.0 a departure 07:00 unknown cancelled',
        't1.1 b arrival 07:10 unknown cancelled',
        't1.2 c arrival 07:20 unknown cancelled',
      ],
    ],
    [
      'a withdrawn cancellation has no effect',
      [at('06:50:00', cancelled(atC)), at('07:00:00', { ...atC }), at('07:30:00')],
      ['t1.0 a departure 07:00 unknown', 't1.1 b arrival 07:10 unknown', 't1.2 c arrival 07:20 unknown'],
    ],
    [
      'an observation remains, whatever is cancelled afterwards',
      [at('07:21:00', observed(atC, '07:20:10')), at('07:30:00', cancelled(atC))],
      ['t1.0 a departure 07:00 unknown', 't1.1 b arrival 07:10 unknown', 't1.2 c arrival 07:20 observed_actual +10'],
    ],
    [
      "a vehicle position at the stop counts, but the publisher's times take precedence",
      [
        at(
          '07:30:00',
          { ...observed(atA, '07:03:00'), channel: 'positions' },
          { ...observed(atB, '07:10:50'), channel: 'positions' },
          observed(atB, '07:10:40'),
        ),
      ],
      [
        't1.0 a departure 07:00 observed_actual +180 left +180',
        't1.1 b arrival 07:10 observed_actual +40',
        't1.2 c arrival 07:20 unknown',
      ],
    ],
    [
      'a time derived from positions counts where there is no other, unless it is too uncertain',
      [
        at(
          '07:30:00',
          { ...observed(atA, '07:03:00'), channel: 'positions', uncertaintySeconds: 20 },
          { ...observed(atB, '07:10:30'), channel: 'positions', uncertaintySeconds: 20 },
          { ...observed(atC, '07:20:30'), channel: 'positions', uncertaintySeconds: 90, evidence: 'unknown' },
        ),
        at('07:30:30', { ...observed(atB, '07:10:50'), channel: 'positions' }),
      ],
      [
        't1.0 a departure 07:00 observed_actual +180 left +180',
        't1.1 b arrival 07:10 observed_actual +50',
        't1.2 c arrival 07:20 unknown',
      ],
    ],
    [
      'how full it departed, as the vehicle reported, else as last reported for the call',
      [
        at('07:00:00', { ...forecast(atA, '07:00:00'), occupancy: 'FULL' }),
        at('07:05:00', { ...observed(atA, '07:03:00'), channel: 'positions', occupancy: 'EMPTY' }),
        at('07:06:00', { ...forecast(atA, '07:04:00'), occupancy: 'FULL' }, { ...fromB, occupancy: 'FULL' }),
      ],
      [
        't1.0 a departure 07:00 observed_actual +180 left +180 EMPTY forecast +0 0 s before',
        't1.1 b arrival 07:10 unknown FULL',
        't1.2 c arrival 07:20 unknown',
      ],
    ],
    [
      'the platform as last announced',
      [
        at('07:00:00', { ...forecast(atC, '07:20:00'), platform: '1' }),
        at('07:10:00', { ...forecast(atC, '07:20:00'), platform: '2' }),
      ],
      [
        't1.0 a departure 07:00 unknown',
        't1.1 b arrival 07:10 unknown',
        't1.2 c arrival 07:20 forecast forecast +0 600 s before platform 2',
      ],
    ],
  ])('%s', async (_case, answers, rows) => {
    const world = await soundWorld();
    await storeAnswers(world, answers);
    const { stdout, stderr } = await finalise(world, AFTER);
    expect(stderr).not.toContain('bug');
    expect(stdout).toContain('made ');
    expect(await listRows(world, live, (line) => line.startsWith('t1'))).toEqual(rows);
    expect(await listRows(world, live, (line) => line.startsWith('t2'))).toHaveLength(3);
  });
});
