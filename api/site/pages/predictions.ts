import { html, nothing } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { predictionsTexts } from '../texts/predictions.ts';

/** Accuracy of past predictions. */
export const predictionsPage: Page = {
  paths: ['/predictions'],
  script: 'predictions',
  menu: (language) => predictionsTexts[language].menu,
  summary: (language) => predictionsTexts[language].card,
  title: ({ language }) => predictionsTexts[language].title,
  main: ({ language, facts }) => {
    const texts = predictionsTexts[language];
    return html`<h1>${texts.title}</h1>
<div class="opening"><p>${texts.intro}</p></div>
<div id="predictions"${facts.origin.isMadeUp ? html` data-made-up="true"` : nothing}><noscript><p class="note">${texts.noScript}</p></noscript></div>`;
  },
};
