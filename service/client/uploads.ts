import type { DetailedError, Upload } from 'tus-js-client';
import { droppedFiles } from './dropped-files.js';
import { knownFiles } from './known-files.js';
import { photosChanged, readPage } from './photo-pages.js';
import { SpaceWait } from './space-wait.js';
import { verbatim } from './verbatim.js';

/** How many files are sent at the same time. */
const AT_ONCE = 3;

/** How long to wait before each further attempt, in milliseconds. */
const RETRY_DELAYS = [0, 1000, 3000, 5000, 10_000, 20_000];

/** The list is read again at most this often while files are uploaded, in milliseconds. */
const REFRESH_MS = 5000;

/** The status of a refusal for lack of space, in the workspace or at the service. */
const NO_SPACE = 507;

/** `checks`: whether it is there already; then `known`. */
type State = 'checks' | 'waits' | 'runs' | 'offline' | 'uploaded' | 'known' | 'failed';

/** A chosen file. */
interface Item {
  readonly file: File;
  /** Where it goes. */
  to: Readonly<DOMStringMap>;
  /** Makes a repeated creation find the upload that is already there. */
  readonly key: string;
  readonly row: HTMLLIElement;
  state: State;
  /** From 0 to 1. */
  sent: number;
  problem: string;
  /** Failed because nobody was signed in. */
  isSignedOut: boolean;
  upload: Upload | undefined;
}

/**
 * Uploads the files that are chosen or dropped on the page, by tus. A file that is chosen again after a reload goes on where
 * it was.
 */
export class Uploads {
  private items: Item[] = [];
  private readonly panel = document.createElement('section');
  private readonly heading = document.createElement('h2');
  private readonly rows = document.createElement('ul');
  private readonly overlay = document.createElement('p');
  private readonly notice = document.createElement('p');
  private readonly space = new SpaceWait<Item>(() => {
    this.proceed();
  });
  private refreshTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param listReplaced called after the list was read again */
  constructor(private readonly listReplaced: () => void) {}

