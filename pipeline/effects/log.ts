/** Messages to the operator. Lines go to stderr, results to stdout. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  /** The present step of long work: one changing line on a terminal, elsewhere a line now and then. */
  progress(message: string): void;
}

export const silentLog: Log = { info: () => {}, warn: () => {}, progress: () => {} };

/** Whether a stream is a terminal that understands "back to the start of the line". */
interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Short work needs no line in a log; for long work the lines show that it is alive. */
const PROGRESS_LINE_MILLISECONDS = 10_000;

/** Width for a stream that has none: of a pipe, or of a terminal that reports 0 columns. */
const DEFAULT_COLUMNS = 80;

/** @returns how many columns a stream has; `otherwise` for a stream that is not a terminal, or reports 0 */
export function countColumns({ columns }: { readonly columns?: number }, otherwise = DEFAULT_COLUMNS): number {
  return columns || otherwise;
}

/** @param stream usually `process.stderr` */
export function terminalLog(stream: Terminal, now: () => number = () => performance.now()): Log {
  let isProgressOpen = false;
  let progressAt = now();
  const line = (text: string) => {
    stream.write(`${isProgressOpen ? '\r\u001b[K' : ''}${text}\n`);
    isProgressOpen = false;
  };
  return {
    info: line,
    warn: (message) => line(`warning: ${message}`),
    progress: (message) => {
      if (!stream.isTTY) {
        if (now() - progressAt < PROGRESS_LINE_MILLISECONDS) return;
        progressAt = now();
        return line(message);
      }
      stream.write(`\r\u001b[K${message.slice(0, countColumns(stream) - 1)}`);
      isProgressOpen = true;
    },
  };
}

/** A log for background work: messages below `level` are dropped. */
export function logFrom(level: string, log: Log): Log {
  const isQuiet = level !== 'debug' && level !== 'info';
  const drop = () => {};
  return {
    info: isQuiet ? drop : log.info,
    warn: level === 'error' || level === 'silent' ? drop : log.warn,
    progress: isQuiet ? drop : log.progress,
  };
}
