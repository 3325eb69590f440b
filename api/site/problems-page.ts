import { problems } from '../contract/problems.ts';
import type { DataOrigin } from './credits.ts';
import { escapeHtml, htmlPage } from './html.ts';

/** Every error code with an anchor, which the `type` of a problem links to. */
export function problemsPage(origin: DataOrigin): string {
  const rows = Object.entries(problems)
    .map(
      ([code, { status, title }]) =>
        `<tr id="${code}"><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td>${escapeHtml(title)}</td></tr>`,
    )
    .join('\n');
  return htmlPage({
    title: 'Taktgeber: problems',
    main: `<h1>Problems</h1>
<p>Every error of this service is <code>application/problem+json</code>
(<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>). Its <code>code</code> is stable and listed here,
its <code>detail</code> is for a person and may change, and its <code>parameter</code>, where there is one, names the
query parameter or points into the body at the member that was wrong.</p>
<div class="wide"><table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows}
</tbody>
</table></div>`,
    origin,
  });
}
