/** Makes any text safe between tags and inside of quoted attributes. */
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

/**
 * A whole page in the site's dress. Style comes from /site.css; there is no script.
 * @param main HTML, already escaped
 */
export function htmlPage({ title, main }: { readonly title: string; readonly main: string }): string {
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
<a href="/v1/status">Status</a>
<a href="/problems">Problems</a>
</nav></header>
<main>
${main}
</main>
<footer>
<p>Realtime data of the Vienna metro: <a href="https://data.wien.gv.at">Stadt Wien, data.wien.gv.at</a>,
licence <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>.</p>
</footer>
</body>
</html>
`;
}
