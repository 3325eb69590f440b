import type { DataOrigin } from './credits.ts';
import { escapeHtml, htmlPage } from './html.ts';

/** A complete client in twenty lines. @param program the text of `departure-board.mjs`, which a test runs */
export function departureBoardPage(program: string, origin: DataOrigin): string {
  return htmlPage({
    title: 'Taktgeber: a departure board in 20 lines',
    main: `<h1>A departure board in 20 lines</h1>
<p>A stop by its name, then its board: two requests, no key, no package. Save it as
<code>departure-board.mjs</code> and run it with Node.</p>
<pre><code>${escapeHtml(program)}</code></pre>
<p>What else an answer holds: <a href="/docs">the API</a>. Types for your language come from
<a href="/openapi.json">the OpenAPI document</a>, such as <code>npx openapi-typescript openapi.json -o api.ts</code>. Every
time is Austrian local time with its offset. <code>nextPageToken</code> continues a board, errors have a stable
<a href="/problems">code</a>, and <code>ETag</code> with <code>If-None-Match</code> saves what has not changed.</p>`,
    origin,
  });
}
