import { html } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { docsTexts } from '../texts/developers.ts';
import { developerTabs } from './developer-tabs.ts';
import { linkGuides } from './guides.ts';

/** The API reference. Its script renders the OpenAPI document with Swagger UI. */
export const docsPage: Page = {
  paths: ['/docs', '/docs/'],
  script: 'docs',
  title: ({ language }) => docsTexts[language].title,
  main({ language }) {
    const { title, intro, routes, tryNote, noScript } = docsTexts[language];
    return html`<h1>${title}</h1>
${developerTabs('reference', language)}
<p>${intro} <a href="/openapi.json">OpenAPI</a>, <a href="/v2/schema">JSON Schema</a>.</p>
${linkGuides('/docs/guides', language)}
<h2>${routes}</h2>
<p class="note">${tryNote}</p>
<noscript><p>${noScript}</p></noscript>
<div id="reference" lang="en"></div>`;
  },
};
