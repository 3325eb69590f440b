import { type Html, html, nothing } from '../shell/html.ts';
import type { NamedStop, Page } from '../shell/page.ts';
import { type GuideId, guideIds, guideTexts } from '../texts/guides.ts';
import type { Language } from '../texts/languages.ts';
import { quoteShell } from '../view-model/quote-shell.ts';
import { developerTabs } from './developer-tabs.ts';

/** Short guides for developers, whose examples are requests to this service. */
export const guidesPage: Page = {
  paths: ['/docs/guides'],
  script: 'docs',
  title: ({ language }) => guideTexts[language].title,
  main({ language, origin, facts }) {
    const { title, intro } = guideTexts[language];
    const examples = listExamples(origin, facts.busiestStops);
    return html`<h1>${title}</h1>
${developerTabs('guides', language)}
<p>${intro}</p>
${linkGuides('', language)}
${guideIds.map((id) => renderGuide(id, examples[id], language))}`;
  },
};

/** Links to all guides. @param path of their page; '': this page */
export function linkGuides(path: string, language: Language): Html {
  const { guides } = guideTexts[language];
  return html`<ul class="chips">${guideIds.map((id) => html`<li><a href="${path}#${id}">${guides[id].title}</a></li>`)}</ul>`;
}

function renderGuide(id: GuideId, example: string, language: Language): Html {
  const { title, text, after = [] } = guideTexts[language].guides[id];
  return html`<section class="guide"><h2 id="${id}">${title}</h2>
${text.map(renderParagraph)}
<pre tabindex="0"><code>${example}</code></pre>
${after.map(renderParagraph)}
${id === 'errors' ? html`<p><a href="/problems">${guideTexts[language].allCodes}</a></p>` : nothing}</section>`;
}

/** Renders a paragraph; text between backticks becomes code. */
function renderParagraph(text: string): Html {
  const parts = text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
  return html`<p>${{ markup: parts.map(({ markup }) => markup).join('') }}</p>`;
}

/** Placeholders for a service without a timetable. */
const unknownStops: readonly NamedStop[] = [
  { id: 'STOP_ID', name: 'Wien Meidling' },
  { id: 'OTHER_STOP_ID', name: 'Wien Mitte' },
];

/** The example of each guide. Words in capitals stand for values of earlier responses. */
function listExamples(origin: string, [from, to = unknownStops[1]!]: readonly NamedStop[]): Record<GuideId, string> {
  const start = from ?? unknownStops[0]!;
  const address = (path: string) => quoteShell(origin + path);
  const board = `/v2/stops/${encodeURIComponent(start.id)}/departures`;
  const send = (path: string, body: object, header = '') =>
    `curl ${address(path)} -H 'content-type: application/json'${header} \\\n  -d ${quoteShell(JSON.stringify(body))}`;
  const ends = { from: { stopId: start.id }, to: { stopId: to.id } };
  const leg = { journeyRef: 'JOURNEY_REF', originId: 'LEG_ORIGIN_ID', destinationId: 'LEG_DESTINATION_ID' };
  return {
    'first-board': `curl ${address(`/v2/stops?query=${encodeURIComponent(start.name)}&limit=1`)}
curl ${address(`${board}?limit=10`)}`,
    'first-trip': send('/v2/trips', ends),
    watching: send('/v2/trips/watch', { legs: [leg] }, " -H 'x-installation-token: my-phone-4711'"),
    paging: `curl ${address(`${board}?pageToken=PAGE_TOKEN`)}
${send('/v2/trips', { ...ends, pageRef: 'LATER_REF' })}`,
    caching: `curl -i ${address(board)} -H 'if-none-match: ETAG'`,
    errors: `curl ${address('/v2/stops/nowhere/departures')}`,
    browser: `const response = await fetch('${origin}/v1/status');
const { overall } = await response.json();`,
    'fair-use': `curl -I ${address(board)}`,
  };
}
