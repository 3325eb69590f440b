import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { jsonLog, logOptions, maskCoordinates, prettyLines } from '../../../pipeline/effects/service-log.ts';

function record() {
  const written: string[] = [];
  return { written, stream: { write: (line: string) => void written.push(line) } };
}

describe('coordinates', () => {
  it.each([
    ['/near/48.208174/x', '/near/(coordinate)/x'],
    ['/near/48.2,16.3', '/near/(point)'],
    ['/near/-48.2%2C-16.3', '/near/(point)'],
    ['at 48.208174;16.373819 and 48.208174, 16.373819', 'at (point) and (coordinate), (coordinate)'],
    ['took 12.345 s, 99.5 %', 'took 12.345 s, 99.5 %'],
    ['/v2/stops/at:49:1349/departures', '/v2/stops/at:49:1349/departures'],
    ['127.0.0.1, version 5.12.1', '127.0.0.1, version 5.12.1'],
  ])('%s becomes %s', (text, masked) => {
    expect(maskCoordinates(text)).toBe(masked);
  });

  it('in the message of an error do not reach the log', () => {
    const { written, stream } = record();
    pino(logOptions('info'), stream).error({ err: new Error('no way from 48.208174,16.373819') }, 'request failed');
    expect(written.join('')).not.toMatch(/48\.2|16\.3/);
    expect(JSON.parse(written[0]!)).toMatchObject({
      level: 'error',
      err: { type: 'Error', message: 'no way from (point)', stack: expect.stringContaining('service-log.test') },
    });
  });
});

it.each([
  ['at 48.208174,16.373819', { type: 'string', message: 'at (point)' }],
  [undefined, { type: 'undefined' }],
  [Object.create(null), { type: 'object' }],
])('logs thrown values that are not errors (%#) unchanged', (thrown, err) => {
  const { written, stream } = record();
  pino(logOptions('info'), stream).error({ err: thrown }, 'request failed');
  const line = JSON.parse(written[0]!);
  expect([line.msg, line.err ?? { type: 'undefined' }]).toEqual(['request failed', err]);
});

describe('a log of JSON lines', () => {
  it('has one object per message, with time and level', () => {
    const { written, stream } = record();
    const log = jsonLog('info', stream);
    log.info('a "quoted"\nmessage');
    log.warn('b');
    expect(written.map((line) => line.endsWith('\n'))).toEqual([true, true]);
    expect(written.map((line) => JSON.parse(line))).toEqual([
      { level: 'info', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), msg: 'a "quoted"\nmessage' },
      { level: 'warn', time: expect.any(String), msg: 'b' },
    ]);
  });

  it.each([
    ['info', ['info', 'warn']],
    ['warn', ['warn']],
    ['silent', []],
  ])('from %s on contains %j', (level, kept) => {
    const { written, stream } = record();
    const log = jsonLog(level, stream);
    log.info('info');
    log.warn('warn');
    expect(written.map((line) => JSON.parse(line).msg)).toEqual(kept);
  });

  it('logs progress every ten seconds', () => {
    const { written, stream } = record();
    let now = 0;
    const log = jsonLog('info', stream, () => now);
    for (; now <= 25_000; now += 1000) log.progress(`second ${now / 1000}`);
    expect(written.map((line) => JSON.parse(line).msg)).toEqual(['second 10', 'second 20']);
  });
});

it('are shown to a person without their braces', () => {
  const { written, stream } = record();
  const logger = pino(logOptions('info'), prettyLines(stream));
  logger.info({ method: 'GET', path: '/', status: 200, reqId: 'x' }, 'request');
  logger.warn('something');
  logger.error({ err: new Error('broken') }, 'request failed');
  expect(written[0]).toMatch(/^\d\d:\d\d:\d\d request method=GET path=\/ status=200\n$/);
  expect(written[1]).toMatch(/^\d\d:\d\d:\d\d warn: something\n$/);
  expect(written[2]).toMatch(/^\d\d:\d\d:\d\d error: request failed\nError: broken\n {4}at /);
});
