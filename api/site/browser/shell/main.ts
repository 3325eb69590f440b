import { isLanguage } from '../../texts/languages.ts';
import { shellTexts } from '../../texts/shell.ts';
import { closeNotice, isNoticeClosed } from './notice.ts';
import { applyTheme, keepTheme, readTheme, type Theme, themes } from './theme.ts';
import './site.css';

const LANGUAGE_COOKIE_SECONDS = 365 * 86_400;

// Caches the site and the last board, so that it starts without a network.
addEventListener('load', () => {
  navigator.serviceWorker?.register('/service-worker.js').catch(() => {
    // Without the service worker the site needs a network.
  });
});

// Runs before the first paint, so that pages do not flash in the other theme.
applyTheme(readTheme());
if (isNoticeClosed()) document.documentElement.dataset.notice = 'closed';
document.addEventListener('DOMContentLoaded', () => {
  const button = document.querySelector<HTMLButtonElement>('.theme-switch');
  if (button) offerThemes(button);
  document.querySelector('.close-notice')?.addEventListener('click', closeNotice);
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.language-switch')) keepLanguageOf(link);
});

/** The button shows the current theme and switches to the next one. */
function offerThemes(button: HTMLButtonElement): void {
  const { lang } = document.documentElement;
  const texts = shellTexts[isLanguage(lang) ? lang : 'de'].theme;
  const show = (theme: Theme) => {
    button.title = texts[theme];
    button.setAttribute('aria-label', texts[theme]);
  };
  show(readTheme());
  button.addEventListener('click', () => {
    const next = themes[(themes.indexOf(readThemeInUse()) + 1) % themes.length]!;
    keepTheme(next);
    show(next);
  });
}

function readThemeInUse(): Theme {
  const inUse = document.documentElement.dataset.theme;
  return themes.find((theme) => theme === inUse) ?? 'auto';
}

/** The link alone switches one page; the script also stores the choice and keeps the current state of the page. */
function keepLanguageOf(link: HTMLAnchorElement): void {
  link.addEventListener('click', (event) => {
    const address = new URL(location.href);
    address.searchParams.delete('lang');
    // biome-ignore lint/suspicious/noDocumentCookie: few browsers have a CookieStore
    document.cookie = `lang=${link.lang}; path=/; max-age=${LANGUAGE_COOKIE_SECONDS}; samesite=lax`;
    event.preventDefault();
    if (address.href === location.href) location.reload();
    else location.replace(address);
  });
}
