const KEY = 'notice';
const CLOSED = 'closed';

/** Whether the reader closed the notice about simulated data. */
export function isNoticeClosed(): boolean {
  try {
    return localStorage.getItem(KEY) === CLOSED;
  } catch {
    return false;
  }
}

/** Hides the notice on this and later pages, and moves the focus of its button to the content. */
export function closeNotice(): void {
  document.documentElement.dataset.notice = CLOSED;
  document.getElementById('main')?.focus();
  try {
    localStorage.setItem(KEY, CLOSED);
  } catch {
    // The notice then returns on the next page.
  }
}
