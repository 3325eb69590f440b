import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchBrowser, openPage } from './open-page.ts';
import { lookedAt } from './site-pages.ts';

const site = inject('site');
const phone = { width: 390, theme: 'light' } as const;

/** What a rider came for, which must be visible without scrolling. */
const firstScreens = [
  ['start', '#search [role=combobox]'],
  ['board', '.board li:first-child'],
  ['trips-found', '.option'],
  ['map', '.map-buttons button:last-child'],
] as const;

/** Bottom edge of an element, and the upper edge of the tab bar. */
const EDGES = (selector: string) => `[document.querySelector('${selector}').getBoundingClientRect().bottom,
  document.querySelector('.bar nav').getBoundingClientRect().top]`;

describe.skipIf(site === null)('on a phone', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  /** Without scripts, which the browser does not run. */
  async function openPlain(name: string) {
    const { findPath } = lookedAt.find((one) => one.name === name)!;
    const context = await browser.newContext({
      viewport: { width: phone.width, height: 844 },
      locale: 'de-AT',
      javaScriptEnabled: false,
    });
    const page = await context.newPage();
    await page.goto(site!.url + (await findPath(site!.url)));
    return { page, close: () => context.close() };
  }

  async function open(name: string) {
    const { findPath, ready } = lookedAt.find((one) => one.name === name)!;
    const opened = await openPage(browser, site!.url + (await findPath(site!.url)), phone);
    if (ready) await opened.page.waitForSelector(ready);
    return opened;
  }

  test.each(firstScreens)('the first screen of %s shows %s above the tab bar', async (name, selector) => {
    const { page, close } = await open(name);
    await page.waitForSelector(selector);
    const [bottom, top] = await page.evaluate<[number, number]>(EDGES(selector));
    expect(top).toBeGreaterThan(700);
    expect(bottom).toBeLessThanOrEqual(top);
    await close();
  });

  test('boards, searches, journeys and trips work without a script', async () => {
    const { page, close } = await openPlain('stops');
    await page.getByRole('textbox').fill('Meidling');
    await page.keyboard.press('Enter');
    await page.locator('.examples a').first().click();
    const first = page.locator('.board li').first();
    expect((await first.boundingBox())!.y).toBeLessThan(700);
    await page.getByRole('link', { name: 'Ankünfte' }).click();
    expect(await page.locator('.choices [aria-current]').innerText()).toBe('Ankünfte');
    await page.locator('.board a').first().click();
    expect(await page.locator('.call').count()).toBeGreaterThan(1);
    await page.goto(`${site!.url}/trips`);
    await page.getByLabel('Von').fill('Wien Meidling');
    await page.getByLabel('Nach', { exact: true }).fill('Linz');
    await page.getByRole('button', { name: 'Suchen' }).click();
    await page.locator('.option .times a').first().click();
    expect(await page.locator('.chosen .legs .leg').count()).toBeGreaterThan(0);
    await close();
  });

  test('a board begins with the rows that are in the page, without requesting or moving them', async () => {
    const requests: string[] = [];
    const { findPath } = lookedAt.find((one) => one.name === 'board')!;
    const { page, close } = await openPage(browser, 'about:blank', phone, async (opened) => {
      opened.on('request', (request) => requests.push(request.url()));
      await opened.addInitScript(
        'new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift = (window.shift ?? 0) + value)))' +
          ".observe({ type: 'layout-shift', buffered: true })",
      );
    });
    await page.goto(site!.url + (await findPath(site!.url)), { waitUntil: 'networkidle' });
    await page.waitForSelector('.board li');
    expect(requests.filter((url) => url.includes('/site/data/'))).toEqual([]);
    expect(await page.evaluate<number>('window.shift ?? 0')).toBeLessThan(0.1);
    await close();
  });

  test('a board is grouped by direction, and remembers a stop for the search', async () => {
    const { page, close } = await open('board');
    const name = await page.locator('h1').innerText();
    await page.getByRole('button', { name: 'Nach Richtung' }).click();
    const group = page.locator('.board-group').first();
    expect(new Set(await group.locator('.place').allInnerTexts())).toEqual(
      new Set([await group.locator('h2').innerText()]),
    );
    await page.getByRole('button', { name: 'Haltestelle merken' }).click();
    await page.goto(`${site!.url}/stops`);
    await page.getByRole('link', { name, exact: true }).click();
    await page.waitForSelector('.board-tools [aria-pressed=true]');
    await close();
  });

  test('tabs lead to the main pages, and "more" to the others', async () => {
    const { page, close } = await open('board');
    const tabs = page.locator('.bar nav a:visible');
    expect(await tabs.allInnerTexts()).toEqual(['Abfahrten', 'Verbindungen', 'Karte', 'Pünktlichkeit', 'Mehr']);
    await tabs.last().click();
    await page.waitForURL('**/#pages');
    expect(await page.locator('#pages').getByRole('link', { name: 'Netzpläne' }).isVisible()).toBe(true);
    await close();
  });

  test('the notice about simulated data is one line, and stays closed', async () => {
    const { page, close } = await open('start');
    const notice = page.locator('.made-up');
    expect((await notice.boundingBox())!.height).toBeLessThan(45);
    await page.getByRole('button', { name: 'Hinweis schließen' }).click();
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.goto(`${site!.url}/trips`);
    expect(await notice.isVisible()).toBe(false);
    expect(await page.locator('footer').innerText()).toContain('erfunden');
    await close();
  });

  test('the form collapses after a search and opens again with the focus in it', async () => {
    const { page, close } = await open('trips-found');
    const from = page.getByRole('combobox', { name: 'Von' });
    expect(await from.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Ändern' }).click();
    expect(await from.isVisible()).toBe(true);
    expect(await page.evaluate('document.activeElement.className')).toBe('trip-search');
    await page.getByRole('button', { name: 'Suchen', exact: true }).click();
    await from.waitFor({ state: 'hidden' });
    await close();
  });
});
