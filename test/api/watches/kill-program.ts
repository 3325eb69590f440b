import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import type { Verdict } from '../../../api/watches/store/watch-store.ts';
import { NOTHING_EMITTED } from '../../../api/watches/watch.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';

/*
 * The program that `store-kill.slow.test.ts` kills: creates, updates, pushes and removes watches without end. The
 * memory of a watch counts its events, and the text of an event is its number. Committed changes are logged to a file
 * after the store has confirmed them.
 */
const [file, notes, seedText] = process.argv.slice(2) as [string, string, string];
const store = await openWatchStore({ file, postgresUrl: null }, { clock: systemClock, log: silentLog });
const note = (text: string) => appendFileSync(notes, `${text}\n`);
const now = () => Math.floor(Date.now() / 1000) as Instant;
const limits = { maxTotal: 1_000_000, maxPerAddress: 1_000_000, maxPerToken: 1_000_000 };
const target = { endpoint: 'https://push.example.org/1', p256dh: 'cGs', auth: 'YXV0aA' };

let seed = Number(seedText);
const pick = (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % below;
};

/** Two further events, and a memory that counts them. */
function emit(count: number): Verdict {
  return {
    memory: { ...NOTHING_EMITTED, legs: [{ delay: { value: count + 2, at: now() } }] },
    events: [count, count + 1].map((number) => ({ kind: 'delay', text: String(number) })),
    expiresAt: (now() + 86_400) as Instant,
  };
}

note('started');
for (;;) {
  const order = { id: null, owner: 'o', address: 'a', target } as const;
  const put = await store.put(
    { ...order, spec: { kind: 'line', lines: [{ label: 'S1' }], stopIds: [] } },
    limits,
    now(),
    () => emit(0),
  );
  note(`put ${put!.watch.id}`);
  const known = (await store.listChanged(pick(put!.watch.change), 20)).filter(({ isRemoved }) => !isRemoved);
  await store.commit(
    known.map((watch) => ({ watch, verdict: emit(watch.eventCount) })),
    0,
    now(),
  );
  for (const push of await store.claim(now(), 5)) {
    await store.settle([{ ...push, outcome: 'delivered' }]);
    note(`delivered ${push.id}`);
  }
  const doomed = known[0];
  if (!doomed || pick(3) > 0) continue;
  note(`removing ${doomed.id}`);
  await store.remove(doomed.id, 'line', 'o', now());
  note(`removed ${doomed.id}`);
}
