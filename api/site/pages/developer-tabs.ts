import { type Html, html, nothing } from '../shell/html.ts';
import { docsTexts } from '../texts/developers.ts';
import type { Language } from '../texts/languages.ts';

const tabs = { guides: '/docs/guides', reference: '/docs' } as const;
type DeveloperTab = keyof typeof tabs;

/** Links between the parts of the documentation of the API. */
export function developerTabs(current: DeveloperTab, language: Language): Html {
  const texts = docsTexts[language];
  const entries = (Object.keys(tabs) as DeveloperTab[]).map(
    (tab) =>
      html`<a href="${tabs[tab]}"${tab === current ? html` aria-current="page"` : nothing}>${texts.tabs[tab]}</a>`,
  );
  return html`<nav class="choices" aria-label="${texts.title}">${entries}</nav>`;
}
