import { html } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { notFoundTexts } from '../texts/not-found.ts';
import { startTexts } from '../texts/start.ts';
import { searchForm } from './start.ts';

/** Shown for a path that leads nowhere: why, and where to go from here. */
export const notFoundPage: Page = {
  paths: [],
  title: ({ language }) => notFoundTexts[language].title,
  main({ language, menu }) {
    const texts = notFoundTexts[language];
    return html`<div class="opening"><h1>${texts.title}</h1>
<p>${texts.reason}</p>
${searchForm(startTexts[language].search, language)}</div>
<h2>${texts.next}</h2>
<ul>
${menu.map(({ paths, menu: name }) => html`<li><a href="${paths[0]!}">${name?.(language) ?? paths[0]!}</a></li>`)}
<li><a href="/">${texts.start}</a></li>
</ul>`;
  },
};
