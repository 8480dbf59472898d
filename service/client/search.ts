import type { EndlessList } from './endless.js';
import { photosChanged, readPage } from './photo-pages.js';

/** How long after the last key the search begins, in milliseconds. */
const PAUSE_MS = 250;

/** Searches while the reader types. Without scripts, Enter does. */
export function searchWhileTyping(list: EndlessList): void {
  const form = document.querySelector<HTMLFormElement>('header form.search');
  const main = document.querySelector('main');
  if (form === null || main === null) {
    return;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = new AbortController();
  const search = async (): Promise<void> => {
    clearTimeout(timer);
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const address = addressOf(form);
    try {
      const page = await readPage(address, signal);
      const found = page.querySelector('main');
      if (found !== null && !signal.aborted) {
        main.replaceChildren(...found.childNodes);
        list.reset();
        history.replaceState(null, '', address);
        scrollTo({ top: 0, behavior: 'instant' });
        photosChanged();
      }
    } catch {
      // The next key tries again; Enter opens the page.
      if (!signal.aborted) {
        form.dataset['failed'] = '';
      }
    }
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    delete form.dataset['failed'];
    timer = setTimeout(() => void search(), PAUSE_MS);
  });
  form.addEventListener('submit', (event) => {
    if (form.dataset['failed'] === undefined) {
      event.preventDefault();
      void search();
    }
  });
}

/** The address that the form leads to. */
function addressOf(form: HTMLFormElement): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && value.trim() !== '') {
      parameters.append(name, value.trim());
    }
  }
  const query = parameters.toString();
  return new URL(form.action).pathname + (query === '' ? '' : `?${query}`);
}
