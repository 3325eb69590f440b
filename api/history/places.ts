import { queueFull } from '../planning/planning.ts';

/** Tells when the one who asked has gone: nobody waits for the answer any more. */
export type WhenGone = (listener: () => void) => void;

export interface PlaceLimits {
  /** Work done at once. */
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** From question to answer, waiting included. */
  readonly timeLimitSeconds: number;
}

/** Somebody's time at one of the places. */
export interface Turn {
  /** Throws why the work should end, once it should: between two steps nobody can be interrupted. */
  check(): void;
}

/** What is done at a place. */
type Task<Place, Result> = (place: Place, turn: Turn) => Promise<Result>;

/** A few places to work at, and a line of those who wait for one. */
export interface Places<Place> {
  /**
   * @param whenGone whose work is given up when the one who asked has gone
   * @throws ApiProblem `overloaded` when too many wait, the time is over, or the service ends
   */
  work<Result>(task: Task<Place, Result>, whenGone: WhenGone): Promise<Result>;
  /** Gives up all that is under way, and resolves when nobody works any more. */
  close(): Promise<void>;
}

interface PlacesOptions<Place> {
  readonly places: readonly Place[];
  readonly limits: Omit<PlaceLimits, 'maxConcurrent'>;
  /** Makes the work that goes on at a place fail; asked for again and again until it has. */
  interrupt(place: Place): void;
  readonly refusals: { timeLimitPassed(): Error; clientGone(): Error; serviceStopping(): Error };
}

/** An interruption may come in the moment before the engine begins, which then has not heard it. */
const QUERY_INTERRUPT_MILLISECONDS = 25;

interface Waiting<Place> {
  start(place: Place): void;
  end(reason: Error): void;
}

export function openPlaces<Place>(options: PlacesOptions<Place>): Places<Place> {
  const { places, limits, refusals } = options;
  const free = [...places];
  // A set keeps the order, and lets anybody leave it.
  const waiting = new Set<Waiting<Place>>();
  const underWay = new Set<Waiting<Place>>();
  const working = new Set<Promise<unknown>>();
  let isOpen = true;

  const desk: Desk<Place> = {
    leave: (job) => void waiting.delete(job),
    begin(job, work) {
      underWay.add(job);
      working.add(work);
    },
    finish(job, work, place) {
      underWay.delete(job);
      working.delete(work);
      const [next] = waiting;
      if (!next) return void free.push(place);
      waiting.delete(next);
      next.start(place);
    },
  };

  return {
    work<Result>(task: Task<Place, Result>, whenGone: WhenGone) {
      return new Promise<Result>((resolve, reject) => {
        const job = openJob(task, { resolve, reject }, desk, options);
        if (!isOpen) return job.end(refusals.serviceStopping());
        const place = free.pop();
        if (place === undefined && waiting.size >= limits.maxQueued) return job.end(queueFull());
        whenGone(() => job.end(refusals.clientGone()));
        if (place === undefined) waiting.add(job);
        else job.start(place);
      });
    },
    async close() {
      isOpen = false;
      for (const job of [...waiting, ...underWay]) job.end(refusals.serviceStopping());
      while (working.size > 0) await Promise.allSettled(working);
    },
  };
}

/** Where jobs tell what becomes of them. */
interface Desk<Place> {
  leave(job: Waiting<Place>): void;
  begin(job: Waiting<Place>, work: Promise<unknown>): void;
  finish(job: Waiting<Place>, work: Promise<unknown>, place: Place): void;
}

/** One question from when it is asked: it ends once, by its answer or by whatever comes before that. */
function openJob<Place, Result>(
  task: Task<Place, Result>,
  { resolve, reject }: { resolve(result: Result): void; reject(reason: unknown): void },
  desk: Desk<Place>,
  { limits, interrupt, refusals }: PlacesOptions<Place>,
): Waiting<Place> {
  let reason: Error | null = null;
  let isDone = false;
  let placeOfWork: Place | null = null;
  const end = (why: Error) => {
    if (reason || isDone) return;
    reason = why;
    clearTimeout(timer);
    desk.leave(job);
    if (placeOfWork !== null) interrupt(placeOfWork);
    reject(why);
  };
  const check = () => {
    if (reason) throw reason;
  };
  const job: Waiting<Place> = {
    end,
    start(place) {
      placeOfWork = place;
      const again = setInterval(() => {
        if (reason) interrupt(place);
      }, QUERY_INTERRUPT_MILLISECONDS);
      const work = task(place, { check })
        // After a refusal neither has an effect.
        .then(resolve, reject)
        .finally(() => {
          clearInterval(again);
          clearTimeout(timer);
          isDone = true;
          desk.finish(job, work, place);
        });
      desk.begin(job, work);
    },
  };
  const timer = setTimeout(() => end(refusals.timeLimitPassed()), limits.timeLimitSeconds * 1000);
  return job;
}
