import { type Language, languages } from '../texts/languages.ts';
import { shellTexts } from '../texts/shell.ts';
import { startTexts } from '../texts/start.ts';
import { assetAddress, type SiteAssets } from './assets.ts';
import type { Credit } from './credits.ts';
import { type Html, html, nothing } from './html.ts';
import { icon, logo, THEME_COLORS } from './icons.ts';
import type { Page, PageRequest, SiteAnnouncement } from './page.ts';
import { embedAnswers } from './page-answers.ts';

/** Name of each language, in that language. */
const languageNames: Readonly<Record<Language, string>> = { de: 'Deutsch', en: 'English' };

/** Renders a complete HTML document. */
export function renderPage(page: Page, request: PageRequest, assets: SiteAssets): string {
  const { language } = request;
  return html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title(request)} · Taktgeber</title>
${describePage(page, request, assets)}
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${linkHomeIcon(assets)}
<link rel="manifest" href="/manifest.webmanifest">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${THEME_COLORS.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${THEME_COLORS.dark}">
${linkAssets(page.script, assets)}
</head>
<body>
${page.isBare ? renderBare(page, request) : renderFrame(page, request, assets)}
</body>
</html>
`.markup;
}

/** The page without header and menu; its footer only names the authors of the data. */
function renderBare(page: Page, request: PageRequest): Html {
  const { isMadeUp, credits } = request.facts.origin;
  const texts = shellTexts[request.language];
  const names = [...new Set(credits.map(({ author }) => author))];
  return html`<main id="main" tabindex="-1">
${page.main(request)}
</main>
${embedAnswers(request.answers)}
<footer class="wall-credit">${isMadeUp ? `${texts.madeUpShort} ` : ''}${texts.credits}: ${names.join('; ')}</footer>`;
}

/** The page with header, menu and footer. */
function renderFrame(page: Page, request: PageRequest, assets: SiteAssets): Html {
  const { language, facts, menu } = request;
  const texts = shellTexts[language];
  const { isMadeUp, credits } = facts.origin;
  return html`<a class="skip" href="#main">${texts.skip}</a>
<header>
<div class="bar">
<a class="name" href="/">${logo}Taktgeber</a>
<nav aria-label="${texts.menu}">
${menu.map((entry) => linkPage(entry, page, language))}
<a class="more" href="/#pages">${icon('more')}${texts.morePages}</a>
</nav>
<div class="switches">
${languages.filter((each) => each !== language).map(linkLanguage)}
<button class="theme-switch" type="button"></button>
</div>
</div>
${isMadeUp ? renderNotice(language) : nothing}
</header>
${showAnnouncements(facts.announcements, language)}
<main id="main" tabindex="-1"${page.script === undefined ? nothing : html` class="live"`}>
${page.main(request)}
</main>
${embedAnswers(request.answers)}
<footer>
<section><h2>${texts.credits}</h2>
${isMadeUp ? html`<p>${texts.madeUp}</p>` : nothing}
${credits.map((credit) => renderCredit(credit, language))}
</section>
<nav aria-label="${texts.developers}"><h2>${texts.developers}</h2>
${developerLinks.map(({ href, label }) => html`<a href="${href}">${label(language)}</a>`)}
${assets.licences === undefined ? nothing : html`<a href="${assetAddress(assets.licences)}">${texts.licences}</a>`}
</nav>
</footer>`;
}

/** Title and description for search engines and for previews of links. @see https://ogp.me */
function describePage(page: Page, request: PageRequest, { pictures }: SiteAssets): Html {
  const { language, origin } = request;
  const summary = page.summary?.(language) ?? startTexts[language].intro;
  return html`<meta name="description" content="${summary}">
<meta property="og:site_name" content="Taktgeber">
<meta property="og:type" content="website">
<meta property="og:title" content="${page.title(request)}">
<meta property="og:description" content="${summary}">
<meta property="og:locale" content="${locales[language]}">
${pictures ? describePreview(origin, pictures.preview) : nothing}`;
}

const locales: Readonly<Record<Language, string>> = { de: 'de_AT', en: 'en_GB' };

function describePreview(
  origin: string,
  { file, width, height }: NonNullable<SiteAssets['pictures']>['preview'],
): Html {
  return html`<meta property="og:image" content="${origin}${assetAddress(file)}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
<meta property="og:image:alt" content="Taktgeber">
<meta name="twitter:card" content="summary_large_image">`;
}

/** iOS accepts no SVG; it requests the smallest of the icons. */
function linkHomeIcon({ pictures }: SiteAssets): Html {
  const icon = pictures?.icons[0];
  return icon ? html`<link rel="apple-touch-icon" href="${assetAddress(icon.file)}">` : nothing;
}

const developerLinks = [
  { href: '/docs/guides', label: (language: Language) => shellTexts[language].guides },
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
  const label = html`${entry.tab === undefined ? nothing : icon(entry.tab)}${name}`;
  const kind = entry.tab === undefined ? nothing : html` class="tab"`;
  const isCurrent = entry === current ? html` aria-current="page"` : nothing;
  return html`<a href="${entry.paths[0]!}"${kind}${isCurrent}>${label}</a>`;
}

/** One line that says the data is simulated; the script offers to close it. The footer has the whole sentence. */
function renderNotice(language: Language): Html {
  const { madeUpShort, closeNotice } = shellTexts[language];
  return html`<p class="made-up" role="note"><span>${madeUpShort}</span>
<button class="close-notice" type="button" aria-label="${closeNotice}" title="${closeNotice}">×</button></p>`;
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
