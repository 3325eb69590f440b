import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchBrowser, openPage } from './open-page.ts';

const site = inject('site');

describe.skipIf(site === null)('the API reference', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  test('follows the theme of the site, and sends requests with a body', async () => {
    const { page, complaints, close } = await openPage(browser, `${site!.url}/docs`, { width: 1280, theme: 'light' });
    await page.waitForSelector('#reference .opblock');
    const isDark = () => page.locator('html.dark-mode').count();
    expect(await isDark()).toBe(0);
    await page.click('.theme-switch');
    await page.click('.theme-switch');
    await page.waitForSelector('html.dark-mode');

    const operation = page.locator('#operations-v2-planTrips');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    const sent = page.waitForResponse((response) => response.request().method() === 'POST');
    await operation.locator('.execute').click();
    const response = await sent;
    expect([new URL(response.url()).pathname, response.status()]).toEqual(['/site/data/try/trips', 200]);
    // The command has the address of the API.
    expect(await operation.locator('.curl-command').textContent()).toContain('/v2/trips');
    await page.screenshot({ path: 'test-output/docs-1280-dark.png' });
    expect(complaints).toEqual([]);
    await close();
  });
});
