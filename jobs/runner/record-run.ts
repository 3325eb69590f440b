import process from 'node:process';
import { ExternalError, isOfTheSystem } from '../../pipeline/effects/external-error.ts';
import type { RunBy } from '../../pipeline/operations/job-run.ts';
import { openOperations } from '../../pipeline/operations/open-operations.ts';
import { type RunEnd, type RunHistory, STALE_MILLISECONDS } from '../../pipeline/operations/run-history.ts';
import type { JobContext } from '../job/job.ts';
import { describeOptions } from '../job/job-options.ts';

const SAMPLE_MILLISECONDS = 1000;
const REPORT_MILLISECONDS = STALE_MILLISECONDS / 10;

/** Its memory is measured here. */
export type RecordedEnd = Omit<RunEnd, 'peakMemoryBytes'>;

/** The record of a run under way. No method throws for a failing store: the work matters more than its record. */
interface RunRecorder {
  /** Null where the run could not be recorded. */
  readonly number: number | null;
  end(end: RecordedEnd): Promise<void>;
  /** Removes the record: the run has not taken place. */
  forget(): Promise<void>;
}

/** Records that a run begins, and from then on that it is alive. */
export async function beginRecord(job: string, context: JobContext, runBy: RunBy): Promise<RunRecorder> {
  const { config, effects, options } = context;
  const attempt = async <Result>(act: () => Promise<Result>): Promise<Result | null> => {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ExternalError) && !isOfTheSystem(error)) throw error;
      effects.log.warn(`${job}: its run is not recorded: ${error.message}`);
      return null;
    }
  };
  const history = await attempt(() => openOperations(config, effects));
  if (!history) return { number: null, end: async () => {}, forget: async () => {} };
  const run = { job, arguments: describeOptions(options), runBy };
  const number = await attempt(() => history.begin(run));
  const memory = sampleMemory();
  const report = number === null ? null : reportLife(history, number, memory);
  const close = async (act: (number: number) => Promise<void>) => {
    memory.stop();
    clearInterval(report ?? undefined);
    if (number !== null) await attempt(() => act(number));
    await attempt(() => history.close());
  };
  return {
    number,
    end: (end) => close((known) => history.end(known, { ...end, peakMemoryBytes: memory.peakBytes() })),
    forget: () => close((known) => history.forget(known)),
  };
}

function reportLife(history: RunHistory, number: number, memory: MemorySampler): NodeJS.Timeout {
  // Real time, even where a replay's clock runs faster. A failing report is followed by the next.
  const report = () => history.keepAlive(number, memory.peakBytes()).catch(() => {});
  return setInterval(() => void report(), REPORT_MILLISECONDS).unref();
}

interface MemorySampler {
  /** The largest resident memory of the process that any sample saw. */
  peakBytes(): number;
  stop(): void;
}

/** Samples the memory of the whole process: threads, engines and whatever else runs in it. */
function sampleMemory(): MemorySampler {
  let peak = 0;
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MILLISECONDS).unref();
  return {
    peakBytes: () => {
      sample();
      return peak;
    },
    stop: () => clearInterval(timer),
  };
}
