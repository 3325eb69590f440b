import type { Log } from '../../pipeline/effects/log.ts';
import type { Io } from './io.ts';

/** Interval without output after which a terminal shows that work continues, and for how long it has run. */
const SILENCE_MILLISECONDS = 2000;
const TICK_MILLISECONDS = 1000;

const CLEAR_LINE = '\r\u001b[K';

interface ElapsedLine {
  /** Streams whose output replaces the line. */
  readonly io: Io;
  readonly log: Log;
  /** @param name what is shown before the work has reported a step */
  begin(name: string): void;
  end(): void;
}

/** Shows the last reported step of a silent command and its seconds; only on a terminal. */
export function showElapsed(io: Io, log: Log, now: () => number = () => performance.now()): ElapsedLine {
  if (io.stderr.isTTY !== true) return { io, log, begin: () => {}, end: () => {} };
  let [startedAt, lastMessageAt, step, isOpen] = [now(), now(), '', false];
  let timer: NodeJS.Timeout | undefined;
  const noteOutput = () => {
    lastMessageAt = now();
  };
  const clear = () => {
    if (isOpen) io.stderr.write(CLEAR_LINE);
    isOpen = false;
  };
  const tick = () => {
    if (now() - lastMessageAt < SILENCE_MILLISECONDS) return;
    log.progress(`${step}, ${Math.round((now() - startedAt) / 1000)} s`);
    isOpen = true;
  };
  return {
    io: {
      ...io,
      stdout: {
        ...(io.stdout.columns === undefined ? {} : { columns: io.stdout.columns }),
        ...(io.stdout.isTTY === undefined ? {} : { isTTY: io.stdout.isTTY }),
        write: (text) => {
          clear();
          noteOutput();
          return io.stdout.write(text);
        },
      },
    },
    log: {
      ...log,
      info: (message) => {
        noteOutput();
        log.info(message);
        isOpen = false;
      },
      warn: (message) => {
        noteOutput();
        log.warn(message);
        isOpen = false;
      },
      progress: (message) => {
        noteOutput();
        step = message;
        log.progress(message);
        isOpen = true;
      },
    },
    begin: (name) => {
      [startedAt, step] = [now(), name];
      noteOutput();
      timer = setInterval(tick, TICK_MILLISECONDS).unref();
    },
    end: () => {
      clearInterval(timer);
      clear();
    },
  };
}
