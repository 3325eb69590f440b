import { problems } from '../../contract/problems.ts';
import { html } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { problemsTexts } from '../texts/developers.ts';

/** Every error code with an anchor, the target of `type` in problems. The meanings are in English, as in responses. */
export const problemsPage: Page = {
  paths: ['/problems'],
  title: ({ language }) => problemsTexts[language].title,
  main({ language }) {
    const { title, before, after, columns } = problemsTexts[language];
    return html`<h1>${title}</h1>
<p>${before}<code>application/problem+json</code>
(<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>). ${after}</p>
<div class="wide" tabindex="0"><table>
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody lang="en">
${Object.entries(problems).map(
  ([code, { status, title: meaning }]) =>
    html`<tr id="${code}"><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td>${meaning}</td></tr>`,
)}
</tbody>
</table></div>`;
  },
};
