import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError, isOfTheSystem, isSystemError } from '../../pipeline/effects/external-error.ts';
import { fetchTrees } from '../../pipeline/scale-out/object-store/fetch-trees.ts';
import { type Following, followTrees, servedTrees } from '../../pipeline/scale-out/object-store/follow-trees.ts';
import { publishTrees } from '../../pipeline/scale-out/object-store/publish-trees.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import type { StoreName } from '../../pipeline/scale-out/object-store/store-rules.ts';
import { objectKey } from '../../pipeline/scale-out/object-store/tree-document.ts';
import { TreesLost } from '../../pipeline/scale-out/object-store/trees-lost.ts';
import { notePolledPublication, type PolledPublication } from '../../pipeline/scale-out/object-store/waiting.ts';
import {
  findBusy,
  isRecent,
  markWriting,
  type WritingMark,
} from '../../pipeline/scale-out/object-store/writing-marks.ts';
import { POLL_REALTIME } from '../definitions/poll-realtime.ts';
import { fetchUnlessWritten } from '../store/fetch-unless-written.ts';
import { openConfiguredStore, TREE_TIMEOUT_SECONDS } from '../store/open-store.ts';
import { publishWaiting } from '../store/publish-waiting.ts';
import { renewCopiedWriter } from '../store/renew-copied-writer.ts';
import { listUnfinished } from '../store/unfinished.ts';

const REALTIME: StoreName = 'realtime snapshots';
const RECORDS: readonly StoreName[] = ['raw answers', 'index of raw answers', 'observations', 'predictions', 'credits'];

/** Written by other machines, read by the poller. */
const NEEDED: readonly StoreName[] = ['format', 'snapshots', 'models', 'credits'];

const REALTIME_MILLISECONDS = 1000;
const RECORDS_MILLISECONDS = 30_000;
/** Wait after a failure. */
const RETRY_MILLISECONDS = 5000;
/** Interval at which older days are compared as well, since answers past their limits are dropped. */
const ALL_MILLISECONDS = 3_600_000;
const MODELS_SECONDS = 60;
/** The poller writes no older days. */
const RECENT_DAYS = 3;
/** A follower that has just read the tree must still find the content. */
const KEEP_REPLACED_MILLISECONDS = 10 * 60_000;

interface PolledRequest {
  readonly config: Config;
  readonly sources: readonly ConfiguredSource[];
  readonly effects: Effects;
}

/**
 * Polls and publishes to the object store: realtime snapshots at most once a second, records every half minute. Polling
 * never waits for the store: what cannot be published yet stays on the disk.
 */
export async function publishWhile(request: PolledRequest, poll: () => Promise<void>): Promise<void> {
  const { config, effects } = request;
  const store = { ...config.store, treeTimeoutSeconds: TREE_TIMEOUT_SECONDS };
  const context = await openConfiguredStore({ dataDir: config.dataDir, store }, effects);
  await beginPolling(context, request.sources);
  const mark = await markWriting(config.dataDir, POLL_REALTIME, [...RECORDS, REALTIME], {
    clock: effects.clock,
    recentDays: RECENT_DAYS,
  });
  const ending = new AbortController();
  let following: Following | null = null;
  try {
    following = followNeeded(context, request.sources);
    const publishing = new PolledPublisher(context).publishUntil(ending.signal);
    // Without a handler, a bug in publishing would end the process while it polls.
    publishing.catch((error: Error) =>
      effects.log.warn(
        `${POLL_REALTIME} continues polling, but publishes nothing until it is restarted: ${error.stack}`,
      ),
    );
    try {
      await poll();
    } finally {
      ending.abort();
      await settleMark(mark, publishing);
    }
  } finally {
    await following?.close();
    context.store.close();
  }
}

/** Unpublished changes stay marked, also after a bug. */
async function settleMark(mark: WritingMark, publishing: Promise<boolean>): Promise<void> {
  let isPublished = false;
  try {
    isPublished = await publishing;
  } finally {
    await (isPublished ? mark.release() : mark.wait());
  }
}

/** A failure of the store or the disk: it may be temporary, and polling continues. */
function isTrouble(error: unknown): error is Error {
  return error instanceof ExternalError || isOfTheSystem(error);
}

/** If the store fails, the poller starts with local data. */
async function beginPolling(context: StoreContext, sources: readonly ConfiguredSource[]): Promise<void> {
  try {
    await publishWaiting(context);
    await fetchUnlessWritten(context, NEEDED);
    for (const { id } of sources) await renewCopiedWriter(context, id);
  } catch (error) {
    if (!isTrouble(error)) throw error;
    context.effects.log.warn(`${POLL_REALTIME} starts with local data: ${error.message}`);
  }
}

/** Follows timetables and models of other machines. */
function followNeeded(context: StoreContext, sources: readonly ConfiguredSource[]): Following {
  const timetable = servedTrees.filter(({ stores }) => stores.includes('snapshots'));
  const models = sources.map(({ id }) => ({
    name: `learning/${id}`,
    stores: ['models' as const],
    everySeconds: MODELS_SECONDS,
  }));
  const findWritten = () => findBusy(context.dataDir, context.effects.clock);
  return followTrees(context, { trees: [...timetable, ...models], findBusy: findWritten });
}

