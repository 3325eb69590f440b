import { html } from '../shell/html.ts';
import type { Page, PageRequest } from '../shell/page.ts';
import { boardTexts } from '../texts/boards.ts';
import { shellTexts } from '../texts/shell.ts';

/** The stop search, or the board of a stop. */
export const stopsPage: Page = {
  paths: ['/stops', '/stops/:id'],
  script: 'stops',
  tab: 'board',
  menu: (language) => boardTexts[language].menu,
  summary: (language) => boardTexts[language].summary,
  isFound: ({ params, facts }) => params.id === undefined || facts.findStopName(params.id) !== null,
  title: (request) => findStopName(request) ?? boardTexts[request.language].title,
  main(request) {
    const name = findStopName(request);
    return html`<h1>${name === null ? boardTexts[request.language].title : html`<bdi>${name}</bdi>`}</h1>
<div id="board" data-stop="${request.params.id ?? ''}"><noscript><p>${shellTexts[request.language].needsScript}</p></noscript></div>`;
  },
};

/** Name of the stop in the URL; null if the URL has none. */
function findStopName({ params, facts, language }: PageRequest): string | null {
  if (params.id === undefined) return null;
  return facts.findStopName(params.id) ?? boardTexts[language].unknownStop;
}
