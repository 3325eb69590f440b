import process from 'node:process';
import type { TestProject } from 'vitest/node';
import { projectRoot } from '../../pipeline/effects/project-files.ts';
import { findChromium, startService } from './start-service.ts';

/** Environment of the browser tests; null if there is no browser. */
export interface RunningSite {
  /** Base URL of a service on the sample, without fair use. */
  readonly url: string;
  readonly chromium: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    site: RunningSite | null;
  }
}

/** Enough for every chart of punctuality; no page needs a model to be sound. */
const PAST_DAYS = 2;

/** Starts one service for all test files. */
export default async function runSite({ provide }: TestProject): Promise<() => Promise<void>> {
  const chromium = findChromium();
  if (chromium === null) {
    process.stderr.write(
      '\nSKIPPED: the pages are not tested, because there is no Chromium (CHROMIUM_PATH names one).\n',
    );
    provide('site', null);
    return async () => {};
  }
  const { url, stop } = await startService(projectRoot, { pastDays: PAST_DAYS });
  provide('site', { url, chromium });
  return stop;
}
