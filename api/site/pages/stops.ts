import { html } from '../shell/html.ts';
import type { Page, PageRequest } from '../shell/page.ts';
import { boardTexts } from '../texts/boards.ts';
import { shellTexts } from '../texts/shell.ts';

/** Without a stop, the search; with one, its board. */
export const stopsPage: Page = {
  paths: ['/stops', '/stops/:id'],
  script: 'stops',
  menu: (language) => boardTexts[language].menu,
  summary: (language) => boardTexts[language].summary,
  isFound: ({ params, facts }) => params.id === undefined || facts.findStopName(params.id) !== null,
  title: (request) => nameStop(request) ?? boardTexts[request.language].title,
  main(request) {
    const name = nameStop(request);
    return html`<h1>${name === null ? boardTexts[request.language].title : html`<bdi>${name}</bdi>`}</h1>
<div id="board" data-stop="${request.params.id ?? ''}"><noscript><p>${shellTexts[request.language].needsScript}</p></noscript></div>`;
  },
};

/** The name of the stop of the address; null where the address has none. */
function nameStop({ params, facts, language }: PageRequest): string | null {
  if (params.id === undefined) return null;
  return facts.findStopName(params.id) ?? boardTexts[language].unknownStop;
}