/** The loop that publishes what a poller writes. */
class PolledPublisher {
  readonly #context: StoreContext;
  /** Contents of replaced realtime snapshots by hash, with the time of replacement in milliseconds. */
  readonly #replaced = new Map<string, number>();
  #pointer = '';
  #recordsAt = Number.NEGATIVE_INFINITY;
  #allAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #publishedAt: string | null = null;
  #trouble: string | null = null;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** @returns whether everything is published at the end */
  async publishUntil(ended: AbortSignal): Promise<boolean> {
    const { effects } = this.#context;
    while (!ended.aborted) {
      const isDue = hasPassed(this.#failedAt, RETRY_MILLISECONDS, effects.clock.nowMilliseconds());
      if (isDue) await this.#attempt(() => this.#publishDue());
      try {
        await effects.sleep(REALTIME_MILLISECONDS, ended);
      } catch (error) {
        if (!ended.aborted) throw error;
      }
    }
    this.#recordsAt = Number.NEGATIVE_INFINITY;
    return this.#attempt(() => this.#publishDue());
  }

  /** Logs the first failure, and the first success after it. */
  async #attempt(task: () => Promise<void>): Promise<boolean> {
    const { effects } = this.#context;
    try {
      await task();
      if (this.#trouble !== null) effects.log.info(`${POLL_REALTIME} publishes to the object store again`);
      this.#trouble = null;
      this.#failedAt = Number.NEGATIVE_INFINITY;
      return true;
    } catch (error) {
      if (!isTrouble(error)) throw error;
      if (error instanceof TreesLost) await this.#fetchLost(error);
      if (this.#trouble === null)
        effects.log.warn(`${POLL_REALTIME} continues polling, and will publish later: ${error.message}`);
      this.#trouble = error.message;
      this.#failedAt = effects.clock.nowMilliseconds();
      await this.#noteTrouble();
      return false;
    }
  }

  async #publishDue(): Promise<void> {
    await this.#publishRealtime();
    const now = this.#context.effects.clock.nowMilliseconds();
    if (!hasPassed(this.#recordsAt, RECORDS_MILLISECONDS, now)) return;
    const isAll = hasPassed(this.#allAt, ALL_MILLISECONDS, now);
    await publishTrees(this.#context, {
      stores: RECORDS,
      listUnfinished: (paths) => listUnfinished(this.#context.dataDir, paths),
      ...(isAll ? {} : this.#recent()),
    });
    if (isAll) this.#allAt = now;
    this.#publishedAt = new Date(now).toISOString();
    await this.#removeReplaced(now);
    await this.#note(0);
    // Last, so that after a failure of any step the next attempt repeats all of them.
    this.#recordsAt = now;
  }

  async #publishRealtime(): Promise<void> {
    const pointer = await findChange(path.join(this.#context.dataDir, 'snapshots/realtime/current.json'));
    if (pointer === this.#pointer) return;
    const { replaced } = await publishTrees(this.#context, { stores: [REALTIME] });
    this.#pointer = pointer;
    for (const sha256 of replaced) this.#replaced.set(sha256, this.#context.effects.clock.nowMilliseconds());
  }

  /** There are many realtime snapshots, and no two are equal: garbage collection is too slow for them. */
  async #removeReplaced(now: number): Promise<void> {
    for (const [sha256, since] of this.#replaced) {
      if (now - since < KEEP_REPLACED_MILLISECONDS) continue;
      await this.#context.store.remove(objectKey(sha256), this.#context.signal);
      this.#replaced.delete(sha256);
    }
  }

  #recent() {
    const { clock } = this.#context.effects;
    const isWanted = (place: string) => isRecent(place, RECENT_DAYS, clock);
    const isWantedTree = (name: string) => {
      const [, date = ''] = /^raw\/[^/]+\/(\d{4}-\d{2}-\d{2})/.exec(name) ?? [];
      return date === '' || isRecent(`fetch_date=${date}`, RECENT_DAYS, clock);
    };
    return { isWanted, isWantedTree };
  }

  /**
   * Another machine has written the same paths, e.g. a snapshot. Fetches only the lost trees: all trees contain months of
   * observations, and nothing is published during the fetch.
   */
  async #fetchLost({ lost }: TreesLost): Promise<void> {
    try {
      const isWantedTree = (name: string) => lost.has(name);
      const { overruled } = await fetchTrees(this.#context, { stores: [...RECORDS, REALTIME], isWantedTree });
      for (const name of overruled)
        this.#context.effects.log.warn(
          `${name} was changed here and in the object store; using the version of the store`,
        );
    } catch (error) {
      // The loss is reported already, and the next attempt fetches again.
      if (!isTrouble(error)) throw error;
    }
  }

  /** A failing disk may prevent both the count and the note; the failure was logged before. */
  async #noteTrouble(): Promise<void> {
    try {
      await this.#note(await this.#countWaiting());
    } catch (error) {
      if (!isTrouble(error)) throw error;
    }
  }

  /** @returns null if the disk fails */
  async #countWaiting(): Promise<number | null> {
    try {
      const { files } = await publishTrees(this.#context, { stores: RECORDS, isDryRun: true, ...this.#recent() });
      return files;
    } catch (error) {
      if (!isTrouble(error)) throw error;
      return null;
    }
  }

  async #note(waitingFiles: number | null): Promise<void> {
    const note: PolledPublication = { publishedAt: this.#publishedAt, waitingFiles, trouble: this.#trouble };
    await notePolledPublication(this.#context.dataDir, note);
  }
}

/** True as well after the clock was set back: otherwise nothing would be published until it catches up. */
function hasPassed(since: number, milliseconds: number, now: number): boolean {
  return now < since || now - since >= milliseconds;
}

/** A text that changes when the file is replaced; empty without a file. */
async function findChange(file: string): Promise<string> {
  try {
    const { mtimeMs, ino } = await stat(file);
    return `${mtimeMs} ${ino}`;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return '';
    throw error;
  }
}
