import { describe, expect, it } from 'vitest';
import { countColumns, logFrom, terminalLog } from '../../../pipeline/effects/log.ts';

function record(isTTY: boolean, columns: number | undefined = 20) {
  const written: string[] = [];
  const clock = { now: 0 };
  const stream = {
    isTTY,
    ...(columns === undefined ? {} : { columns }),
    write: (text: string) => void written.push(text),
  };
  return { log: terminalLog(stream, () => clock.now), written, clock };
}

describe('progress', () => {
  it('is one changing line on a terminal', () => {
    const { log, written } = record(true);
    log.progress('reading stops.txt');
    log.progress('a step that is longer than the terminal is wide');
    log.info('done');
    expect(written).toEqual(['\r\u001b[Kreading stops.txt', '\r\u001b[Ka step that is long', '\r\u001b[Kdone\n']);
  });

  // A terminal of a container or of CI may report 0 columns, which is no width.
  it.each([
    ['1 column', 1, ''],
    ['20 columns', 20, 'a'.repeat(19)],
    ['80 columns', 80, 'a'.repeat(79)],
    ['0 columns', 0, 'a'.repeat(79)],
  ])('fits a terminal of %s', (_name, columns, shown) => {
    const { log, written } = record(true, columns);
    log.progress('a'.repeat(100));
    expect(written).toEqual([`\r\u001b[K${shown}`]);
  });

  it('keeps the last letter on a terminal that reports 0 columns', () => {
    const { log, written } = record(true, 0);
    log.progress('reading stops.txt');
    expect(written).toEqual(['\r\u001b[Kreading stops.txt']);
  });

  it('is a line every ten seconds elsewhere, and none for short work', () => {
    const { log, written, clock } = record(false);
    for (; clock.now <= 25_000; clock.now += 1000) log.progress(`second ${clock.now / 1000}`);
    expect(written).toEqual(['second 10\n', 'second 20\n']);
  });
});

it.each([
  [{ columns: 120 }, 120],
  [{ columns: 0 }, 80],
  [{}, 80],
])('counts the columns of %j', (stream, columns) => {
  expect(countColumns(stream)).toBe(columns);
});

it.each([
  ['debug', ['info', 'warn', 'progress']],
  ['info', ['info', 'warn', 'progress']],
  ['warn', ['warn']],
  ['error', []],
  ['silent', []],
] as const)('a log from %s on passes on %j', (level, kinds) => {
  const passed: string[] = [];
  const note = (kind: string) => () => void passed.push(kind);
  const log = logFrom(level, { info: note('info'), warn: note('warn'), progress: note('progress') });
  log.info('a');
  log.warn('b');
  log.progress('c');
  expect(passed).toEqual(kinds);
});
