/** What jobs tell the person who runs them. Lines go to stderr, results to stdout. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  /** The present step of long work: one changing line on a terminal, one plain line per step elsewhere. */
  progress(message: string): void;
}

export const silentLog: Log = { info: () => {}, warn: () => {}, progress: () => {} };

/** Whether a stream is a terminal that understands "back to the start of the line". */
interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** @param stream usually `process.stderr` */
export function terminalLog(stream: Terminal): Log {
  let isProgressOpen = false;
  const line = (text: string) => {
    stream.write(`${isProgressOpen ? '\r\u001b[K' : ''}${text}\n`);
    isProgressOpen = false;
  };
  return {
    info: line,
    warn: (message) => line(`warning: ${message}`),
    progress: (message) => {
      if (!stream.isTTY) return line(message);
      stream.write(`\r\u001b[K${message.slice(0, (stream.columns ?? 80) - 1)}`);
      isProgressOpen = true;
    },
  };
}
