import { type ComponentChild, render } from 'preact';

/** Finds a container that the server rendered for the script of the page. */
export function findPlace(id: string): HTMLElement {
  const place = document.getElementById(id);
  if (!place) throw new Error(`the page has no #${id}`);
  return place;
}

/** Renders into such a container and replaces its server-rendered content. */
export function mount(id: string, content: ComponentChild): void {
  const place = findPlace(id);
  place.replaceChildren();
  render(content, place);
}