  start(): void {
    if (control() === undefined) {
      return;
    }
    this.build();
    document.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && target.closest('.upload') !== null) {
        this.add([...(target.files ?? [])]);
        target.value = '';
      }
    });
    this.acceptDrops();
    addEventListener('offline', () => {
      this.pause();
    });
    addEventListener('online', () => {
      this.proceed();
    });
    addEventListener('beforeunload', (event) => {
      if (this.items.some(isOpen)) {
        event.preventDefault();
      }
    });
  }

  private build(): void {
    this.panel.className = 'uploads';
    this.panel.hidden = true;
    this.heading.setAttribute('aria-live', 'polite');
    const close = document.createElement('button');
    close.type = 'button';
    close.className = 'quiet small close';
    close.addEventListener('click', () => {
      this.close();
    });
    this.notice.className = 'no-space';
    this.notice.hidden = true;
    const again = document.createElement('button');
    again.type = 'button';
    again.className = 'quiet small';
    again.addEventListener('click', () => {
      this.space.tryNow();
    });
    const reason = document.createElement('span');
    reason.setAttribute('role', 'status');
    this.notice.append(reason, again);
    this.panel.append(this.heading, close, this.notice, this.rows);
    this.overlay.className = 'drop-overlay';
    this.overlay.hidden = true;
    document.body.append(this.panel, this.overlay);
  }

  private acceptDrops(): void {
    const hasFiles = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes('Files') === true && control() !== undefined;
    document.addEventListener('dragover', (event) => {
      if (hasFiles(event)) {
        event.preventDefault();
        this.overlay.textContent = control()?.dataset['drop'] ?? '';
        this.overlay.hidden = false;
      }
    });
    document.addEventListener('dragleave', ({ relatedTarget }) => {
      this.overlay.hidden ||= relatedTarget === null;
    });
    document.addEventListener('drop', (event) => {
      this.overlay.hidden = true;
      if (hasFiles(event)) {
        event.preventDefault();
        void droppedFiles(event.dataTransfer).then((files) => {
          this.add(files);
        });
      }
    });
  }

  private add(files: readonly File[]): void {
    const to = control()?.dataset;
    if (to === undefined || files.length === 0) {
      return;
    }
    // What is over makes room.
    if (!this.items.some(isOpen)) {
      this.items = this.items.filter(({ state }) => state === 'failed');
      this.rows.replaceChildren(...this.items.map(({ row }) => row));
    }
    const added = files.map((file): Item => {
      const item: Item = {
        file,
        to: Object.fromEntries(Object.entries(to)),
        key: randomKey(),
        row: document.createElement('li'),
        state: 'checks',
        sent: 0,
        problem: '',
        isSignedOut: false,
        upload: undefined,
      };
      this.items.push(item);
      this.rows.append(item.row);
      this.fillRow(item);
      return item;
    });
    this.panel.hidden = false;
    this.draw();
    void this.check(added, to);
  }

  /** Sets those aside that are there already, and starts the others. */
  private async check(items: readonly Item[], to: Readonly<DOMStringMap>): Promise<void> {
    const files = items.map(({ file }) => file);
    await knownFiles(files, to, (file, isKnown) => {
      const item = items.find((one) => one.file === file);
      if (item !== undefined && stateOf(item) === 'checks') {
        item.state = isKnown ? 'known' : 'waits';
        this.proceed();
      }
    });
  }

  private fillRow(item: Item): void {
    const name = verbatim(item.file.name);
    const state = document.createElement('span');
    state.className = 'state';
    const bar = document.createElement('progress');
    bar.setAttribute('aria-label', item.file.name);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'quiet small';
    button.addEventListener('click', () => {
      if (item.state === 'failed' || item.state === 'known') {
        void this.retry(item);
      } else {
        void this.cancel(item);
      }
    });
    item.row.append(name, state, button, bar);
    draw(item);
  }

  /** Uploads a file that failed or is there already; one that has begun goes on where it was. */
  private async retry(item: Item): Promise<void> {
    item.state = 'waits';
    item.upload = undefined;
    if (item.isSignedOut) {
      // Somebody may have signed in since, on another page.
      const page = await readPage(location.pathname + location.search).catch(() => undefined);
      const csrf = page && control(page)?.dataset['csrf'];
      item.to = { ...item.to, ...(csrf !== undefined && { csrf }) };
      item.isSignedOut = false;
    }
    this.proceed();
  }

  /** Starts as many files as may run at the same time. */
  private proceed(): void {
    for (const item of this.items) {
      if (item.state === 'offline' && navigator.onLine) {
        item.state = 'waits';
      }
      const running = this.items.filter(({ state }) => state === 'runs').length;
      if (item.state === 'waits' && running < this.space.atOnce(AT_ONCE)) {
        if (navigator.onLine) {
          this.space.begin(item);
          void this.run(item);
        } else {
          item.state = 'offline';
        }
      }
    }
    if (!this.items.some(isOpen)) {
      this.space.end();
    }
    this.draw();
  }

  private pause(): void {
    for (const item of this.items) {
      if (item.state === 'runs' || item.state === 'waits') {
        item.state = 'offline';
        void item.upload?.abort();
      }
    }
    this.draw();
  }

  private async run(item: Item): Promise<void> {
    item.state = 'runs';
    const { Upload: TusUpload } = await import('tus-js-client');
    item.upload ??= new TusUpload(item.file, this.optionsOf(item));
    const [earlier] = await item.upload.findPreviousUploads();
    if (earlier !== undefined && item.upload.url === null) {
      item.upload.resumeFromPreviousUpload(earlier);
    }
    // It may have been paused or removed since.
    if (stateOf(item) === 'runs') {
      item.upload.start();
    }
  }

  private optionsOf(item: Item): ConstructorParameters<typeof Upload>[1] {
    const { file, to } = item;
    const { endpoint = '', csrf = '', workspace = '', project } = to;
    return {
      endpoint,
      headers: { 'X-CSRF-Token': csrf, 'X-Workspace': workspace },
      metadata: {
        filename: file.name,
        filetype: file.type,
        client_upload_id: item.key,
        ...(project !== undefined && { project }),
      },
      fingerprint: () => Promise.resolve(fingerprintOf(item)),
      removeFingerprintOnSuccess: true,
      retryDelays: RETRY_DELAYS,
      onShouldRetry: (error) => isPassing(statusOf(error)),
      onProgress: (sent, total) => {
        item.sent = total === 0 ? 1 : sent / total;
        draw(item);
      },
      onAfterResponse: (request, response) => {
        if (request.getMethod() !== 'HEAD' && response.getStatus() < 300) {
          this.space.accept(item);
        }
      },
      onSuccess: () => {
        item.state = 'uploaded';
        item.sent = 1;
        this.ended();
      },
      onError: (error) => {
        if (item.state !== 'runs') {
          return;
        }
        if (statusOf(error) === NO_SPACE) {
          this.space.refuse(problemOf(error, to));
          item.state = 'waits';
          // Last, so that smaller files that fit do not wait for it.
          this.items = [...this.items.filter((one) => one !== item), item];
          this.proceed();
          return;
        }
        item.state = navigator.onLine ? 'failed' : 'offline';
        item.problem = problemOf(error, to);
        item.isSignedOut = [401, 403].includes(statusOf(error));
        this.ended();
      },
    };
  }

  private async cancel(item: Item): Promise<void> {
    const isRunning = item.upload !== undefined;
    this.items = this.items.filter((one) => one !== item);
    item.row.remove();
    item.state = 'failed';
    if (isRunning) {
      await item.upload?.abort(true).catch(() => undefined);
    }
    this.proceed();
    this.panel.hidden = this.items.length === 0;
  }

  /** A file is uploaded or has failed. */
  private ended(): void {
    this.proceed();
    this.refreshTimer ??= setTimeout(
      () => {
        this.refreshTimer = undefined;
        void refreshList(this.listReplaced);
      },
      this.items.some(isOpen) ? REFRESH_MS : 0,
    );
  }

  private close(): void {
    this.items = this.items.filter(isOpen);
    this.rows.replaceChildren(...this.items.map(({ row }) => row));
    this.panel.hidden = true;
  }

  /** Shows why files wait, once for all of them. */
  private drawNotice(to: Readonly<DOMStringMap>): void {
    const { reason = '' } = this.space;
    const [text, again] = this.notice.children;
    this.notice.hidden = reason === '';
    if (text && text.textContent !== reason) {
      text.textContent = reason;
    }
    if (again) {
      again.textContent = to['again'] ?? '';
    }
  }

  private draw(): void {
    this.items.forEach(draw);
    const to = this.items[0]?.to ?? {};
    const isRunning = this.items.some(isOpen);
    const done = this.items.filter(({ state }) => state === 'uploaded' || state === 'known').length;
    const words = isRunning ? to['running'] : to['done'];
    const text = (words ?? '')
      .replace('{done}', String(done))
      .replace('{count}', String(this.items.length));
    if (this.heading.textContent !== text) {
      this.heading.textContent = text;
    }
    this.drawNotice(to);
    const close = this.panel.querySelector<HTMLElement>('.close');
    if (close !== null) {
      close.hidden = isRunning;
      close.textContent = to['close'] ?? '';
    }
  }
}

