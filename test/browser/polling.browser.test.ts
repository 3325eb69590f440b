import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { installClock, launchBrowser, openPage } from './open-page.ts';
import { lookedAt } from './site-pages.ts';

const site = inject('site');
const board = lookedAt.find(({ name }) => name === 'board')!;
/** More than three polling intervals of the board. */
const LONG = 70_000;

const pretend = (isHidden: boolean) => `
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
  document.dispatchEvent(new Event('visibilitychange'));`;

describe.skipIf(site === null)('a board with live updates', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  async function openBoard() {
    const open = await openPage(browser, 'about:blank', { width: 390, theme: 'light' });
    const { page } = open;
    await installClock(page);
    await page.goto(site!.url + (await board.findPath(site!.url)));
    await page.waitForSelector(board.ready!);
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/departures')) requests.push(request.url());
    });
    return { ...open, requests };
  }

  test('polls while visible, stops while hidden, and polls at once when visible again', async () => {
    const { page, requests, close } = await openBoard();
    for (let i = 0; i < 4; i++) {
      const answered = page.waitForResponse(/departures/);
      await page.clock.runFor(15_000);
      await answered;
    }
    expect(requests.length).toBeGreaterThanOrEqual(4);
    await page.evaluate(pretend(true));
    const before = requests.length;
    await page.clock.runFor(LONG);
    expect(requests.length).toBe(before);
    const again = page.waitForRequest(/departures/);
    await page.evaluate(pretend(false));
    await again;
    await close();
  });

  test('shows its age while the service does not answer, and recovers when it does', async () => {
    const { page, close } = await openBoard();
    await page.route('**/site/data/**', (route) => route.abort());
    await page.clock.runFor(LONG);
    await page.waitForSelector('.freshness[data-state=stale]');
    expect(await page.locator('.freshness').innerText()).toMatch(/Keine neuen Daten: Stand vor/);
    expect(await page.locator('.board li').count()).toBeGreaterThan(0);
    await page.unroute('**/site/data/**');
    await page.evaluate("window.dispatchEvent(new Event('online'))");
    await page.waitForSelector('.freshness[data-state=fresh]');
    await close();
  });
});
