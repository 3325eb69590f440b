import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchBrowser, openPage } from './open-page.ts';
import { lookedAt } from './site-pages.ts';

const site = inject('site');
const board = lookedAt.find(({ name }) => name === 'board')!;
/** More than three intervals of the board. */
const LONG = 70_000;

const pretend = (isHidden: boolean) => `
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
  document.dispatchEvent(new Event('visibilitychange'));`;

describe.skipIf(site === null)('a board that keeps itself up to date', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  async function openBoard() {
    const open = await openPage(browser, 'about:blank', { width: 390, theme: 'light' });
    const { page } = open;
    await page.clock.install();
    await page.goto(site!.url + (await board.findPath(site!.url)));
    await page.waitForSelector(board.ready!);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/departures')) asked.push(request.url());
    });
    return { ...open, asked };
  }

  test('asks again while it is seen, not while it is hidden, and at once when it is seen again', async () => {
    const { page, asked, close } = await openBoard();
    for (let i = 0; i < 4; i++) {
      const answered = page.waitForResponse(/departures/);
      await page.clock.runFor(15_000);
      await answered;
    }
    expect(asked.length).toBeGreaterThanOrEqual(4);
    await page.evaluate(pretend(true));
    const before = asked.length;
    await page.clock.runFor(LONG);
    expect(asked.length).toBe(before);
    const again = page.waitForRequest(/departures/);
    await page.evaluate(pretend(false));
    await again;
    await close();
  });

  test('says how old it is when the service does not answer, and that all is well when it does', async () => {
    const { page, close } = await openBoard();
    await page.route('**/site/data/**', (route) => route.abort());
    await page.clock.runFor(LONG);
    await page.waitForSelector('.freshness[data-state=stale]');
    expect(await page.locator('.freshness').innerText()).toMatch(/Keine neuen Angaben: Stand vor/);
    expect(await page.locator('.board li').count()).toBeGreaterThan(0);
    await page.unroute('**/site/data/**');
    await page.evaluate("window.dispatchEvent(new Event('online'))");
    await page.waitForSelector('.freshness[data-state=fresh]');
    await close();
  });
});
