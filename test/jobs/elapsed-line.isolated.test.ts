import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { showElapsed } from '../../jobs/commands/elapsed-line.ts';
import { terminalLog } from '../../pipeline/effects/log.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function open({ isTTY = true } = {}) {
  const written: string[] = [];
  const stream = (name: string) => ({ isTTY, write: (text: string) => void written.push(`${name} ${text}`) });
  const io = {
    stdout: stream('out'),
    stderr: stream('err'),
    stdin: new PassThrough(),
    environment: {},
    cwd: '/',
    interrupt: new AbortController().signal,
  };
  const elapsed = showElapsed(io, terminalLog(io.stderr), () => performance.now());
  const take = () => written.splice(0);
  return { elapsed, take };
}

it('shows on a terminal, after two seconds without output, the current step and its duration', () => {
  const { elapsed, take } = open();
  elapsed.begin('run build-marts');
  vi.advanceTimersByTime(1900);
  expect(take()).toEqual([]);
  vi.advanceTimersByTime(1200);
  expect(take().at(-1)).toBe('err \r\u001b[Krun build-marts, 3 s');
  elapsed.log.progress('day 2 of 9');
  take();
  vi.advanceTimersByTime(3000);
  expect(take().at(-1)).toBe('err \r\u001b[Kday 2 of 9, 6 s');
});

it('disappears for output and at the end', () => {
  const { elapsed, take } = open();
  elapsed.begin('status');
  vi.advanceTimersByTime(2500);
  take();
  elapsed.io.stdout.write('a row\n');
  expect(take()).toEqual(['err \r\u001b[K', 'out a row\n']);
  vi.advanceTimersByTime(2500);
  take();
  elapsed.end();
  expect(take()).toEqual(['err \r\u001b[K']);
  vi.advanceTimersByTime(9000);
  expect(take()).toEqual([]);
});

it('writes nothing unless on a terminal', () => {
  const { elapsed, take } = open({ isTTY: false });
  elapsed.begin('status');
  vi.advanceTimersByTime(9000);
  elapsed.end();
  expect(take()).toEqual([]);
});
