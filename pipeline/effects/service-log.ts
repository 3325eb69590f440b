import { type LoggerOptions, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { Log } from './log.ts';

interface LineStream {
  write(line: string): unknown;
}

/** @param format of the configuration */
export function isLogPretty(format: 'auto' | 'json' | 'pretty', stream: { readonly isTTY?: boolean }): boolean {
  return format === 'auto' ? stream.isTTY === true : format === 'pretty';
}

/** A decimal with as many places as a coordinate has: 11 m and finer. */
const COORDINATE = /-?\d{1,3}\.\d{4,}/g;
/** Two numbers in a row, as addresses write a point. */
const POINT = /-?\d{1,3}\.\d+(?:,|%2c|;|%3b|\/)-?\d{1,3}\.\d+/gi;

/** A text for the log: what looks like a coordinate is replaced. */
export function maskCoordinates(text: string): string {
  return text.replace(POINT, '(point)').replace(COORDINATE, '(coordinate)');
}

/**
 * Form of all JSON lines of a service: time in ISO 8601 UTC, level by its name, then what the line is about, `msg` last.
 * @param level `debug`, `info`, `warn`, `error` or `silent`
 */
export function logOptions(level: string): LoggerOptions {
  return {
    level,
    // Host and process are known to the collector of the lines.
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serialiseError },
  };
}

/** Messages of errors may quote a request. @param error anything thrown */
function serialiseError(error: unknown): unknown {
  if (typeof error === 'string') return { type: 'string', message: maskCoordinates(error) };
  if (!(error instanceof Error)) return { type: typeof error };
  const { type, message, stack } = stdSerializers.err(error);
  return { type, message: maskCoordinates(message), stack: maskCoordinates(stack) };
}

/** Progress is logged by a line now and then. */
const PROGRESS_LINE_MILLISECONDS = 10_000;

/** The log of a service as JSON, one line per message. */
export function jsonLog(level: string, stream: LineStream, now: () => number = () => performance.now()): Log {
  const logger = pino(logOptions(level), stream as { write(line: string): void });
  let progressAt = now();
  return {
    info: (message) => logger.info(message),
    warn: (message) => logger.warn(message),
    progress: (message) => {
      if (now() - progressAt < PROGRESS_LINE_MILLISECONDS) return;
      progressAt = now();
      logger.info(message);
    },
  };
}

/** Turns JSON lines of a service into lines for a person. */
export function prettyLines(stream: LineStream): { write(line: string): void } {
  return { write: (line) => void stream.write(renderLine(line)) };
}

/** Members that a person does not look for. */
const HIDDEN = new Set(['level', 'time', 'msg', 'reqId', 'err']);

function renderLine(line: string): string {
  const entry = JSON.parse(line) as Record<string, unknown> & { readonly err?: { readonly stack?: string } };
  const facts = Object.entries(entry)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const time = String(entry.time).slice(11, 19);
  const head = [time, entry.level === 'info' ? '' : `${entry.level}:`, String(entry.msg), ...facts];
  const stack = entry.err?.stack === undefined ? '' : `\n${entry.err.stack}`;
  return `${head.filter((part) => part !== '').join(' ')}${stack}\n`;
}
