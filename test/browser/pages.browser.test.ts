import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { expectAccessible, keepPicture, launchBrowser, openPage, views } from './open-page.ts';
import { lookedAt } from './site-pages.ts';

const site = inject('site');

describe.skipIf(site === null)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  describe.each(lookedAt)('the page $name', ({ name, findPath, ready }) => {
    test.each(views)(
      'is accessible, complains of nothing and is no wider than the window: $width, $theme',
      async (view) => {
        const { page, complaints, close } = await openPage(browser, site!.url + (await findPath(site!.url)), view);
        if (ready) await page.waitForSelector(ready);
        await keepPicture(page, name, view);
        await expectAccessible(page);
        expect(complaints).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
        await close();
      },
    );
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
