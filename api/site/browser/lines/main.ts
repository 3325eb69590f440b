import '../line-badge/line-badge.css';
import './lines.css';

// The server renders these pages whole; the script only shows another period as soon as it is chosen.
const form = document.querySelector<HTMLFormElement>('.line-period');
form?.addEventListener('change', () => {
  if (form.checkValidity()) form.submit();
});
