import { describe, expect, it } from 'vitest';
import { emptyUpdate } from '../../../../pipeline/model/realtime.ts';
import { at, listProblems, readMonitor } from './read-fixture.ts';

describe('departures of a monitor', () => {
  it('are converted to trips of one call with a forecast', async () => {
    const { trips } = await readMonitor('monitor-good');
    expect(trips[0]).toEqual({
      place: 'monitors[0].lines[0].departure[0]',
      trip: {
        tripId: null,
        routeId: null,
        directionId: null,
        startDate: null,
        startTime: null,
        lineLabel: 'U1',
        product: 'subway',
        operatorName: null,
        headsign: 'Musterheim',
      },
      relationship: 'scheduled',
      newTripId: null,
      recordedAt: at('08:00:00'),
      delaySeconds: null,
      calls: [
        {
          stopSequence: null,
          stop: { id: '60209001', idSpace: 'diva', name: 'Musterplatz', lat: 48.208, lon: 16.371 },
          arrival: null,
          departure: { scheduledTime: at('08:01:00'), time: at('08:01:40'), delaySeconds: null, isMeasured: false },
          state: 'normal',
          scheduledPlatform: null,
          platform: '1',
          cancelledEvent: null,
          assignedStopId: null,
        },
      ],
      vehicleId: null,
      originName: null,
      isSpecial: false,
    });
  });

  it('have line, direction, platform and times, of the vehicle rather than the line', async () => {
    const { trips } = await readMonitor('monitor-good');
    const rows = trips.map(({ trip, calls: [call] }) => [
      trip.lineLabel,
      trip.product,
      trip.headsign,
      call!.platform,
      call!.departure!.scheduledTime,
      call!.departure!.time,
    ]);
    expect(rows).toEqual([
      ['U1', 'subway', 'Musterheim', '1', at('08:01:00'), at('08:01:40')],
      ['U1', 'subway', 'Kurzgasse', '1', at('08:06:00'), at('08:06:00')],
      ['U1', 'subway', 'Südtor', '3', at('08:03:00'), at('08:02:10')],
      ['9A', 'cityBus', 'Grüne Gasse', null, at('07:58:00'), at('08:04:30')],
      ['9A', 'cityBus', 'Grüne Gasse', null, at('08:14:00'), null],
      ['N9', 'nightBus', 'Au & Wald', null, at('08:20:00'), at('08:20:00')],
    ]);
  });

  it('leave the rest of the update empty, except traffic information in the answer', async () => {
    const update = await readMonitor('monitor-good');
    expect(update).toEqual({
      ...emptyUpdate,
      publishedAt: at('08:00:00'),
      trips: update.trips,
      alerts: [expect.objectContaining({ id: 'R9101-409', category: 'stoerungkurz' })],
      recordCount: 7,
    });
  });
});

describe('an invalid value', () => {
  it('is dropped alone, with a problem', async () => {
    const update = await readMonitor('monitor-odd');
    expect(listProblems(update)).toEqual([
      'not_an_object monitors[0]',
      'monitor_without_stop monitors[1]',
      'not_an_object monitors[3].lines[0]',
      'not_an_object monitors[5].lines[0].departure[0]',
      'unknown_vehicle_type monitors[2].lines[0].departure[0]',
      'departure_without_line monitors[4].lines[0].departure[0]',
      'bad_planned_time monitors[5].lines[0].departure[1]',
      'bad_real_time monitors[5].lines[0].departure[2]',
      'bad_planned_time monitors[5].lines[0].departure[3]',
      'far_from_now monitors[5].lines[0].departure[4]',
      'frozen monitors[6].lines[0].departure[0]',
    ]);
    const refused = ['not_an_object', 'monitor_without_stop', 'departure_without_line', 'bad_planned_time'];
    const refusedCount = update.problems.filter(({ code }) => refused.includes(code)).length;
    expect(update.recordCount).toBe(update.trips.length + refusedCount);
  });

  it('is dropped if implausible, and its record kept', async () => {
    const { trips, isFrozen } = await readMonitor('monitor-odd');
    const rows = trips.map(({ place, trip, calls: [call] }) => [place, trip.lineLabel, call!.departure!.time]);
    expect(isFrozen).toBe(false);
    expect(rows).toEqual([
      ['monitors[2].lines[0].departure[0]', '5', at('08:02:30')],
      ['monitors[4].lines[0].departure[1]', 'U1', at('08:07:00')],
      ['monitors[5].lines[0].departure[2]', 'U1', null],
      ['monitors[5].lines[0].departure[4]', 'U1', null],
      ['monitors[5].lines[0].departure[5]', 'U1', at('08:09:30')],
      ['monitors[6].lines[0].departure[0]', 'U2', null],
      ['monitors[6].lines[0].departure[1]', 'U2', null],
    ]);
  });

  it('identifies a platform without a station by itself, without invalid coordinates', async () => {
    const { trips } = await readMonitor('monitor-odd');
    expect(trips[0]!.calls[0]!.stop).toEqual({ id: '9401', idSpace: 'rbl', name: 'Nur Steig', lat: null, lon: null });
    expect(trips[0]!.trip.product).toBeNull();
  });
});

describe('boards of stations', () => {
  it('contain only the underground, soonest departure first', async () => {
    const { stationBoards } = await readMonitor('monitor-good', [60209001]);
    expect(stationBoards).toEqual([
      {
        station: '60209001',
        publishedAt: at('08:00:00'),
        isFrozen: false,
        departures: [
          { line: 'U1', towards: 'Musterheim', plannedAt: at('08:01:00'), realAt: at('08:01:40') },
          { line: 'U1', towards: 'Südtor', plannedAt: at('08:03:00'), realAt: at('08:02:10') },
          { line: 'U1', towards: 'Kurzgasse', plannedAt: at('08:06:00'), realAt: at('08:06:00') },
        ],
      },
    ]);
  });

  it('exist for each requested station, empty without departures', async () => {
    const { stationBoards } = await readMonitor('monitor-good', [60209002, 60209099]);
    expect(stationBoards.map(({ station, isFrozen, departures }) => [station, isFrozen, departures])).toEqual([
      ['60209002', false, []],
      ['60209099', false, []],
    ]);
  });

  it('omit frozen lines', async () => {
    const { stationBoards } = await readMonitor('monitor-odd', [60209001, 60209002]);
    expect(stationBoards.map(({ isFrozen, departures }) => [isFrozen, departures.length])).toEqual([
      [false, 4],
      [true, 0],
    ]);
  });
});

describe('a response with implausible times', () => {
  it.each([
    ['five minutes old', '08:05:00', false],
    ['older', '08:05:01', true],
    ['five minutes ahead of us', '07:55:00', false],
    ['further ahead', '07:54:59', true],
  ])('%s', async (_what, fetched, isFrozen) => {
    const update = await readMonitor('monitor-good', [60209001], at(fetched));
    expect(update.isFrozen).toBe(isFrozen);
    expect(update.stationBoards[0]).toMatchObject({ isFrozen, departures: { length: isFrozen ? 0 : 3 } });
    const timeCount = update.trips.filter(({ calls }) => calls[0]!.departure!.time !== null).length;
    expect(timeCount).toBe(isFrozen ? 0 : 5);
    expect(listProblems(update).filter((problem) => problem.startsWith('frozen'))).toHaveLength(isFrozen ? 5 : 0);
  });
});
