import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { hostile, openHostileCountry } from './hostile-country.ts';
import { expectAccessible, keepPicture, launchBrowser, openPage, type View } from './open-page.ts';

const site = inject('site');
const view: View = { width: 390, theme: 'light' };

/** Expects that no name became an element, executed code, or widened the page. */
async function expectHarmless(page: Page, complaints: readonly string[]): Promise<void> {
  expect(await page.getAttribute('html', 'data-taken')).toBeNull();
  expect(await page.locator('main :is(script, img, iframe, b)').count()).toBe(0);
  expect(complaints).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
}

describe.skipIf(site === null)('hostile names (markup, reversed text, very long)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  test('remain text on every page', async () => {
    const { url, journeyRef } = await openHostileCountry();
    const pages = [
      ['start', '/', '.state'],
      ['search', '/stops?query=platz', '.examples li'],
      ['board', '/stops/at%3Aa', '.board li'],
      ['journey', `/journeys/${journeyRef}?stop=at%3Aa`, '.call'],
    ] as const;
    for (const [name, path, ready] of pages) {
      const { page, complaints, close } = await openPage(browser, url + path, view);
      await page.waitForSelector(ready);
      await keepPicture(page, `hostile-${name}`, view);
      await expectHarmless(page, complaints);
      await expectAccessible(page);
      await close();
    }
  });

  test('remain text on boards with delays, platform changes and cancellations', async () => {
    const { url } = await openHostileCountry();
    const { page, close } = await openPage(browser, `${url}/stops/at%3Aa`, view);
    await page.waitForSelector('.board li');
    const rows = await page.locator('.board li').allInnerTexts();
    expect(rows.map((row) => /Gleis 2 statt 1|fällt aus/.exec(row)?.[0])).toContain('fällt aus');
    expect(rows.join(' ')).toContain(hostile.headsign);
    expect(await page.locator('.notices summary').innerText()).toBe(hostile.notice);
    await close();
  });

  test('remain text in suggestions', async () => {
    const { url } = await openHostileCountry();
    const { page, complaints, close } = await openPage(browser, `${url}/`, view);
    await page.fill('[role=combobox]', 'platz');
    await page.waitForSelector('[role=option]');
    expect((await page.locator('[role=option]').allInnerTexts()).sort()).toEqual([hostile.stop, hostile.long].sort());
    await expectHarmless(page, complaints);
    await close();
  });
});