function control(page: Document = document): HTMLElement | undefined {
  return page.querySelector<HTMLElement>('.upload[data-endpoint]') ?? undefined;
}

function draw({ row, to, state, sent, problem }: Item): void {
  row.className = state;
  const bar = row.querySelector('progress');
  if (bar !== null) {
    bar.hidden = !isOpen({ state });
    bar.value = sent;
  }
  const text = row.querySelector('.state');
  if (text !== null) {
    text.textContent =
      state === 'failed'
        ? problem
        : state === 'runs'
          ? `${Math.floor(sent * 100)} %`
          : (to[state === 'checks' ? 'waits' : state] ?? '');
  }
  const button = row.querySelector('button');
  if (button !== null) {
    button.hidden = state === 'uploaded';
    const word = state === 'failed' ? 'again' : state === 'known' ? 'sendAgain' : 'cancel';
    button.textContent = to[word] ?? '';
  }
}

function isOpen({ state }: Pick<Item, 'state'>): boolean {
  return state !== 'uploaded' && state !== 'failed' && state !== 'known';
}

/** For the compiler, which does not see that the state changes while others work. */
function stateOf({ state }: Item): State {
  return state;
}

/** The same file, for the same place. */
function fingerprintOf({ file, to }: Item): string {
  const { name, type, size, lastModified } = file;
  return ['photo', to['workspace'], to['project'], name, type, size, lastModified].join(' ');
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function statusOf(error: Error | DetailedError): number {
  return 'originalResponse' in error ? (error.originalResponse?.getStatus() ?? 0) : 0;
}

/** Whether another attempt may succeed. Without a response there was no connection. */
function isPassing(status: number): boolean {
  return (
    status === 0 ||
    status === 408 ||
    status === 409 ||
    status === 423 ||
    status === 429 ||
    (status >= 500 && status !== NO_SPACE)
  );
}

/** What went wrong, in one sentence, with the code of the service. */
function problemOf(error: Error | DetailedError, to: Readonly<DOMStringMap>): string {
  const status = statusOf(error);
  const words = {
    401: to['signedOut'],
    403: to['signedOut'],
    413: to['tooLarge'],
    422: to['noProject'],
  }[status];
  if ('originalResponse' in error && error.originalResponse !== null) {
    const word = codeIn(error.originalResponse.getBody());
    if (status === NO_SPACE) {
      return word === 'insufficient_disk_space'
        ? `${to['serviceFull'] ?? ''} (CW-620)`
        : `${to['noRoom'] ?? ''} (CW-606)`;
    }
    return `${words ?? to['failed'] ?? ''} (${word ?? status})`;
  }
  const isFile = error instanceof DOMException || /read/i.test(error.message);
  return (isFile ? to['unreadable'] : to['failed']) ?? '';
}

function codeIn(body: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    const code =
      typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : '';
    return typeof code === 'string' && code !== '' ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Shows the new photos, unless the reader has gone on to others or is filling in a form of the list. */
async function refreshList(replaced: () => void): Promise<void> {
  const main = document.querySelector('main');
  if (main === null || scrollY > innerHeight || document.querySelector('.pswp--open') !== null) {
    return;
  }
  const page = await readPage(location.pathname + location.search).catch(() => undefined);
  const found = page?.querySelector('main');
  if (found !== undefined && found !== null && !hasTyped(main)) {
    main.replaceChildren(...found.childNodes);
    replaced();
    photosChanged();
  }
}

/** Whether somebody has typed into a field and not sent it. */
function hasTyped(root: Element): boolean {
  const fields = root.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea');
  return [...fields].some(({ value, defaultValue }) => value !== defaultValue);
}
