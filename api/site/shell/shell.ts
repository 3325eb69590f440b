import { type Language, languages } from '../texts/languages.ts';
import { shellTexts } from '../texts/shell.ts';
import { assetAddress, type SiteAssets } from './assets.ts';
import type { Credit } from './credits.ts';
import { type Html, html, nothing } from './html.ts';
import type { Page, PageRequest, SiteAnnouncement } from './page.ts';

/** Name of each language, in that language. */
const languageNames: Readonly<Record<Language, string>> = { de: 'Deutsch', en: 'English' };

/** Renders a complete HTML document: the page with header, menu and footer. */
export function renderPage(page: Page, request: PageRequest, assets: SiteAssets): string {
  const { language, facts, menu } = request;
  const texts = shellTexts[language];
  const { isMadeUp, credits } = facts.origin;
  return html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title(request)} · Taktgeber</title>
<link rel="icon" href="data:,">
${linkAssets(page.script, assets)}
</head>
<body>
<a class="skip" href="#main">${texts.skip}</a>
<header>
<div class="bar">
<a class="name" href="/">Taktgeber</a>
<nav aria-label="${texts.menu}">
${menu.map((entry) => linkPage(entry, page, language))}
</nav>
<div class="switches">
${languages.filter((each) => each !== language).map(linkLanguage)}
<button class="theme-switch" type="button"></button>
</div>
</div>
${isMadeUp ? html`<p class="made-up" role="note">${texts.madeUp}</p>` : nothing}
</header>
${showAnnouncements(facts.announcements, language)}
<main id="main"${page.script === undefined ? nothing : html` class="live"`}>
${page.main(request)}
</main>
<footer>
<section><h2>${texts.credits}</h2>
${credits.map((credit) => renderCredit(credit, language))}
</section>
<nav aria-label="${texts.developers}"><h2>${texts.developers}</h2>
${developerLinks.map(({ href, label }) => html`<a href="${href}">${label(language)}</a>`)}
${assets.licences === undefined ? nothing : html`<a href="${assetAddress(assets.licences)}">${texts.licences}</a>`}
</nav>
</footer>
</body>
</html>
`.markup;
}

const developerLinks = [
  { href: '/docs', label: (language: Language) => shellTexts[language].api },
  { href: '/departure-board', label: (language: Language) => shellTexts[language].twentyLines },
  { href: '/problems', label: (language: Language) => shellTexts[language].problems },
  { href: '/openapi.json', label: () => 'OpenAPI' },
  { href: '/v1/status', label: (language: Language) => shellTexts[language].status },
];

/** Only the script of the shell blocks rendering: it sets the theme before the first paint. */
function linkAssets(script: string | undefined, { entries }: SiteAssets): Html {
  const { shell } = entries;
  const own = script === undefined ? undefined : entries[script];
  const styles = [shell, own].flatMap((entry) => entry?.style ?? []);
  return html`${styles.map((file) => html`<link rel="stylesheet" href="${assetAddress(file)}">`)}
${shell ? html`<script src="${assetAddress(shell.script)}"></script>` : nothing}
${own ? own.imports.map((file) => html`<link rel="modulepreload" href="${assetAddress(file)}">`) : nothing}
${own ? html`<script type="module" src="${assetAddress(own.script)}"></script>` : nothing}`;
}

function linkPage(entry: Page, current: Page, language: Language): Html {
  const name = entry.menu?.(language) ?? entry.paths[0]!;
  return entry === current
    ? html`<a href="${entry.paths[0]!}" aria-current="page">${name}</a>`
    : html`<a href="${entry.paths[0]!}">${name}</a>`;
}

/** Language switch. Without a script it applies to one page only; the script remembers the choice. */
function linkLanguage(language: Language): Html {
  return html`<a class="language-switch" href="?lang=${language}" lang="${language}" hreflang="${language}">${languageNames[language]}</a>`;
}

function showAnnouncements(announcements: readonly SiteAnnouncement[], language: Language): Html {
  if (announcements.length === 0) return nothing;
  const texts = shellTexts[language];
  return html`<section class="announcements" aria-label="${texts.announcements}">
${announcements.map(
  ({ title, text, kind, url }) => html`<details class="announcement" data-kind="${kind}"><summary>${title}</summary>
<p>${text}${url === null ? nothing : html` <a href="${url}" rel="noopener">${texts.more}</a>`}</p></details>`,
)}
</section>`;
}

function renderCredit({ what, author, href, licence, licenceHref }: Credit, language: Language): Html {
  const link = (to: string | null, text: string) => (to === null ? html`${text}` : html`<a href="${to}">${text}</a>`);
  const terms = licence === null ? nothing : html`, ${shellTexts[language].licence} ${link(licenceHref, licence)}`;
  return html`<p>${what[language]}: ${link(href, author)}${terms}.</p>`;
}
