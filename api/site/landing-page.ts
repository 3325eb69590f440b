import type { DataOrigin } from './credits.ts';
import type { Example } from './examples.ts';
import { escapeHtml, htmlPage } from './html.ts';

/** The start page: what the service is, and links to its parts. */
export function landingPage(examples: readonly Example[], origin: DataOrigin): string {
  return htmlPage({
    title: 'Taktgeber: public transport in Austria',
    main: `<section class="opening">
<h1>Public transport in Austria, <span>on the beat</span></h1>
<p>Departures, journeys and trips from door to door, from timetables and realtime, answered from memory: by HTTP for
apps, and as Parquet for everyone who wants to ask their own questions.</p>
</section>
${exampleSection(examples)}<section class="cards">
<a href="/docs"><h2>API documentation</h2><p>Every route with its parameters and answers, to read and to try.</p></a>
<a href="/punctuality"><h2>Punctuality</h2><p>What was scheduled, what happened, and the shares of both.</p></a>
<a href="/v1/status"><h2>Status</h2><p>How every part of the service is doing, and how fresh its data is.</p></a>
<a href="/openapi.json"><h2>OpenAPI</h2><p>The same contract for machines, for client generators and tests.</p></a>
<a href="/v2/schema"><h2>JSON Schema</h2><p>All types of the answers, closed and with their bounds.</p></a>
</section>
<section>
<h2>Two families of routes</h2>
<p><code>/v1</code> is open to everyone and may be called from web pages. <code>/v2</code> serves the apps: a request
that carries an <code>Origin</code> header is refused. Neither needs a key. Errors have
<a href="/problems">stable codes</a>.</p>
</section>`,
    origin,
  });
}

function exampleSection(examples: readonly Example[]): string {
  if (examples.length === 0) return '';
  const items = examples.map((example) => `<li>${renderExample(example)}</li>`).join('\n');
  return `<section>
<h2>Try it</h2>
<ul class="examples">
${items}
</ul>
</section>
`;
}

function renderExample(example: Example): string {
  const label = escapeHtml(example.label);
  if ('command' in example) return `<div>${label}<code>${escapeHtml(example.command)}</code></div>`;
  const href = escapeHtml(example.href);
  return `<a href="${href}">${label}<code>${href}</code></a>`;
}
