import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchBrowser, openPage } from './open-page.ts';
import { ends, findTripPath } from './trip-paths.ts';

const site = inject('site');
const desktop = { width: 1280, theme: 'light' } as const;
const phone = { width: 390, theme: 'light' } as const;

const MAX_TABS = 60;
/** Label of the focused field, button or link; empty if nothing has the focus. */
const NAME_OF_FOCUSED = `(({ tagName, labels, ariaLabel, textContent }) =>
  tagName === 'BODY' ? '' : (labels?.[0]?.textContent ?? ariaLabel ?? textContent))(document.activeElement)`;

describe.skipIf(site === null)('the page of trips', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  test('plans, opens and closes a trip by keyboard', async () => {
    const { page, complaints, close } = await openPage(browser, `${site!.url}/trips?lang=en`, desktop);
    const press = (key: string) => page.keyboard.press(key);
    const focused = () => page.evaluate<string>(NAME_OF_FOCUSED);
    /** Presses Tab until an element with this label has the focus. */
    const tabTo = async (name: string) => {
      for (let pressed = 0; !(await focused()).includes(name); pressed++) {
        if (pressed > MAX_TABS) throw new Error(`Tab does not reach ${name}`);
        await press('Tab');
      }
    };
    await tabTo('From');
    for (const [i, name] of ends.entries()) {
      if (i > 0) await tabTo('To');
      await page.keyboard.type(name);
      await page.waitForSelector(`[role=option]:has-text("${name}")`);
      await press('ArrowDown');
      await press('Enter');
    }
    await press('Tab');
    await press('ArrowRight');
    await press('ArrowRight');
    expect(await page.getByLabel('Arrive by').isChecked()).toBe(true);
    await tabTo('Search');
    await press('Enter');
    await page.waitForSelector('.option .times a');
    expect(new URL(page.url()).searchParams.get('arrival')).toMatch(/^\d{4}-/);

    await tabTo('→');
    await press('Enter');
    await page.waitForSelector('.chosen .legs');
    expect(await focused()).toContain(ends[0]);
    expect(new URL(page.url()).searchParams.get('legs')).not.toBeNull();
    await page.goBack();
    await page.waitForSelector('.chosen', { state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('names missing input', async () => {
    const { page, close } = await openPage(browser, `${site!.url}/trips?lang=en`, phone);
    await page.getByRole('combobox', { name: 'From' }).fill('Wien');
    await page.waitForSelector('[role=option]');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForSelector('[role=alert]:has-text("Choose origin and destination")');
    await close();
  });

  test('restores its state from a link, and pages earlier and later', async () => {
    const path = await findTripPath(site!.url, 'list');
    const first = await openPage(browser, site!.url + path, phone);
    await first.page.getByRole('link', { name: 'Später' }).click();
    await first.page.waitForFunction('new URLSearchParams(location.search).has("page")');
    await first.page.waitForSelector('.option');
    const times = () => first.page.locator('.option .times').allTextContents();
    const later = await times();
    const second = await openPage(browser, first.page.url(), desktop);
    await second.page.waitForSelector('.option');
    expect(await second.page.locator('.option .times').allTextContents()).toEqual(later);
    await first.close();
    await second.close();
  });

  test('updates the chosen trip while visible, until paused', async () => {
    const path = await findTripPath(site!.url, 'chosen');
    const { page, close } = await openPage(browser, 'about:blank', desktop);
    await page.clock.install();
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().includes('/site/data/trip?')) requests += 1;
    });
    await page.goto(site!.url + path);
    await page.waitForSelector('.chosen .legs');
    // The first answer is in the page.
    expect(requests).toBe(0);
    await page.clock.runFor(31_000);
    await expect.poll(() => requests).toBe(1);
    await page.getByRole('button', { name: 'Anhalten' }).click();
    await page.clock.runFor(120_000);
    await page.waitForSelector('.follow:has-text("Angehalten")');
    expect(requests).toBe(1);
    expect(await page.locator('.chosen .legs').isVisible()).toBe(true);
    await close();
  });

  test('prints only the chosen trip, with all its calls', async () => {
    const { page, close } = await openPage(browser, site!.url + (await findTripPath(site!.url, 'chosen')), desktop);
    await page.waitForSelector('.chosen .legs');
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await page.locator('.options').isVisible()).toBe(false);
    expect(await page.locator('.trip-search').isVisible()).toBe(false);
    expect(await page.locator('.chosen details:not([open])').count()).toBe(0);
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await page.locator('.chosen .calls[open]').count()).toBe(0);
    await close();
  });
});
