import { describe, expect, it } from 'vitest';
import { logFrom, terminalLog } from '../../../pipeline/effects/log.ts';

function record(isTTY: boolean) {
  const written: string[] = [];
  const clock = { now: 0 };
  const stream = { isTTY, columns: 20, write: (text: string) => void written.push(text) };
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

  it('is a line every ten seconds elsewhere, and none for short work', () => {
    const { log, written, clock } = record(false);
    for (; clock.now <= 25_000; clock.now += 1000) log.progress(`second ${clock.now / 1000}`);
    expect(written).toEqual(['second 10\n', 'second 20\n']);
  });
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
