/**
 * Scrolls a view by dragging with the mouse; touch screens scroll natively.
 * @returns a function that removes the listeners
 */
export function dragToScroll(view: HTMLElement): () => void {
  let from: { readonly x: number; readonly y: number } | null = null;
  const begin = (event: PointerEvent) => {
    if (event.pointerType !== 'mouse' || event.button !== 0) return;
    from = { x: event.clientX + view.scrollLeft, y: event.clientY + view.scrollTop };
    view.setPointerCapture(event.pointerId);
    view.dataset.dragged = 'true';
    event.preventDefault();
    view.focus({ preventScroll: true });
  };
  const move = (event: PointerEvent) => {
    if (from) view.scrollTo(from.x - event.clientX, from.y - event.clientY);
  };
  const end = () => {
    from = null;
    view.dataset.dragged = 'false';
  };
  const listeners = [
    ['pointerdown', begin],
    ['pointermove', move],
    ['pointerup', end],
    ['pointercancel', end],
  ] as const;
  for (const [name, listener] of listeners) view.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of listeners) view.removeEventListener(name, listener);
  };
}
