import { html } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { shellTexts } from '../texts/shell.ts';
import { tripsTexts } from '../texts/trips.ts';

/** Trips from one place to another: search, map, live updates and rescue options. */
export const tripsPage: Page = {
  paths: ['/trips'],
  script: 'trips',
  tab: 'trips',
  menu: (language) => tripsTexts[language].menu,
  summary: (language) => tripsTexts[language].card,
  title: ({ language }) => tripsTexts[language].title,
  main: ({ language }) => html`<h1>${tripsTexts[language].title}</h1>
<div id="trips"><noscript><p>${shellTexts[language].needsScript}</p></noscript></div>`,
};
