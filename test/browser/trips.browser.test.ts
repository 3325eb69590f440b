import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { installClock, launchBrowser, openPage, waitUntil } from './open-page.ts';
import { ends, findTripPath } from './trip-paths.ts';

const site = inject('site');
const desktop = { width: 1280, theme: 'light' } as const;
const phone = { width: 390, theme: 'light' } as const;

const MAX_TABS = 60;
/** Label of the focused field, button or link; empty if nothing has the focus. */
const NAME_OF_FOCUSED = `(({ tagName, labels, ariaLabel, textContent }) =>
  tagName === 'BODY' ? '' : (labels?.[0]?.textContent ?? ariaLabel ?? textContent))(document.activeElement)`;

/** Subscribes without a push service, with the public key of RFC 8291 (section 5). */
const SUBSCRIBE_LOCALLY = `PushManager.prototype.subscribe = async () => ({ toJSON: () => ({
  endpoint: 'https://fcm.googleapis.com/fcm/send/test',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
}) })`;
/** Title and text of each notification; null if there is none. */
const NOTIFICATIONS = `navigator.serviceWorker.ready.then(async (worker) => {
  const shown = await worker.getNotifications();
  return shown.length > 0 ? shown.map(({ title, body }) => [title, body]) : null;
})`;

/** Delivers a message to the service worker, as a push service does. */
async function deliverPush(page: Page, origin: string, message: object): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registered;
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(message) });
}

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

    await page.goto(`${site!.url}/?lang=en`);
    await page.getByRole('combobox').focus();
    const offered = page.getByRole('option');
    expect(await offered.allTextContents()).toEqual([ends[1], ends[0], 'Clear history']);
    await press('ArrowUp');
    await press('Enter');
    await page.getByRole('combobox').blur();
    await page.getByRole('combobox').focus();
    expect(await offered.count()).toBe(0);
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
    await page.getByRole('button', { name: 'Add a stop on the way' }).click();
    // The focus moves once the field is drawn, or gone.
    const focused = () => page.evaluate<string>(NAME_OF_FOCUSED);
    await expect.poll(focused).toBe('Via');
    await page.getByRole('button', { name: 'Remove stop' }).click();
    await expect.poll(focused).toContain('Add a stop on the way');

    await page.getByRole('button', { name: 'Choose on the map' }).click();
    await page.locator('.pick-map .map-buttons button').first().waitFor();
    await page.locator('.pick-map canvas').click();
    await page.locator('.pick-map .actions').getByRole('button', { name: 'To' }).click();
    const to = page.getByRole('combobox', { name: 'To', exact: true });
    await expect.poll(() => to.inputValue()).not.toBe('');
    await close();
  });

  test('restores its state from a link, and pages earlier and later', async () => {
    const path = await findTripPath(site!.url, 'list');
    const first = await openPage(browser, site!.url + path, phone);
    await first.page.getByRole('link', { name: 'Später' }).click();
    await waitUntil(first.page, 'new URLSearchParams(location.search).has("page")');
    await first.page.waitForSelector('.option');
    const times = () => first.page.locator('.option .times').allTextContents();
    const later = await times();
    const second = await openPage(browser, first.page.url(), desktop);
    await second.page.waitForSelector('.option');
    expect(await second.page.locator('.option .times').allTextContents()).toEqual(later);
    await first.close();
    await second.close();
  });

  test('watches the chosen trip by web push, and shows an event of it', async () => {
    const context = await browser.newContext({ locale: 'de-AT', permissions: ['notifications'] });
    const page = await context.newPage();
    // Push services are other servers.
    await page.addInitScript(SUBSCRIBE_LOCALLY);
    await page.goto(site!.url + (await findTripPath(site!.url, 'chosen')));
    const sent = page.waitForResponse('**/trips/watch');
    await page.getByRole('button', { name: 'Verbindung beobachten' }).click();
    const { watchId } = (await (await sent).json()) as { readonly watchId: string };
    await page.waitForSelector('.watch:has-text("Sie bekommen eine Nachricht")');
    await page.reload();
    await page.getByRole('button', { name: 'Nicht mehr beobachten' }).waitFor();

    await deliverPush(page, site!.url, { watchId, event: { id: 'e1', kind: 'delay', text: 'S1 ist verspätet.' } });
    await waitUntil(page, NOTIFICATIONS);
    const [shown] = await page.evaluate<string[][]>(NOTIFICATIONS);
    expect(shown).toEqual([expect.stringContaining(' → '), 'S1 ist verspätet.']);
    await page.getByRole('button', { name: 'Nicht mehr beobachten' }).click();
    await page.getByRole('button', { name: 'Verbindung beobachten' }).waitFor();
    await context.close();
  });

  test('updates the chosen trip while visible, until paused', async () => {
    const path = await findTripPath(site!.url, 'chosen');
    const { page, close } = await openPage(browser, 'about:blank', desktop);
    await installClock(page);
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
