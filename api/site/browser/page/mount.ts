import { type ComponentChild, render } from 'preact';

/** A place that the shell keeps for the page's script. */
export function findPlace(id: string): HTMLElement {
  const place = document.getElementById(id);
  if (!place) throw new Error(`the page has no #${id}`);
  return place;
}

/** Fills such a place; what the server put there is replaced. */
export function mount(id: string, content: ComponentChild): void {
  const place = findPlace(id);
  place.replaceChildren();
  render(content, place);
}
