import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { listLegRefs } from '../../api/contract/leg-refs.ts';
import { toLocalTime } from '../../api/site/view-model/local-time.ts';
import { emptyState, type TripsState } from '../../api/site/view-model/trips-state.ts';
import { openPlot, openStage, STEP_SECONDS, type Stage, startInstant } from '../support/worlds/scenes/open-stage.ts';
import { expectSoundInThemes, installClock, launchBrowser, openPage, waitUntil, widths } from './open-page.ts';
import { pathOf } from './trip-paths.ts';

const site = inject('site');

/** Number of polls until the stopped train is known to miss its transfer. */
const MAX_POLLS = 30;
/** Longer than the polling interval of a chosen trip. */
const FOLLOWED_MILLISECONDS = 31_000;
/** Many times the usual duration, so that the test passes on a busy machine. */
const TIMEOUT_MILLISECONDS = 600_000;

let browser: Browser;
beforeAll(async () => {
  if (site !== null) browser = await launchBrowser(site);
});
afterAll(() => browser?.close());

test.skipIf(site === null)(
  'the page reports a missed transfer without a reload, marks it, and offers options, one of which is selected',
  async () => {
    const stage = await openStage();
    await stage.polling.run(1);
    const plot = await openPlot(stage);
    const address = stage.url + pathOf(chosenState(plot.changing));

    const { page, complaints, close } = await openPage(browser, 'about:blank', { width: 1280, theme: 'light' });
    await installClock(page);
    await page.goto(address);
    await page.waitForSelector('.chosen .legs');
    expect(await page.locator('.chosen .rescue').count()).toBe(0);

    plot.breakTrain();
    await runUntilMissed(stage, page);
    expect(await page.textContent('.trip-status')).toContain('Ein Anschluss wird verpasst');
    expect(await page.locator('.leg[data-failing=bad]').count()).toBe(1);
    expect(await page.textContent('.chosen .transfer-line[data-tone=bad]')).toMatch(
      /Anschluss verpasst: \d+ Minuten? zu spät/,
    );
    await page.waitForSelector('.rescue li .decide');
    for (const option of await page.locator('.rescue ol > li .decide').allTextContents()) {
      expect(option).toMatch(/^Entscheiden bis \d\d:\d\d$/);
    }
    for (const chance of await page.locator('.rescue .chance .number').allTextContents()) {
      expect(chance).toMatch(/^(Chance (über |unter )?\d+ %|Chance unbekannt|kein Umstieg mehr, der scheitern kann)$/);
    }
    expect(complaints).toEqual([]);
    await lookAtAll(page.url());

    const before = page.url();
    await page.locator('.rescue .choose').first().click();
    await waitUntil(page, `location.href !== ${JSON.stringify(before)}`);
    await page.waitForSelector('.chosen .legs');
    await expect.poll(() => page.textContent('.trip-status')).not.toContain('verpasst');
    await close();
  },
  TIMEOUT_MILLISECONDS,
);

function chosenState({ trip }: Awaited<ReturnType<typeof openPlot>>['changing']): TripsState {
  const [from, to] = [trip.legs[0]!.origin, trip.legs.at(-1)!.destination].map(({ placeId, id, name }) => ({
    place: placeId ?? id,
    name,
  }));
  const localTime = toLocalTime(startInstant * 1000);
  return { ...emptyState, from: from!, to: to!, when: { kind: 'departure', localTime }, chosen: listLegRefs(trip) };
}

/** Advances the time of the service, and waits for the page. */
async function runUntilMissed({ polling }: Stage, page: Page): Promise<void> {
  for (let polls = 1; polls <= MAX_POLLS; polls++) {
    await polling.run(1 + polls * STEP_SECONDS);
    const response = page.waitForResponse((one) => one.url().includes('/site/data/trip?'));
    await page.clock.runFor(FOLLOWED_MILLISECONDS);
    await (await response).finished();
    const state = await page.textContent('.trip-status');
    if (state?.includes('verpasst')) return;
  }
  throw new Error('the page never shows that the transfer is missed');
}

async function lookAtAll(address: string): Promise<void> {
  for (const width of widths) {
    const opened = await openPage(browser, address, { width, theme: 'light' });
    await opened.page.waitForSelector('.rescue li .decide');
    await expectSoundInThemes(opened, 'trips-broken', width);
    await opened.close();
  }
}
