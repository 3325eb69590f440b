import { html } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { offlineTexts } from '../texts/offline.ts';

/** Cached by the service worker, which returns it in place of pages that it cannot reach. */
export const offlinePage: Page = {
  paths: ['/offline'],
  title: ({ language }) => offlineTexts[language].title,
  main({ language }) {
    const texts = offlineTexts[language];
    // The service worker redirects the start page to the last board.
    return html`<div class="opening"><h1>${texts.title}</h1>
<p>${texts.reason}</p>
<p><a class="button" href="/">${texts.board}</a></p>
<p class="note">${texts.note}</p>
<p><a href="">${texts.retry}</a></p></div>`;
  },
};
