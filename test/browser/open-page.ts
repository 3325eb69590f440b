import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import type { RunningSite } from './running-site.ts';

/** Viewport and theme of a page. */
export interface View {
  readonly width: number;
  readonly theme: 'light' | 'dark';
}

/** Widths in which each page is tested: a phone and a desktop. */
export const widths: readonly number[] = [390, 1280];
const themes = ['light', 'dark'] as const;

interface OpenPage {
  readonly page: Page;
  /** Errors reported by the browser: CSP violations, script errors, failed requests. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export async function launchBrowser({ chromium: executablePath }: RunningSite): Promise<Browser> {
  // Root, as in containers, cannot use the sandbox; only local pages are opened.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** Replaces the clock of pages that are opened from now on by one that the test advances. */
export async function installClock(page: Page): Promise<void> {
  await page.clock.install();
  // Until something has read the time, `performance.timeOrigin` of this clock is 0.
  await page.addInitScript('performance.now()');
}

/**
 * Waits until an expression is true in the page. Playwright's `waitForFunction` evaluates a text in the page again and
 * again, which the content security policy of the pages refuses.
 */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  const isTrue = () => page.evaluate<boolean>(`Promise.resolve(${expression}).then(Boolean)`);
  await expect.poll(isTrue, { timeout: PATIENCE_MILLISECONDS, interval: 100 }).toBe(true);
}

const PATIENCE_MILLISECONDS = 30_000;

/** Console message of a map canvas when a screenshot is taken. */
const PICTURE_TAKEN = 'GPU stall due to ReadPixels';
/** Console message where the service worker would be registered. */
const WORKER_BLOCKED = 'Service Worker registration blocked';

/**
 * Opens a URL in a new window, in German, and waits until loading has finished.
 * @param prepare called before loading starts
 */
export async function openPage(
  browser: Browser,
  url: string,
  { width, theme }: View,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 844 : 900 },
    colorScheme: theme,
    locale: 'de-AT',
    timezoneId: 'Europe/Vienna',
    reducedMotion: 'reduce',
    // The service worker would answer requests that tests observe or replace.
    serviceWorkers: 'block',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('console', (line) => {
    const isComplaint = line.type() === 'error' || line.type() === 'warning';
    const isExpected = [PICTURE_TAKEN, WORKER_BLOCKED].some((text) => line.text().includes(text));
    if (isComplaint && !isExpected) complaints.push(`console: ${line.text()}`);
  });
  await prepare(page);
  await page.goto(url, { waitUntil: 'networkidle' });
  return { page, complaints, close: () => context.close() };
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The only rules whose result depends on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Expects that axe finds no violation of WCAG 2.2 A and AA. */
export async function expectAccessible(page: Page, rules: readonly string[] = RULES): Promise<void> {
  // Evaluated through the debugger, which the content security policy does not affect.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify({ runOnly: rules })})`);
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  expect(found).toEqual([]);
}

/**
 * Expects that a loaded page is accessible in both themes, reports no errors and is no wider than the window.
 * @param name of its screenshots
 */
export async function expectSoundInThemes({ page, complaints }: OpenPage, name: string, width: number): Promise<void> {
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await keepPicture(page, name, { width, theme });
    await expectAccessible(page, theme === themes[0] ? RULES : COLOUR_RULES);
  }
  expect(complaints).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
}

/** Visible elements that are focusable by default; one per group of radio buttons. */
const COUNT_FOCUSABLE = `[...document.querySelectorAll('a[href], button, input, select, summary, textarea, [tabindex="0"]')]
  .filter((element) => !element.disabled && element.type !== 'radio' && element.checkVisibility()).length`;
const MARK_FOCUSED = `(() => {
  const { activeElement } = document;
  if (activeElement === document.body || activeElement.dataset.walked) return false;
  activeElement.dataset.walked = 'yes';
  return activeElement.type === 'radio' ? 'radio' : 'other';
})()`;

/** Expects that the Tab key reaches every such element of a loaded page. */
export async function expectReachable(page: Page): Promise<void> {
  const count = await page.evaluate<number>(COUNT_FOCUSABLE);
  let reached = 0;
  for (let i = 0; i < count * 2 && reached < count; i++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<'radio' | 'other' | false>(MARK_FOCUSED)) === 'other') reached += 1;
  }
  expect(reached).toBe(count);
}

/** Saves a screenshot of the whole page in `test-output/` for review. */
export async function keepPicture(page: Page, name: string, { width, theme }: View): Promise<void> {
  const folder = projectPath('test-output');
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}-${width}-${theme}.png`), fullPage: true });
}
