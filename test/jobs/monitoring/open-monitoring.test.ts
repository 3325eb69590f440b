import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openMonitoring } from '../../../jobs/monitoring/open-monitoring.ts';
import { findValue, parseMetrics } from '../../support/checks/parse-metrics.ts';
import { fakeEffects, temporaryFolder, testConfig } from '../fake-world.ts';

async function open(port = 0) {
  const effects = fakeEffects();
  const stop = new AbortController();
  const config = await testConfig(await temporaryFolder());
  const metrics = { isEnabled: true, host: '127.0.0.1', port };
  const monitoring = await openMonitoring({ ...config, metrics }, effects, stop.signal);
  onTestFinished(() => monitoring.close());
  const base = /http:\/\/\S+/.exec(effects.logged())?.[0];
  const get = async (path: string) => {
    const response = await fetch(base + path);
    return `${response.status} ${await response.text()}`;
  };
  return { monitoring, effects, stop, get };
}

it('a process is live from the start, and ready from its signal until it stops', async () => {
  const { monitoring, stop, get } = await open();
  const readyValue = async () => findValue(parseMetrics((await get('/metrics')).slice(4)), 'taktgeber_ready');
  expect(await get('/live')).toBe('200 live\n');
  expect(await get('/ready')).toBe('503 not ready: starting\n');
  let trouble: string | null = 'no timetable is published yet';
  monitoring.begin(() => trouble);
  expect([await get('/ready'), await readyValue()]).toEqual(['503 not ready: no timetable is published yet\n', 0]);
  trouble = null;
  expect([await get('/ready'), await readyValue()]).toEqual(['200 ready\n', 1]);
  stop.abort();
  expect(await get('/ready')).toBe('503 not ready: stopping\n');
  expect(await get('/live')).toBe('200 live\n');
});

it('shows the process itself', async () => {
  const { monitoring, get } = await open();
  monitoring.effects.threadMonitor!.report('1', 'planner-thread', { heapUsed: 100, external: 10 });
  const scrape = parseMetrics((await get('/metrics')).slice(4));
  expect(findValue(scrape, 'taktgeber_threads', { thread: 'main' })).toBe(1);
  expect(findValue(scrape, 'taktgeber_thread_memory_bytes', { thread: 'planner-thread', kind: 'heap' })).toBe(100);
  expect(findValue(scrape, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  const startedAt = findValue(scrape, 'process_start_time_seconds')!;
  expect(startedAt).toBeLessThan(Date.parse('2026-03-01T12:00:00Z') / 1000);
});

it('a port in use costs the metrics, and is logged', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  onTestFinished(() => void other.close());
  const { monitoring, effects } = await open((other.address() as AddressInfo).port);
  expect(effects.logged()).toMatch(/^warning: no metrics: .*EADDRINUSE.*TAKTGEBER_METRICS_PORT/);
  monitoring.effects.metrics.counters.jobRuns.add({ job_name: 'x', status: 'done' });
});
