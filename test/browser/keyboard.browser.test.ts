import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchBrowser, openPage } from './open-page.ts';

const site = inject('site');
const view = { width: 1280, theme: 'light' } as const;

describe.skipIf(site === null)('keyboard navigation', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

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
