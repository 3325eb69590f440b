import { html } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { departureBoardTexts } from '../texts/developers.ts';

/** Shows a complete client in twenty lines. @param program the text of `departure-board.mjs`, which a test runs */
export function departureBoardPage(program: string): Page {
  return {
    paths: ['/departure-board'],
    title: ({ language }) => departureBoardTexts[language].title,
    main({ language }) {
      const { title, intro, more, api, types, rest } = departureBoardTexts[language];
      return html`<h1>${title}</h1>
<p>${intro} <code>departure-board.mjs</code>.</p>
<pre tabindex="0"><code>${program}</code></pre>
<p>${more} <a href="/docs">${api}</a>. ${types} <code>npx openapi-typescript openapi.json -o api.ts</code>. ${rest}</p>`;
    },
  };
}
