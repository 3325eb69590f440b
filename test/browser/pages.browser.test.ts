import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { expectReachable, expectSoundInThemes, launchBrowser, openPage, widths } from './open-page.ts';
import { lookedAt } from './site-pages.ts';

const site = inject('site');
/** Where the keyboard is tried; phones have none. */
const DESKTOP_WIDTH = 1280;

describe.skipIf(site === null)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  describe.each(lookedAt)('the page $name', ({ name, findPath, ready }) => {
    test.each(widths)('is accessible, reports no errors and fits into a window of %i pixels', async (width) => {
      const address = site!.url + (await findPath(site!.url));
      const opened = await openPage(browser, address, { width, theme: 'light' });
      if (ready) await opened.page.waitForSelector(ready);
      await expectSoundInThemes(opened, name, width);
      if (width === DESKTOP_WIDTH) await expectReachable(opened.page);
      await opened.close();
    });
  });

  test('remembers the selected theme and language', async () => {
    const { page, close } = await openPage(browser, `${site!.url}/`, { width: 1280, theme: 'light' });
    const theme = () => page.getAttribute('html', 'data-theme');
    expect(await theme()).toBe('auto');
    await page.click('.theme-switch');
    await page.click('.theme-switch');
    expect(await theme()).toBe('dark');
    await page.click('.language-switch');
    await page.waitForSelector('html[lang=en]');
    expect([await theme(), new URL(page.url()).search]).toEqual(['dark', '']);
    await page.goto(`${site!.url}/problems`);
    expect([await theme(), await page.getAttribute('html', 'lang')]).toEqual(['dark', 'en']);
    await close();
  });
});
