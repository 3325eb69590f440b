import type { Punctuality } from '../../history/tally.ts';
import { type Html, html } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import type { Language } from '../texts/languages.ts';
import { plainPunctualityTexts } from '../texts/plain-punctuality.ts';
import { punctualityTexts } from '../texts/punctuality.ts';
import { stationTexts } from '../texts/stations.ts';

/** Past punctuality; without a script, only a sentence about the default period. */
export const punctualityPage: Page = {
  paths: ['/punctuality'],
  script: 'punctuality',
  tab: 'chart',
  menu: (language) => punctualityTexts[language].menu,
  summary: (language) => punctualityTexts[language].card,
  title: ({ language }) => punctualityTexts[language].title,
  main: ({ language, facts: { punctuality } }) => {
    const texts = punctualityTexts[language];
    return html`<h1>${texts.title}</h1>
${lineForm(language)}
<div class="opening"><p>${texts.intro}</p></div>
<p><a href="/punctuality/stops">${stationTexts[language].link}</a></p>
<div id="punctuality">
${summarise(punctuality, language)}
<noscript><p class="note">${texts.noScript}</p></noscript>
</div>`;
  },
};

/** A form that opens the page of a line. */
function lineForm(language: Language): Html {
  const texts = plainPunctualityTexts[language];
  return html`<form class="line-question card" action="/punctuality/lines"><label for="wanted-line">${texts.question}</label>
<span><input id="wanted-line" name="line" required placeholder="${texts.lineField}" autocomplete="off"> <button class="primary">${texts.submit}</button></span></form>`;
}

function summarise(history: Punctuality | null, language: Language): Html {
  const texts = punctualityTexts[language];
  if (!history || history.numbers.totals.observed === 0) return html`<p class="card">${texts.nothing}</p>`;
  const { period, totals } = history.numbers;
  const share = new Intl.NumberFormat(language, { style: 'percent', minimumFractionDigits: 1 });
  const observed = new Intl.NumberFormat(language).format(totals.observed);
  const summary = texts.summary(period.from, period.to, share.format(totals.onTime / totals.observed), observed);
  return html`<p class="card">${summary}</p>`;
}
