import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { trials } from '../support/checks/trials.ts';
import { launchBrowser, waitUntil } from './open-page.ts';
import { saveMeasurements } from './save-measurements.ts';
import { lookedAt } from './site-pages.ts';

const site = inject('site');
/** CPU of a phone some years old, without network latency. */
const SLOWER = 4;
const SETTLED_MILLISECONDS = 2000;
/** Number of attempts, of which the best counts: the machine is shared. */
const LOOKS = trials(1);

/** Runs before the scripts of the page. */
const OBSERVE = `
  window.seen = { paintMilliseconds: 0, shift: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.seen.paintMilliseconds = entry.startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.seen.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

interface Seen {
  readonly paintMilliseconds: number;
  readonly shift: number;
}

describe.skipIf(site === null)('with a four times slower CPU', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  async function look(path: string): Promise<Seen> {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'de-AT' });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.addInitScript(OBSERVE);
    await page.goto(site!.url + path);
    await waitUntil(page, 'window.seen.paintMilliseconds > 0');
    await wait(SETTLED_MILLISECONDS);
    const seen = await page.evaluate<Seen>('window.seen');
    await context.close();
    return seen;
  }

  test('renders every page, and records paint times and layout shifts', async () => {
    const describePaint = async ({ name, findPath }: (typeof lookedAt)[number]) => {
      const path = await findPath(site!.url);
      const seen: Seen[] = [];
      for (let i = 0; i < LOOKS; i++) seen.push(await look(path));
      const paintMilliseconds = Math.min(...seen.map((one) => one.paintMilliseconds));
      const shift = Math.max(...seen.map((one) => one.shift));
      return `${name}: largest paint ${Math.round(paintMilliseconds)} ms, layout shift ${shift.toFixed(3)}`;
    };
    const lines: string[] = [];
    // Two at a time: most of it is waiting.
    for (let i = 0; i < lookedAt.length; i += 2)
      lines.push(...(await Promise.all(lookedAt.slice(i, i + 2).map(describePaint))));
    await saveMeasurements('speed', lines);
  });
});
