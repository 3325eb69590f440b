import { mkdtemp, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { silentLog } from '../../pipeline/effects/log.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { openObservations } from '../../pipeline/lake/observations/observation-store.ts';
import { compactObservations } from '../../pipeline/lake/observations/compact-observations.ts';
import type { CallSighting } from '../../pipeline/model/observation.ts';

const T0 = 1_768_500_000;
function sightings(trips: number, calls: number, round: number): CallSighting[] {
  const list: CallSighting[] = [];
  for (let t = 0; t < trips; t++)
    for (let c = 0; c < calls; c++)
      list.push({
        tripKey: BigInt(t) * 9_876_543_210_123n, day: 20468 as never, tripId: `TA.j26.trip-${t}.1.H`, routeId: `route-${t % 900}`, lineLabel: `${t % 900}`,
        position: c >> 1, stopId: `at:49:${(t * 31 + (c >> 1)) % 40000}:0:1`, event: c % 2 ? 'departure' : 'arrival', channel: 'stop_events',
        scheduledTime: (T0 + c * 60) as never, time: (T0 + c * 60 + round) as never, evidence: 'forecast', isCancelled: false, platform: null, recordedAt: (T0 + round) as never,
      });
  return list;
}
{
  const dataDir = await mkdtemp('/tmp/lk/perf-');
  const open = () => openObservations(dataDir, toSourceId('x'), { memoryLimit: '2GB', threads: 2 }, { log: silentLog });
  let store = await open();
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const mem = () => { global.gc?.(); const m = process.memoryUsage(); return `${Math.round(m.rss / 1e6)} rss ${Math.round((m.heapUsed + m.arrayBuffers) / 1e6)} MB heap+buffers`; };
  const time = async <T>(name: string, f: () => Promise<T>) => { let max = 0; let last = performance.now(); let on = true; const tick = () => { const n = performance.now(); max = Math.max(max, n - last); last = n; if (on) setTimeout(tick, 5); }; setTimeout(tick, 5);
    const t = performance.now(); const c = process.cpuUsage(); const r = await f(); const d = performance.now() - t; on = false; const u = process.cpuUsage(c); const cpu = (u.user + u.system) / 1000; say(`${name}: ${d.toFixed(0)} ms, cpu ${cpu.toFixed(0)} (sys ${(u.system / 1000).toFixed(0)}), longest block ${max.toFixed(0)} ms, ${mem()}`); return r; };
  const batch = (round: number, s: CallSighting[]) => ({ part: 'tu', rawId: `raw-${round}`, seenAt: (T0 + round) as never, sightings: s, ended: [] });
  const first = sightings(20000, 20, 0);
  await time('first 400k', () => store.append(batch(0, first)));
  for (let r = 30; r <= 120; r += 30) { const s = sightings(5000, 20, r); await time(`100k round ${r}`, () => store.append(batch(r, s))); }
  await time('append empty', () => store.append(batch(301, [])));
  say(`${store.countClosed()} closed`);
  await time('flush', () => store.flush((T0 + 400) as never));
  await store.append(batch(430, sightings(5000, 20, 430)));
  await store.close();
  store = await time('open', open);
  let n = 0; await time('listOpen', async () => { for (const s of store.listOpen()) n += s.position >= 0 ? 1 : 0; }); say(`${n} open`);
  await time('flush', () => store.flush((T0 + 460) as never));
  await time('compact', () => compactObservations(dataDir, toSourceId('x'), '2026-01-15' as never, { memoryLimit: '2GB', threads: 2 }));
  for (const f of await readdir(dataDir, { recursive: true, withFileTypes: true })) if (f.isFile()) say(`${path.join(f.parentPath, f.name)} ${(await stat(path.join(f.parentPath, f.name))).size}`);
  await store.close();
}