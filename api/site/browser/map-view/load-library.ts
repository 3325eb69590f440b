/** Address of the library's worker, which the build writes here: the content policy allows only our files. */
declare const MAP_WORKER_ADDRESS: string;

/** The library of maps, loaded with the first map. @throws Error where it cannot be loaded */
export async function loadLibrary() {
  const library = await import('maplibre-gl');
  library.setWorkerUrl(MAP_WORKER_ADDRESS);
  return library;
}

/** A colour of the page in the theme in use, in a form that the library reads. */
export function readColor(token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

/** Calls when the theme of the page changes. @returns a function that ends it */
export function onThemeChange(repaint: () => void): () => void {
  const follow = matchMedia('(prefers-color-scheme: dark)');
  const themes = new MutationObserver(repaint);
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  follow.addEventListener('change', repaint);
  return () => {
    themes.disconnect();
    follow.removeEventListener('change', repaint);
  };
}
