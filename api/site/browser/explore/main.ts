import './explore.css';

// The server renders the whole page; the script only adds a keyboard shortcut to run the query, as SQL editors have.
const field = document.querySelector<HTMLTextAreaElement>('#sql');
field?.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) field.form?.requestSubmit();
});
