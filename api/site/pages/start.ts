import { type Html, html, nothing } from '../shell/html.ts';
import type { NamedStop, Page } from '../shell/page.ts';
import type { Language } from '../texts/languages.ts';
import { startTexts } from '../texts/start.ts';
import { stopSearchTexts } from '../texts/stop-search.ts';
import type { Example } from './examples.ts';

/** The start page: what the service offers, its current state, and links to its parts. */
export function startPage(examples: readonly Example[]): Page {
  return {
    paths: ['/'],
    script: 'start',
    title: ({ language }) => startTexts[language].title,
    main({ language, menu, facts }) {
      const texts = startTexts[language];
      return html`<section class="opening">
<h1>${texts.slogan[0]!} <span>${texts.slogan[1]!}</span></h1>
<div id="search">${searchForm(texts.search, language)}</div>
${linkStops(facts.busiestStops)}
<p>${texts.intro}</p>
</section>
<section><h2>${texts.areas}</h2><div id="areas" class="areas"></div></section>
<section id="pages"><h2>${texts.pages}</h2><div class="cards">
${menu.flatMap(({ paths, menu: name, summary }) =>
  name && summary ? [card(paths[0]!, [name(language), summary(language)])] : [],
)}
</div></section>
<section><h2>${texts.sources}</h2><div id="sources" class="sources" role="region" aria-label="${texts.sources}" tabindex="0"></div></section>
<section><h2>${texts.tryIt}</h2>
<p class="note">${texts.tryItText}</p>
${examples.length === 0 ? nothing : html`<ul class="examples">${examples.map((example) => html`<li>${renderExample(example, language)}</li>`)}</ul>`}
<div class="cards">
${card('/docs', texts.docs)}
${card('/v2/schema', texts.schema)}
</div></section>`;
    },
  };
}

/** A search field that works without a script; the script replaces it by one with suggestions. */
export function searchForm(label: string, language: Language, text = ''): Html {
  return html`<form class="stop-search" action="/stops"><label for="stop-name">${label}</label>
<input id="stop-name" name="query" value="${text}" placeholder="${stopSearchTexts[language].placeholder}"><p class="hint"></p></form>`;
}

function linkStops(stops: readonly NamedStop[]): Html {
  if (stops.length === 0) return nothing;
  return html`<p class="chips">${stops.map(({ id, name }) => html`<a href="/stops/${encodeURIComponent(id)}">${name}</a>`)}</p>`;
}

function card(href: string, [title = '', text = '']: readonly string[]): Html {
  return html`<a href="${href}"><h3>${title}</h3><p>${text}</p></a>`;
}

function renderExample(example: Example, language: Language): Html {
  const label = example.label[language];
  if ('command' in example) return html`<div>${label}<code>${example.command}</code></div>`;
  return html`<a href="${example.href}">${label}<code>${example.href}</code></a>`;
}
