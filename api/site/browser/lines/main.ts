import '../line-badge/line-badge.css';
import './lines.css';

// The server renders these pages completely; the script only submits the form as soon as another period is chosen.
const form = document.querySelector<HTMLFormElement>('.line-period');
form?.addEventListener('change', () => {
  if (form.checkValidity()) form.submit();
});
