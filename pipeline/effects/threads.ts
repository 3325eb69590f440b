import path from 'node:path';
import process from 'node:process';
import { parentPort, Worker, type WorkerOptions, workerData } from 'node:worker_threads';
import { type ClockCourse, movingClock, systemClock } from './clock.ts';
import { type Effects, realEffects } from './effects.ts';
import type { Log } from './log.ts';
import { type ThreadFailure, toError, toFailure } from './thread-failure.ts';
import type { MemoryOfThread, ThreadMonitor } from './thread-memory.ts';

/** How long the engine of a stopped thread may finish its statements. */
const ENGINE_GRACE_MILLISECONDS = 4000;

/**
 * When a stopped thread is terminated. A thread that waits for its engine has ended by then, as the engine was
 * interrupted: terminating a thread while its engine works crashes the process. Only a thread that computes without
 * yielding is left.
 */
const THREAD_GRACE_MILLISECONDS = 6000;

/** How often a monitored thread reports its memory. */
const MEMORY_REPORT_MILLISECONDS = 10_000;

/** Message numbers that answer no question: the result of the thread, and its readiness. */
const RESULT = 0;
const READY = 1;

interface ThreadStart<Input> {
  readonly file: string;
  readonly input: Input;
  readonly course: ClockCourse | null;
  /** Whether it reports its memory, and that of the threads it starts. */
  readonly isMonitored: boolean;
}
type ToThread<Question> = { readonly number: number; readonly question: Question } | 'stop';
type Settled =
  | { readonly kind: 'answer'; readonly number: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly number: number; readonly failure: ThreadFailure };
type FromThread =
  | { readonly kind: keyof Log; readonly text: string }
  /** Of the thread itself, or of one that it has started: then `thread` and `key` are of that one. */
  | { readonly kind: 'memory'; readonly key?: string; readonly thread?: string; readonly memory: MemoryOfThread | null }
  | Settled;
/** Handle of a thread for the thread that started it. */
export interface RunningThread<Result, Question = never, Answer = never> {
  /** Value that the thread reports when it is ready, e.g. its address; stays pending if it reports none. */
  readonly ready: Promise<string>;
  /** Settles when the work has ended; rejects before the unanswered questions do. */
  readonly result: Promise<Result>;
  /** Questions arrive in order. @throws the error of the thread's handler; Error when the thread has ended */
  request(question: Question): Promise<Answer>;
  /** Terminates it at once: only for a thread without a database engine. @param endReason rejects `result` */
  end(endReason?: Error): Promise<void>;
}

/** What the task of a thread receives. */
export interface ThreadSide<Question = never, Answer = never> {
  readonly effects: Effects;
  /** Aborts when the thread should end. */
  readonly signal: AbortSignal;
  /** Aborts a few seconds later: statements that are still running then are interrupted. */
  readonly engineSignal: AbortSignal;
  readonly stopped: Promise<void>;
  reportReady(what?: string): void;
  /** Sets the handler of questions; earlier ones have been queued. */
  answer(handle: (question: Question) => Answer | Promise<Answer>): void;
}

type ThreadOptions = Pick<WorkerOptions, 'transferList' | 'resourceLimits'> & {
  readonly signal?: AbortSignal | undefined;
};

/**
 * Runs a task in a separate thread, so that it blocks no request.
 * @param file compiled module that passes its task to `serveThread`
 * @param input plain data
 * @param options `signal` stops it gracefully, and terminates it a few seconds later if it is still computing
 */
export function startThread<Input, Result, Question = never, Answer = never>(
  file: URL,
  input: Input,
  { clock, log, threadMonitor }: Pick<Effects, 'clock' | 'log' | 'threadMonitor'>,
  { signal, ...options }: ThreadOptions = {},
): RunningThread<Result, Question, Answer> {
  const isMonitored = threadMonitor !== undefined;
  const start: ThreadStart<Input> = { file: file.href, input, course: clock.course ?? null, isMonitored };
  const worker = new Worker(file, { workerData: start, ...options });
  const [id, name] = [String(worker.threadId), path.parse(file.pathname).name];
  const waiting = openWaitingAnswers();
  const [result, ready] = [waiting.add<Result>().answer, waiting.add<string>().answer];
  // Either may be ignored: a rejection that is not awaited must not end the process.
  for (const one of [result, ready]) one.catch(() => {});
  let endReason: Error | null = null;
  let hasEnded = false;
  worker.on('message', (message: FromThread) => {
    if (hasEnded) return;
    if (message.kind === 'memory')
      return threadMonitor?.report(threadKey(id, message.key), message.thread ?? name, message.memory);
    if (message.kind !== 'answer' && message.kind !== 'failure') return log[message.kind](message.text);
    waiting.settle(message);
  });
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    worker.postMessage('stop' satisfies ToThread<Question>);
    timer = setTimeout(() => void worker.terminate(), THREAD_GRACE_MILLISECONDS);
  };
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  worker.on('error', (error: Error) => {
    endReason = error;
  });
  worker.on('exit', (code) => {
    hasEnded = true;
    threadMonitor?.report(id, name, null);
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    waiting.fail(endReason ?? new Error(`a thread ended with ${code} before its work was done`));
  });
  return {
    ready,
    result,
    request(question) {
      if (hasEnded) return Promise.reject(new Error('the thread has ended', { cause: endReason }));
      const { number, answer } = waiting.add<Answer>();
      worker.postMessage({ number, question } satisfies ToThread<Question>);
      return answer;
    },
    async end(reason = new Error('it was stopped')) {
      hasEnded = true;
      endReason ??= reason;
      await worker.terminate();
    },
  };
}

