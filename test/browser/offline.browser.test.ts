import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { launchBrowser, waitUntil } from './open-page.ts';
import { lookedAt } from './site-pages.ts';

const site = inject('site');
let browser: Browser;
beforeAll(async () => {
  if (site !== null) browser = await launchBrowser(site);
});
afterAll(() => browser?.close());

test.skipIf(site === null)(
  'without a network the site starts with the last board, and explains other pages',
  async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'de-AT' });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (line) => {
      if (/Content Security Policy/.test(line.text())) complaints.push(line.text());
    });
    const board = await lookedAt.find(({ name }) => name === 'board')!.findPath(site!.url);
    await page.goto(site!.url);
    await page.evaluate('navigator.serviceWorker.ready');
    await waitUntil(page, 'navigator.serviceWorker.controller !== null');
    await page.goto(site!.url + board);
    await page.waitForSelector('.board li');

    await context.setOffline(true);
    await page.goto(site!.url);
    expect(new URL(page.url()).pathname).toBe(new URL(site!.url + board).pathname);
    await page.waitForSelector('.board li');
    await page.goto(`${site!.url}/punctuality`);
    expect(await page.textContent('h1')).toBe('Keine Verbindung');
    await context.setOffline(false);
    await page.reload();
    expect(await page.textContent('h1')).not.toBe('Keine Verbindung');
    expect(complaints).toEqual([]);
    await context.close();
  },
);
