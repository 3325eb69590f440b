import { type ComponentChild, render } from 'preact';

/** Fills the place that the shell keeps for a script; what the server put there is replaced. */
export function mount(id: string, content: ComponentChild): void {
  const place = document.getElementById(id);
  if (!place) throw new Error(`the page has no #${id}`);
  place.replaceChildren();
  render(content, place);
}
