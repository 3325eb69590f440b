import { describe, expect, it } from 'vitest';
import { UnreadableAnswer } from '../../../../pipeline/model/problem.ts';
import { readMgateAnswer } from '../../../../pipeline/sources/hafas/mgate-answer.ts';
import { goodBoard, toAnswer, toBytes } from './fixtures.ts';

const refuse = (code: string, errTxt?: string) => ({
  err: 'OK',
  svcResL: [{ meth: 'StationBoard', err: code, errTxt }],
});

function codeOf(bytes: Uint8Array): string {
  try {
    readMgateAnswer(bytes);
  } catch (error) {
    if (error instanceof UnreadableAnswer) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'read';
}

describe('a response of mgate.exe', () => {
  it('is parsed with the method of each result', () => {
    const { results, refusals } = readMgateAnswer(toBytes(goodBoard));
    expect(results.map(({ method }) => method)).toEqual(['StationBoard']);
    expect(results[0]!.res.planrtTS).toBe('1747753230');
    expect(refusals).toEqual([]);
  });

  it('needs no error code at the top level, which old endpoints omit', () => {
    expect(codeOf(toBytes({ ver: '1.16', svcResL: [{ meth: 'ServerInfo', err: 'OK', res: {} }] }))).toBe('read');
  });

  it.each([
    ['', /^truncated/],
    ['{"svcResL":[', /^truncated/],
    ['<!doctype html><title>502</title>', /^html/],
    ['  <html>', /^html/],
    ['Service Unavailable', /^not_json/],
    ['[]', /^foreign_format/],
    ['null', /^foreign_format/],
    ['{"verbindungen":[]}', /^foreign_format/],
    ['{"svcResL":{}}', /^foreign_format/],
  ])('is rejected if it is %j', (text, expected) => {
    expect(codeOf(new TextEncoder().encode(text))).toMatch(expected);
  });

  it('is rejected if truncated anywhere', () => {
    const bytes = toBytes(goodBoard);
    const codes = new Set<string>();
    for (let length = 0; length < bytes.length; length++) codes.add(codeOf(bytes.subarray(0, length)).split(':')[0]!);
    expect([...codes]).toEqual(['truncated']);
  });

  it.each<[object, string]>([
    [
      { err: 'AUTH', errTxt: 'HCI Service: request failed', svcResL: [] },
      'request: AUTH (HCI Service: request failed)',
    ],
    [{ err: 'PARSE' }, 'request: PARSE'],
    [{ err: 'OK', svcResL: [] }, 'request: NO_RESULT'],
    [{ svcResL: [null] }, 'unknown: NO_RESULT'],
    [{ svcResL: [{ meth: 'StationBoard', err: 'OK' }] }, 'StationBoard: NO_RESULT'],
    [refuse('SQ001', 'no data'), 'StationBoard: SQ001 (no data)'],
    [refuse('R5000'), 'StationBoard: R5000'],
    [refuse('H9230'), 'StationBoard: H9230'],
  ])('is rejected if it reports an error: %j', (answer, message) => {
    expect(codeOf(toBytes(answer))).toBe(`upstream_error: ${message}`);
  });

  it.each(['NO_MATCH', 'SQ005', 'H890', 'H891', 'H9220', 'H9240'])('is empty with %s', (code) => {
    expect(readMgateAnswer(toBytes(refuse(code)))).toEqual({
      results: [{ method: 'StationBoard', res: {} }],
      refusals: [],
    });
  });

  it.each(['LOCATION', 'H730'])('is empty with %s, which is reported', (code) => {
    expect(readMgateAnswer(toBytes(refuse(code, 'station unknown')))).toEqual({
      results: [{ method: 'StationBoard', res: {} }],
      refusals: [{ method: 'StationBoard', code, text: 'station unknown' }],
    });
  });

  it('keeps the other results if one of several calls was rejected', () => {
    const { svcResL } = toAnswer('ServerInfo', { sD: '20250520' }) as { svcResL: object[] };
    const { results, refusals } = readMgateAnswer(toBytes({ svcResL: [...svcResL, ...refuse('H9230').svcResL] }));
    expect(results).toHaveLength(1);
    expect(refusals).toEqual([{ method: 'StationBoard', code: 'H9230', text: null }]);
  });
});
