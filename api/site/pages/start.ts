import { type Html, html, nothing } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { startTexts } from '../texts/start.ts';
import type { Example } from './examples.ts';

/** The start page: what the service is, and links to its parts. */
export function startPage(examples: readonly Example[]): Page {
  return {
    paths: ['/'],
    script: 'start',
    title: ({ language }) => startTexts[language].title,
    main({ language }) {
      const texts = startTexts[language];
      return html`<section class="opening">
<h1>${texts.slogan[0]!} <span>${texts.slogan[1]!}</span></h1>
<p>${texts.intro}</p>
<div id="search"></div>
</section>
${listExamples(examples, texts.tryIt)}
<section class="cards">
${card('/docs', texts.docs)}
${card('/punctuality', texts.punctuality)}
${card('/v1/status', texts.status)}
${card('/openapi.json', texts.openApi)}
${card('/v2/schema', texts.schema)}
</section>`;
    },
  };
}

function card(href: string, [title = '', text = '']: readonly string[]): Html {
  return html`<a href="${href}"><h2>${title}</h2><p>${text}</p></a>`;
}

function listExamples(examples: readonly Example[], title: string): Html {
  if (examples.length === 0) return nothing;
  return html`<section>
<h2>${title}</h2>
<ul class="examples">
${examples.map((example) => html`<li>${renderExample(example)}</li>`)}
</ul>
</section>`;
}

function renderExample(example: Example): Html {
  if ('command' in example) return html`<div>${example.label}<code>${example.command}</code></div>`;
  return html`<a href="${example.href}">${example.label}<code>${example.href}</code></a>`;
}
