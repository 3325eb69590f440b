import './explore.css';

// The server renders the page whole; the script only runs the query from the keyboard, as editors of SQL do.
const field = document.querySelector<HTMLTextAreaElement>('#sql');
field?.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) field.form?.requestSubmit();
});
