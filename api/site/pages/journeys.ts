import { html } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { boardTexts } from '../texts/boards.ts';
import { shellTexts } from '../texts/shell.ts';

/** One dated trip: its calls, the position of the vehicle, and predictions. */
export const journeysPage: Page = {
  paths: ['/journeys/:ref'],
  script: 'journey',
  title: ({ language }) => boardTexts[language].journey.title,
  main: ({ params, language }) =>
    html`<div id="journey" data-ref="${params.ref ?? ''}"><noscript><p>${shellTexts[language].needsScript}</p></noscript></div>`,
};
