import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type ClockCourse, movingClock, systemClock } from '../pipeline/effects/clock.ts';
import { fetchHttp } from '../pipeline/effects/http.ts';
import type { Log } from '../pipeline/effects/log.ts';
import { WorldError } from '../pipeline/effects/world-error.ts';
import type { JobEffects } from './job.ts';
import { sleep } from './sleep.ts';

/** What a thread is started with. */
interface ThreadStart<Input> {
  readonly input: Input;
  readonly course: ClockCourse | null;
}

type ThreadMessage<Result> =
  | { readonly kind: keyof Log; readonly text: string }
  | { readonly kind: 'ready'; readonly what: string }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'failure'; readonly failure: ThreadFailure };

interface ThreadFailure {
  readonly message: string;
  readonly stack: string | null;
  /** Of a failure of the world; null for a bug. */
  readonly code: string | null;
  readonly isRetryable: boolean;
}

export interface RunningThread<Result> {
  /** What the thread says once it is ready, e.g. its address; pends for one that says nothing. */
  readonly ready: Promise<string>;
  readonly result: Promise<Result>;
  /**
   * Asks it to end, and ends it a few seconds later where it is in the middle of a computation and does not hear;
   * `result` is settled when it has ended.
   */
  stop(): void;
}

/** How long the engine of a thread that was stopped may bring its statements to an end. */
export const ENGINE_GRACE_MILLISECONDS = 4000;

/**
 * When a thread that was stopped is ended from outside. One that waits for its engine has ended by then, as the engine
 * was interrupted: a thread that is ended while its engine works takes the whole process down. So only one that
 * computes, and does not hear, is left.
 */
export const THREAD_GRACE_MILLISECONDS = 6000;

/** How a thread is ended. */
interface ThreadSignals {
  /** Aborts when the thread is to end. */
  readonly signal: AbortSignal;
  /** Aborts a few seconds later: what the engine has not finished by then is given up. */
  readonly engineSignal: AbortSignal;
}

/**
 * Runs a task in a thread of its own, so that its work keeps no request waiting.
 * @param file of the thread, see `serveThread`
 * @param input plain data
 */
export function startThread<Input, Result>(
  file: URL,
  input: Input,
  { clock, log }: Pick<JobEffects, 'clock' | 'log'>,
): RunningThread<Result> {
  const start: ThreadStart<Input> = { input, course: clock.course ?? null };
  const worker = new Worker(file, { workerData: start });
  const ready = promiseApart<string>();
  const result = promiseApart<Result>();
  const fail = (error: Error) => {
    ready.reject(error);
    result.reject(error);
  };
  // Who waits for the one need not look at the other.
  ready.promise.catch(() => {});
  result.promise.catch(() => {});
  worker.on('message', (message: ThreadMessage<Result>) => {
    if (message.kind === 'ready') ready.resolve(message.what);
    else if (message.kind === 'result') result.resolve(message.result);
    else if (message.kind === 'failure') fail(toError(message.failure));
    else log[message.kind](message.text);
  });
  worker.on('error', fail);
  worker.on('exit', (code) => fail(new Error(`a thread ended with ${code} before its work was done`)));
  const stop = () => {
    worker.postMessage('stop');
    const end = setTimeout(() => void worker.terminate(), THREAD_GRACE_MILLISECONDS);
    worker.once('exit', () => clearTimeout(end));
  };
  return { ready: ready.promise, result: result.promise, stop };
}

/** A promise whose end comes from elsewhere. */
function promiseApart<Value>() {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<Value>((onEnd, onFailure) => {
    resolve = onEnd;
    reject = onFailure;
  });
  return { promise, resolve, reject };
}

/** The other side: what the file of a thread does. The task ends soon after its signal aborts. */
export async function serveThread<Input, Result>(
  task: (
    input: Input,
    effects: JobEffects,
    signals: ThreadSignals,
    reportReady: (what: string) => void,
  ) => Promise<Result>,
): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('this file is the inside of a thread');
  const { input, course } = workerData as ThreadStart<Input>;
  const stopping = new AbortController();
  const engine = new AbortController();
  port.on('message', () => {
    stopping.abort(new Error('stopped'));
    setTimeout(() => engine.abort(new Error('stopped')), ENGINE_GRACE_MILLISECONDS).unref();
  });
  const post = (message: ThreadMessage<Result>) => port.postMessage(message);
  try {
    const reportReady = (what: string) => post({ kind: 'ready', what });
    const signals = { signal: stopping.signal, engineSignal: engine.signal };
    const result = await task(input, threadEffects(course, post), signals, reportReady);
    post({ kind: 'result', result });
  } catch (error) {
    post({ kind: 'failure', failure: toFailure(error) });
  } finally {
    port.close();
  }
}

function threadEffects(course: ClockCourse | null, post: (message: ThreadMessage<never>) => void): JobEffects {
  const speed = course?.speed ?? 1;
  return {
    clock: course ? movingClock(course) : systemClock,
    http: fetchHttp,
    log: {
      info: (text) => post({ kind: 'info', text }),
      warn: (text) => post({ kind: 'warn', text }),
      progress: (text) => post({ kind: 'progress', text }),
    },
    sleep: (milliseconds, signal) => sleep(milliseconds / speed, signal),
  };
}

function toFailure(error: unknown): ThreadFailure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const isOfTheWorld = error instanceof WorldError;
  return {
    message,
    stack: stack ?? null,
    code: isOfTheWorld ? error.code : null,
    isRetryable: isOfTheWorld && error.isRetryable,
  };
}

function toError({ message, stack, code, isRetryable }: ThreadFailure): Error {
  if (code !== null) return new WorldError(code, message, { isRetryable });
  const error = new Error(message);
  if (stack !== null) error.stack = stack;
  return error;
}
