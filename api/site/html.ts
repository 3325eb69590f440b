import { type Credit, type DataOrigin, MADE_UP_NOTICE } from './credits.ts';

export interface PageParts {
  readonly title: string;
  /** HTML, already escaped. */
  readonly main: string;
  readonly origin: DataOrigin;
}

/** Escapes text for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** A complete page in the site's layout. Style comes from /site.css; there is no script. */
export function htmlPage({ title, main, origin }: PageParts): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/site.css">
</head>
<body>
<header class="bar"><nav aria-label="Main">
<a class="name" href="/">Taktgeber</a>
<a href="/docs">API</a>
<a href="/departure-board">In 20 lines</a>
<a href="/punctuality">Punctuality</a>
<a href="/v1/status">Status</a>
<a href="/problems">Problems</a>
</nav></header>
${origin.isMadeUp ? `<p class="made-up" role="note">${MADE_UP_NOTICE}</p>\n` : ''}<main>
${main}
</main>
<footer>
${origin.credits.map(renderCredit).join('\n')}
</footer>
</body>
</html>
`;
}

function renderCredit({ what, author, href, licence, licenceHref }: Credit): string {
  const link = (to: string | null, text: string) =>
    to === null ? escapeHtml(text) : `<a href="${escapeHtml(to)}">${escapeHtml(text)}</a>`;
  const terms = licence === null ? '' : `, licence ${link(licenceHref, licence)}`;
  return `<p>${escapeHtml(what)}: ${link(href, author)}${terms}.</p>`;
}
