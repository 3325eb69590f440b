import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { launchBrowser, openPage } from './open-page.ts';

const site = inject('site');
const STOP = 'Wien Meidling';

describe.skipIf(site === null)('the map', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(site!);
  });
  afterAll(() => browser?.close());

  test('shows the next departures of a stop on tap', async () => {
    const path = `/site/data/stops?limit=1&query=${encodeURIComponent(STOP)}`;
    const { stops } = (await (await fetch(site!.url + path)).json()) as {
      stops: readonly { id: string; coord: { lat: number; lon: number } }[];
    };
    const { id, coord } = stops[0]!;
    const address = `${site!.url}/map?lat=${coord.lat}&lon=${coord.lon}&zoom=16`;
    const { page, complaints, close } = await openPage(browser, address, { width: 390, theme: 'light' });
    const canvas = page.locator('.maplibregl-canvas');
    await canvas.waitFor();
    const { x, y, width, height } = (await canvas.boundingBox())!;
    const card = page.getByRole('region', { name: STOP });
    // Stops are drawn some time after the map itself. A vehicle in front of the stop is chosen in its place: until it has
    // left, the page begins again.
    await vi.waitFor(
      async () => {
        await page.mouse.click(x + width / 2, y + height / 2);
        const found = await card.count();
        if (found === 0 && (await page.locator('.map-card').count()) > 0)
          await page.reload({ waitUntil: 'networkidle' });
        expect(found).toBe(1);
      },
      { timeout: 60_000, interval: 500 },
    );
    await card.locator('li').first().waitFor();
    expect(await card.getByRole('link', { name: 'Alle Abfahrten' }).getAttribute('href')).toBe(
      `/stops/${encodeURIComponent(id)}`,
    );
    expect(complaints).toEqual([]);
    await close();
  });

  test('keeps the chosen kinds of vehicles in the address, and finds a stop by its name', async () => {
    const address = `${site!.url}/map?lat=48.2082&lon=16.3738&zoom=11`;
    const { page, complaints, close } = await openPage(browser, address, { width: 390, theme: 'light' });
    await page.getByRole('button', { name: 'U-Bahn' }).click();
    expect(new URL(page.url()).searchParams.get('products')).toBe('metro');
    await page.getByRole('button', { name: 'Leihräder' }).click();
    expect(new URL(page.url()).searchParams.get('products')).toBe('metro,sharing');
    await page.getByRole('combobox').fill(STOP);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: STOP }).locator('li').first().waitFor();
    await vi.waitFor(() => expect(Number(new URL(page.url()).searchParams.get('zoom'))).toBe(15));
    expect(complaints).toEqual([]);
    await close();
  });

  test('shows the stops by punctuality, with the counts of the chosen one', async () => {
    const address = `${site!.url}/punctuality/stops`;
    const { page, complaints, close } = await openPage(browser, address, { width: 390, theme: 'light' });
    const first = page.locator('.station-table tbody a').first();
    await first.waitFor();
    const id = decodeURIComponent((await first.getAttribute('href'))!.split('/').at(-1)!);
    await page.goto(`${address}?stop=${encodeURIComponent(id)}`, { waitUntil: 'networkidle' });
    const card = page.getByRole('region', { name: await first.innerText() });
    expect(await card.innerText()).toMatch(/von [\d.]+ beobachteten Halten/);

    const canvas = await page.locator('.maplibregl-canvas').elementHandle();
    await page.getByRole('button', { name: '7 Tage' }).click();
    await page.locator('button[aria-pressed="true"]', { hasText: '7 Tage' }).waitFor();
    expect(new URL(page.url()).searchParams.get('from')).toMatch(/^\d{4}-/);
    // The map stays open.
    expect(await canvas!.isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });
});
