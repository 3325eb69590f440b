import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchBrowser, openPage } from './open-page.ts';
import { lookedAt } from './site-pages.ts';

const site = inject('site');
const view = { width: 1280, theme: 'light' } as const;

/** Visible elements that are focusable by default; one per group of radio buttons. */
const COUNT_FOCUSABLE = `[...document.querySelectorAll('a[href], button, input, select, summary, textarea, [tabindex="0"]')]
  .filter((element) => !element.disabled && element.type !== 'radio' && element.checkVisibility()).length`;
const MARK_FOCUSED = `(() => {
  const { activeElement } = document;
  if (activeElement === document.body || activeElement.dataset.walked) return false;
  activeElement.dataset.walked = 'yes';
  return activeElement.type === 'radio' ? 'radio' : 'other';
})()`;

/** Presses Tab until the end of the page. @returns number of elements that had the focus */
async function walk(page: Page, atMost: number): Promise<number> {
  let walked = 0;
  for (let i = 0; i < atMost * 2; i++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<'radio' | 'other' | false>(MARK_FOCUSED);
    if (focused === 'other') walked += 1;
    if (walked >= atMost) break;
  }
  return walked;
}

describe.skipIf(site === null)('keyboard navigation', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  test.each(lookedAt)('reaches everything on the page $name', async ({ findPath, ready }) => {
    const { page, close } = await openPage(browser, site!.url + (await findPath(site!.url)), view);
    if (ready) await page.waitForSelector(ready);
    const count = await page.evaluate<number>(COUNT_FOCUSABLE);
    expect(await walk(page, count)).toBe(count);
    await close();
  });

  test('finds a stop, selects its arrivals and opens a journey', async () => {
    const { page, complaints, close } = await openPage(browser, `${site!.url}/`, view);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').getAttribute('href')).toBe('#main');
    await page.locator('[role=combobox]').focus();
    await page.keyboard.type('meidling');
    await page.waitForSelector('[role=option]');
    await page.keyboard.press('ArrowDown');
    const active = await page.getAttribute('[role=combobox]', 'aria-activedescendant');
    expect(await page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/stops/*');
    await page.waitForSelector('.board li');
    await page.locator('.choices button').last().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**show=arrivals');
    await page.goBack();
    await page.waitForSelector('.choices button[aria-pressed=true]:first-child');
    await page.locator('.board a').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/journeys/**');
    await page.waitForSelector('.call[data-marked=true]');
    expect(complaints).toEqual([]);
    await close();
  });

  test('closes suggestions with Escape, and lists all matches with Enter', async () => {
    const { page, close } = await openPage(browser, `${site!.url}/`, view);
    await page.locator('[role=combobox]').focus();
    await page.keyboard.type('wien');
    await page.waitForSelector('[role=option]');
    await page.keyboard.press('Escape');
    expect(await page.getAttribute('[role=combobox]', 'aria-expanded')).toBe('false');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/stops?query=wien');
    await page.waitForSelector('.examples li');
    await close();
  });
});