/** Pending promises of the starter of a thread, by message number: the result, the readiness, then answers. */
function openWaitingAnswers() {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  let count = 0;
  const fail = (error: Error) => {
    const unanswered = new Error('the thread ended before it answered a question', { cause: error });
    for (const [number, { reject }] of waiting) reject(number > READY ? unanswered : error);
    waiting.clear();
  };
  return {
    add<Value>() {
      const number = count++;
      const answer = new Promise<Value>((resolve, reject) => waiting.set(number, { resolve, reject }));
      return { number, answer };
    },
    settle(message: Settled) {
      if (message.kind === 'failure' && message.number === RESULT) return fail(toError(message.failure));
      const waiter = waiting.get(message.number);
      waiting.delete(message.number);
      if (message.kind === 'answer') waiter?.resolve(message.value as never);
      else waiter?.reject(toError(message.failure));
    },
    /** Rejects all pending promises, because the thread has failed or ended. */
    fail,
  };
}

/**
 * Runs `task` when the file is started as a thread by `startThread`; does nothing where the file is only imported.
 * @param url `import.meta.url` of that file
 * @param task ends soon after its signal aborts
 */
export function serveThread<Input, Result, Question = never, Answer = never>(
  url: string,
  task: (input: Input, side: ThreadSide<Question, Answer>) => Promise<Result>,
): void {
  const port = parentPort;
  const start = workerData as ThreadStart<Input> | null;
  if (!port || start?.file !== url) return;
  const post = (message: FromThread) => port.postMessage(message);
  const settle = (number: number, work: Promise<unknown>) =>
    work.then(
      (value) => post({ kind: 'answer', number, value }),
      (error) => post({ kind: 'failure', number, failure: toFailure(error) }),
    );
  const stopping = new AbortController();
  const engine = new AbortController();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  let answer: ThreadSide<Question, Answer>['answer'] = () => {};
  const handler = new Promise<Parameters<typeof answer>[0]>((resolve) => {
    answer = resolve;
  });
  port.on('message', (message: ToThread<Question>) => {
    if (message !== 'stop') {
      void settle(
        message.number,
        handler.then((handle) => handle(message.question)),
      );
      return;
    }
    stopping.abort(new Error('stopped'));
    setTimeout(() => engine.abort(new Error('stopped')), ENGINE_GRACE_MILLISECONDS).unref();
  });
  const forward = (kind: keyof Log) => (text: string) => post({ kind, text });
  const side: ThreadSide<Question, Answer> = {
    effects: {
      ...realEffects({
        clock: start.course ? movingClock(start.course) : systemClock,
        log: { info: forward('info'), warn: forward('warn'), progress: forward('progress') },
      }),
      ...(start.isMonitored ? { threadMonitor: reportMemory(post) } : {}),
    },
    signal: stopping.signal,
    engineSignal: engine.signal,
    stopped,
    reportReady: (what = '') => post({ kind: 'answer', number: READY, value: what }),
    answer,
  };
  const work = Promise.resolve().then(() => task(start.input, side));
  void settle(RESULT, work).finally(() => port.close());
}

/** Reports the memory of this thread now and then, and passes on what the threads report that it starts. */
function reportMemory(post: (message: FromThread) => void): ThreadMonitor {
  const reportOwn = () => {
    const { heapUsed, external } = process.memoryUsage();
    post({ kind: 'memory', memory: { heapUsed, external } });
  };
  reportOwn();
  setInterval(reportOwn, MEMORY_REPORT_MILLISECONDS).unref();
  return { report: (key, thread, memory) => post({ kind: 'memory', key, thread, memory }) };
}

/** Key of a thread: the keys of the threads it started begin with it, so that all end together. */
function threadKey(id: string, key: string | undefined): string {
  return key === undefined ? id : `${id}/${key}`;
}
