import process from 'node:process';
import { type Browser, chromium } from 'playwright-core';
import { projectRoot } from '../../pipeline/effects/project-files.ts';
import { findChromium, startService } from '../browser/start-service.ts';
import type { Bench } from './bench.ts';
import type { Metric } from './metric.ts';
import { createRider, type RiderTask, riderTasks } from './rider-tasks.ts';

/** A task with a longer step counts as not possible on the measured pages. */
const STEP_TIMEOUT_MILLISECONDS = 10_000;
/** Computed before the tasks: a month of days and models in the background would take their processor time. */
const PAST_DAYS = 2;
/** In the middle of Vienna. */
const HERE = { latitude: 48.2082, longitude: 16.3738 };

/** Measures taps and seconds of riders' tasks on a phone, from the loaded page to the answer. */
export async function benchRiders({ progress }: Pick<Bench, 'progress'>): Promise<Metric[]> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('there is no Chromium; CHROMIUM_PATH names one');
  // RIDERS_CHECKOUT names another built checkout to compare with.
  const service = await startService(process.env.RIDERS_CHECKOUT ?? projectRoot, { pastDays: PAST_DAYS });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const metrics: Metric[] = [];
  try {
    for (const task of riderTasks) {
      progress(task.name);
      metrics.push(...(await measureTask(browser, service.url, task)));
    }
  } finally {
    await browser.close();
    await service.stop();
  }
  return metrics;
}

async function measureTask(browser: Browser, url: string, { name, path, run }: RiderTask): Promise<Metric[]> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    locale: 'de-AT',
    timezoneId: 'Europe/Vienna',
    reducedMotion: 'reduce',
    geolocation: HERE,
    permissions: ['geolocation'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_TIMEOUT_MILLISECONDS);
  try {
    const rider = createRider(page, url);
    await rider.open(path);
    const started = performance.now();
    const isDone = await run(rider).then(
      () => true,
      () => false,
    );
    const seconds = (performance.now() - started) / 1000;
    if (!isDone) return [{ name: `${name}: possible`, value: 0, unit: '', target: { atLeast: 1 } }];
    return [
      { name: `${name}: taps`, value: rider.taps, unit: '' },
      { name: `${name}: time`, value: seconds, unit: 's' },
    ];
  } finally {
    await context.close();
  }
}
