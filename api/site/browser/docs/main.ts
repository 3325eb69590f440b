import { findTryPath } from '../../view-model/try-path.ts';
import './docs.css';

const FILES = '/docs/static';

interface SwaggerRequest {
  url: string;
  method?: string;
}

declare global {
  interface Window {
    /** Set by the script of Swagger UI. */
    SwaggerUIBundle?: (options: object) => void;
  }
}

// The page of the guides loads this script too, but has no reference.
const reference = document.querySelector<HTMLElement>('#reference');
if (reference) {
  followTheme();
  loadStyle(`${FILES}/swagger-ui.css`);
  loadScript(`${FILES}/swagger-ui-bundle.js`, () => drawReference(reference));
}

function drawReference(domNode: HTMLElement): void {
  window.SwaggerUIBundle?.({
    domNode,
    url: '/openapi.json',
    validatorUrl: null,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    supportedSubmitMethods: ['get', 'post'],
    // The curl command has the path in /v2, not the one that this page requests instead.
    showMutatedRequest: false,
    requestInterceptor: (request: SwaggerRequest) => {
      request.url = findTryPath(request.method ?? 'GET', new URL(request.url, location.href).href);
      return request;
    },
  });
}

/** Adds a style sheet before those of the site, which override it. */
function loadStyle(href: string): void {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  document.head.prepend(link);
}

function loadScript(src: string, onLoad: () => void): void {
  const script = document.createElement('script');
  script.src = src;
  script.addEventListener('load', onLoad);
  document.head.append(script);
}

/** Applies the theme of the site, or of the system if the user chose none, to Swagger UI as a class. */
function followTheme(): void {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const { theme } = root.dataset;
    root.classList.toggle('dark-mode', theme === 'dark' || (theme !== 'light' && system.matches));
  };
  apply();
  system.addEventListener('change', apply);
  new MutationObserver(apply).observe(root, { attributeFilter: ['data-theme'] });
}
