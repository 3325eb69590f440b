import { fetchTrees } from '../../pipeline/scale-out/object-store/fetch-trees.ts';
import { publishTrees } from '../../pipeline/scale-out/object-store/publish-trees.ts';
import { sendMissing } from '../../pipeline/scale-out/object-store/send-missing.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import { type StoreName, storeNames } from '../../pipeline/scale-out/object-store/store-rules.ts';
import { listMarks } from '../../pipeline/scale-out/object-store/writing-marks.ts';
import { renderTable } from '../job/text-table.ts';
import { fetchUnlessWritten } from '../store/fetch-unless-written.ts';
import { publishStores } from '../store/publish-stores.ts';
import { publishWaiting } from '../store/publish-waiting.ts';
import type { CommandTools, CommonOptions } from './command-tools.ts';
import { printJson, printLine } from './io.ts';

export interface StoreOptions extends CommonOptions {
  readonly raw?: boolean;
  readonly json?: boolean;
}

/** Large, and of no use to most machines. */
const RAW: readonly StoreName[] = ['raw', 'raw answers', 'index of raw answers'];

/** Compares folder and store. */
export async function printStatus(context: StoreContext, { json }: StoreOptions, { io }: CommandTools): Promise<void> {
  const rows: { store: StoreName; toPublish: number; toFetch: number }[] = [];
  for (const store of storeNames) {
    const waiting = await publishTrees(context, { stores: [store], isDryRun: true });
    const missing = await fetchTrees(context, { stores: [store], isDryRun: true });
    rows.push({
      store,
      toPublish: waiting.files + waiting.removed,
      toFetch: missing.files + missing.removed,
    });
  }
  const marks = (await listMarks(context.dataDir)).map(({ job, isAtWork, since }) => ({ job, isAtWork, since }));
  if (json) return printJson(io, { url: context.store.url, stores: rows, jobs: marks });
  printLine(io, context.store.url);
  const columns = [
    { title: 'STORE' },
    { title: 'TO PUBLISH', align: 'end' as const },
    { title: 'TO FETCH', align: 'end' as const },
  ];
  const shown = rows.map(({ store, toPublish, toFetch }) => [store, String(toPublish), String(toFetch)]);
  for (const line of renderTable(columns, shown)) printLine(io, line);
  for (const { job, isAtWork, since } of marks) {
    printLine(io, `${job} ${isAtWork ? 'writes' : 'has written what waits'} since ${since}`);
  }
}

/** Publishes everything except what jobs are writing. */
export async function publish(context: StoreContext, { json }: StoreOptions, { io }: CommandTools): Promise<void> {
  await publishWaiting(context);
  const busy = new Set((await listMarks(context.dataDir)).flatMap(({ stores }) => stores));
  const outcome = await publishStores(
    context,
    storeNames.filter((store) => !busy.has(store)),
  );
  const lost = await sendMissing(context);
  if (json) return printJson(io, { ...outcome, lost });
  const { files, removed, contents, bytes } = outcome;
  printLine(io, `published ${files} files, ${removed} removals; ${contents} contents of ${bytes} bytes were new`);
  const { sent, stillMissing } = lost;
  if (sent + stillMissing > 0)
    printLine(io, `${sent} contents that the store had lost were sent again; ${stillMissing} are not on this machine`);
}

/** Publishes pending changes, then fetches the stores. */
export async function fetchAll(
  context: StoreContext,
  { raw, json }: StoreOptions,
  { io }: CommandTools,
): Promise<void> {
  await publishWaiting(context);
  const outcome = await fetchUnlessWritten(
    context,
    storeNames.filter((store) => raw || !RAW.includes(store)),
  );
  if (json) return printJson(io, outcome);
  printLine(io, `fetched ${outcome.files} files (${outcome.bytes} bytes), removed ${outcome.removed}`);
}
