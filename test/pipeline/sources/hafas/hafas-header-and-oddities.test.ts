import { describe, expect, it } from 'vitest';
import { formatTimestamp, type Instant } from '../../../../pipeline/model/service-time.ts';
import { type SpoiltResult, spoil, toAnswer } from './fixtures.ts';
import { codes, fetchedAt, normalise, zone } from './normalise-answer.ts';

describe('the header', () => {
  const serverInfo = { sD: '20250520', sT: '170040', planrtTS: '1747753230', fpB: '20241215', fpE: '20251213' };

  it.each<[string, object, string | null]>([
    ['the time of the last realtime', serverInfo, '2025-05-20T17:00:30+02:00'],
    ['the clock without that time', { ...serverInfo, planrtTS: '0' }, '2025-05-20T17:00:40+02:00'],
    ['the clock if it is missing', { ...serverInfo, planrtTS: undefined }, '2025-05-20T17:00:40+02:00'],
    ['nothing', {}, null],
  ])('gives %s', (_name, res, expected) => {
    const { publishedAt } = normalise(toAnswer('ServerInfo', res));
    expect(publishedAt === null ? null : formatTimestamp(publishedAt, zone)).toBe(expected);
  });

  it.each([
    ['now', 0, false],
    ['a quarter of an hour later', 885, false],
    ['later still', 886, true],
  ])('determines whether the endpoint is frozen: %s', (_name, later, isFrozen) => {
    expect(normalise(toAnswer('ServerInfo', serverInfo), (fetchedAt + later) as Instant).isFrozen).toBe(isFrozen);
  });

  it.each([
    ['20241215', '20251213', []],
    ['20250520', '20250520', []],
    ['20231210', '20241214', ['timetable_out_of_period fpB, fpE']],
    ['20250521', '20251213', ['timetable_out_of_period fpB, fpE']],
    ['0', '20251213', ['timetable_out_of_period fpB, fpE']],
  ])('reports a timetable of %s to %s that lacks the day', (fpB, fpE, expected) => {
    expect(codes(normalise(toAnswer('ServerInfo', { ...serverInfo, fpB, fpE })))).toEqual(expected);
  });

  it('rejects records one by one', () => {
    const update = normalise(toAnswer('ServerInfo', { ...serverInfo, planrtTS: 'soon', sT: 17 }));
    expect(codes(update)).toEqual(['bad_header ServerInfo', 'bad_header ServerInfo']);
    expect(update.publishedAt).toBeNull();
  });
});

describe('invalid records', () => {
  it.each<[string, (res: SpoiltResult) => void, string[], number]>([
    ['an invalid entry', (res) => res.jnyL.splice(1, 1, 'x' as never), ['bad_record StationBoard jnyL[1]'], 2],
    ['an entry without a call', (res) => delete res.jnyL[1]!.stbStop, ['bad_record StationBoard jnyL[1]'], 2],
    ['an entry without a date', (res) => delete res.jnyL[1]!.date, ['bad_record StationBoard jnyL[1]'], 2],
    [
      'an invalid time',
      (res) => Object.assign(res.jnyL[1]!.stbStop as object, { dTimeS: '256100' }),
      ['bad_record StationBoard jnyL[1]'],
      2,
    ],
    [
      'a time as a number',
      (res) => Object.assign(res.jnyL[1]!.stbStop as object, { dTimeS: 170500 }),
      ['bad_record StationBoard jnyL[1]'],
      2,
    ],
    [
      'a call among others',
      (res) => Object.assign((res.jnyL[0]!.stopL as object[])[1]!, { aTimeS: 'noon' }),
      ['bad_call StationBoard jnyL[0].stopL[1]'],
      3,
    ],
    [
      'an invalid call',
      (res) => (res.jnyL[0]!.stopL as unknown[]).push(null),
      ['bad_call StationBoard jnyL[0].stopL[2]'],
      3,
    ],
    [
      'a line that is not there',
      (res) => Object.assign(res.jnyL[1]!, { prodX: 9 }),
      ['dangling_reference common.prodL[9]'],
      3,
    ],
    ['an invalid line', (res) => res.common.prodL!.splice(1, 1, null), ['dangling_reference common.prodL[1]'], 3],
    [
      'a stop with a broken place',
      (res) => res.common.locL!.splice(1, 1, { type: 'S', name: 'X', crd: 'here', lid: 4, extId: 12 }),
      ['bad_reference common.locL[1]'],
      3,
    ],
    [
      'a message without an id',
      (res) => delete (res.common.himL![0] as { hid?: string }).hid,
      ['bad_record common.himL[0]'],
      3,
    ],
    [
      'a message with an invalid time',
      (res) => Object.assign(res.common.himL![0] as object, { sTime: 4 }),
      ['bad_record common.himL[0]'],
      3,
    ],
    ['invalid lists', (res) => Object.assign(res.jnyL[0]!, { msgL: 'x', stopL: 7 }), [], 3],
    ['no common part', (res) => delete (res as { common?: object }).common, expect.any(Array) as never, 3],
  ])('are dropped alone: %s', (_name, change, expected, trips) => {
    const update = normalise(spoil(change));
    expect(codes(update)).toEqual(expected);
    expect(update.trips).toHaveLength(trips);
    expect(update.problems.every(({ source }) => source === 'vao')).toBe(true);
  });

  it('of an unrequested method are not read', () => {
    expect(codes(normalise(toAnswer('LocMatch', { match: {} })))).toEqual(['unknown_method LocMatch']);
  });

  it('are reported once, however often they are referenced', () => {
    const update = normalise(
      spoil((res) => {
        for (const entry of res.jnyL) entry.prodX = 9;
      }),
    );
    expect(codes(update)).toEqual(['dangling_reference common.prodL[9]']);
  });

  it('reports a stop unknown to the endpoint as an empty board with a problem', () => {
    const update = normalise({ err: 'OK', svcResL: [{ meth: 'StationBoard', err: 'LOCATION' }] });
    expect(update).toMatchObject({ trips: [], scope: 'all', recordCount: 0 });
    expect(codes(update)).toEqual(['refused_call StationBoard']);
  });
});
