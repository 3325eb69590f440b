import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { HOSTILE, madeUpPredictions, madeUpPunctuality } from './made-up-charts.ts';
import { expectAccessible, expectSoundInThemes, launchBrowser, openPage, widths } from './open-page.ts';

const site = inject('site');

/** Replaces the numbers of the sample, so that the pages do not depend on what it has recorded. */
async function answerCharts(page: Page): Promise<void> {
  const answer = (path: string, make: (query: URLSearchParams) => object) =>
    page.route(
      (url) => url.pathname === path,
      (route) => {
        const query = new URL(route.request().url()).searchParams;
        return route.fulfill({
          json: query.has('table') ? { rows: [{ line: 'U1' }, { line: HOSTILE }] } : make(query),
        });
      },
    );
  await answer('/site/data/punctuality', madeUpPunctuality);
  await answer('/site/data/predictions', madeUpPredictions);
}

const wide = Math.max(...widths);

describe.skipIf(site === null)('pages of charts', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  const open = async (path: string, width = wide) => {
    const opened = await openPage(browser, site!.url + path, { width, theme: 'light' }, answerCharts);
    await opened.page.waitForSelector('.plot');
    return opened;
  };

  describe.each([
    ['punctuality-charts', '/punctuality'],
    ['punctuality-periods', '/punctuality?versus=period'],
    ['predictions-charts', '/predictions?pairs=toldBySource'],
  ])('%s', (name, path) => {
    test.each(widths)('is accessible, reports no errors and fits into a window of %i pixels', async (width) => {
      const opened = await open(path, width);
      await expectSoundInThemes(opened, name, width);
      // Once is sufficient: tables and statements are the same on narrow pages.
      if (width === wide) {
        await opened.page.evaluate(`document.querySelectorAll('main details').forEach((one) => { one.open = true; })`);
        await expectAccessible(opened.page);
      }
      await opened.close();
    });
  });

  test.each(['/punctuality', '/predictions'])(
    'on %s each drawing has its numbers as a table, its files and its SQL',
    async (path) => {
      const { page, close } = await open(path);
      for (const panel of await page.$$('.chart-panel')) {
        expect(await panel.$$('table')).not.toHaveLength(0);
        expect(await panel.$$('.downloads a[href*="format=csv"]')).not.toHaveLength(0);
        expect(await panel.$$('.downloads a[href*="format=parquet"]')).not.toHaveLength(0);
        expect(await panel.$$('pre code')).not.toHaveLength(0);
      }
      await close();
    },
  );

  test.each(['/punctuality', '/predictions'])('%s shows names from feeds as text', async (path) => {
    const { page, close } = await open(path);
    expect(await page.$$('main img')).toEqual([]);
    expect(await page.textContent('main')).toContain(HOSTILE);
    await close();
  });

  test('selects a period by keyboard, and reproduces every state from its link', async () => {
    const { page, close } = await open('/punctuality');
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
    };
    await press('7 Tage');
    await press('zwei Zeiträume');
    await page.waitForSelector('.totals [data-series=b]');
    const state = () => page.$$eval('[aria-pressed=true]', (all) => all.map(({ textContent }) => textContent));
    const chosen = await state();
    expect(chosen).toEqual(['7 Tage', 'zwei Zeiträume']);
    expect(new URL(page.url()).search).toBe('?from=2026-01-25&to=2026-01-31&versus=period');
    await page.reload({ waitUntil: 'networkidle' });
    expect(await state()).toEqual(chosen);
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes('versus'));
    expect(await state()).toEqual(['7 Tage', expect.stringContaining('nichts')]);
    await close();
  });

  test('reaches every control with Tab in page order', async () => {
    const { page, close } = await open('/predictions');
    const reached = new Set<string>();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      reached.add(String(await page.evaluate('document.activeElement.textContent || document.activeElement.type')));
    }
    for (const name of [
      'alle Prognosen',
      'Als Tabelle',
      'SQL zu diesen Zahlen',
      'CSV, Fehler nach Tagen',
      'Parquet, Fehler nach Tagen',
      'Eine andere Prognose',
    ]) {
      expect([name, reached.has(name)]).toEqual([name, true]);
    }
    await close();
  });

  test('compares two lines once both are selected', async () => {
    const { page, close } = await open('/punctuality?line=U1&versus=line&other-line=S3');
    expect(await page.$$eval('.totals h2', (all) => all.map(({ textContent }) => textContent))).toEqual(['U1', 'S3']);
    await close();
  });

  test('gives every example prediction its own link', async () => {
    const { page, close } = await open('/predictions');
    await page.getByRole('button', { name: 'Eine andere Prognose' }).click();
    await page.waitForURL((url) => url.search.includes('example='));
    expect(new URL(page.url()).searchParams.get('example')).not.toBe('1');
    await close();
  });
});
