/** URL of the worker of the library; the build inserts it. The content security policy allows only our own files. */
declare const MAP_WORKER_ADDRESS: string;

/** Loads the map library with the first map. @throws Error if it cannot be loaded */
export async function loadLibrary() {
  const library = await import('maplibre-gl');
  library.setWorkerUrl(MAP_WORKER_ADDRESS);
  return library;
}

/** Returns a colour of the current theme in a form that the library accepts. */
export function readColor(token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

/** Calls `repaint` when the theme changes. @returns a function that unsubscribes */
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
