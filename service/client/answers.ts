import { nextAttempt, request } from './connection.js';
import { readDraft, restoreDraft, withoutSent, type Draft } from './drafts.js';
import { Outbox } from './outbox.js';
import { showLocalTimes } from './times.js';

/** Sent to the document when the answers to a photo have changed. */
export const ANSWERED = 'answered';

export interface Answered {
  readonly photo: string;
  /** The comment that was sent, if it was one. */
  readonly sent: Draft | undefined;
}

/** Sent to the document when a guest begins to point at a spot. */
export const POINTING = 'pointing';

/** What the service answers to a form of a guest. */
export interface Reply {
  /** The answers to the photo, as markup of the service. */
  readonly panel?: string;
  readonly favourite?: boolean;
  readonly stars?: number;
  readonly approved?: boolean;
  readonly comments?: number;
  readonly favourites?: number;
  readonly needsName?: boolean;
  readonly problem?: string;
}

/** An answer on its way. */
interface Sending {
  readonly address: string;
  readonly fields: URLSearchParams;
  /** Undefined for a comment that an earlier page could not send. */
  readonly button: HTMLButtonElement | undefined;
  /** The comment, if it is one. */
  readonly comment: Draft | undefined;
}

/**
 * Sends the favourites, approvals and comments of a guest without leaving the page, one after another. Without a connection
 * they wait; comments also for the next visit.
 */
export function sendAnswers(): void {
  let last = Promise.resolve();
  const plan = (sending: Sending): void => {
    last = last.then(() => send(sending));
  };
  const form = document.querySelector<HTMLFormElement>('form[action$="/answers"]');
  for (const { address, fields } of form === null ? [] : new Outbox(pathOf(form)).all()) {
    plan({ address, fields, button: undefined, comment: undefined });
  }
  document.addEventListener('submit', (event) => {
    const form = event.target;
    const button = event.submitter;
    if (
      form instanceof HTMLFormElement &&
      button instanceof HTMLButtonElement &&
      pathOf(form).endsWith('/answers')
    ) {
      event.preventDefault();
      plan(takenFrom(form, button));
    }
  });
  showPoints();
}

function pathOf(form: HTMLFormElement): string {
  return new URL(form.action, location.href).pathname;
}

/** Takes the answer from its form as it is now. */
function takenFrom(form: HTMLFormElement, button: HTMLButtonElement): Sending {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form, button)) {
    if (typeof value === 'string') {
      fields.append(name, value);
    }
  }
  const address = pathOf(form);
  const panel = button.name === 'comment' ? form.closest('.answers') : null;
  button.disabled = true;
  if (panel === null) {
    return { address, fields, button, comment: undefined };
  }
  // The service stores a comment once, however often it arrives.
  fields.set('attempt', crypto.getRandomValues(new BigUint64Array(2)).join('-'));
  new Outbox(address).keep(fields);
  return { address, fields, button, comment: readDraft(panel) };
}

async function send({ address, fields, button, comment }: Sending): Promise<void> {
  const outbox = new Outbox(address);
  const attempt = fields.get('attempt') ?? '';
  try {
    let reply = await post(address, fields);
    while (reply.needsName === true) {
      const name = await askName(reply.problem);
      if (name === undefined) {
        if (button !== undefined) {
          outbox.remove(attempt);
        }
        return;
      }
      fields.set('name', name);
      reply = await post(address, fields);
    }
    // A comment of an earlier page is in no field, from where the guest could send it again.
    if (reply.problem === undefined || button !== undefined) {
      outbox.remove(attempt);
    }
    if (reply.problem === undefined) {
      show(reply, button, comment);
    } else {
      say(reply.problem);
    }
  } catch {
    // A comment of an earlier page waits for the next visit. The guest looks at something else.
    if (button !== undefined) {
      sendAsForm(address, fields);
    }
  } finally {
    if (button !== undefined) {
      button.disabled = false;
    }
  }
}

/**
 * Leaves the page with an answer, as without this script: the link has ended, or something between us and the service has
 * answered. `submit` makes no event, which would end here again, and needs no button on the page.
 */
function sendAsForm(action: string, fields: URLSearchParams): void {
  const form = document.createElement('form');
  form.hidden = true;
  form.method = 'post';
  form.action = action;
  for (const [name, value] of fields) {
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}

/**
 * Waits for a connection if there is none.
 * @throws {SyntaxError} when the response is not that of the service
 */
async function post(address: string, fields: URLSearchParams): Promise<Reply> {
  for (;;) {
    const received = await request(address, {
      method: 'POST',
      body: fields,
      headers: { accept: 'application/json' },
    });
    showWaiting(received === undefined);
    if (received !== undefined) {
      return JSON.parse(received.text) as Reply;
    }
    await nextAttempt();
  }
}

/** Shows that answers wait for a connection, or no longer. */
function showWaiting(isWaiting: boolean): void {
  const shown = document.querySelector('.toast.no-connection');
  if (!isWaiting) {
    shown?.remove();
  } else if (shown === null) {
    const notice = noConnection();
    notice.classList.add('toast');
    // In the viewer, so that the focus can reach it.
    (document.querySelector('.pswp') ?? document.body).append(notice);
  }
}

/** A sentence about the missing connection, with a button. */
export function noConnection(): HTMLElement {
  const template = document.querySelector<HTMLTemplateElement>('template.no-connection-notice');
  const notice = template?.content.firstElementChild?.cloneNode(true);
  return notice instanceof HTMLElement ? notice : document.createElement('p');
}

/**
 * Shows the new state of a photo, wherever the page has it.
 * @param sent the comment that was sent, if it was one
 */
function show(reply: Reply, button: HTMLButtonElement | undefined, sent: Draft | undefined): void {
  const markup = reply.panel === undefined ? undefined : parse(reply.panel);
  const photo = markup?.dataset['photo'] ?? '';
  const panel = document.querySelector(`.answers[data-photo="${CSS.escape(photo)}"]`);
  if (panel !== null && markup !== undefined) {
    replacePanel(panel, markup, sent);
  }
  const item = document.querySelector<HTMLElement>(`#photo-${CSS.escape(photo)}`);
  if (item !== null) {
    mark(item, reply);
  }
  const link = document.querySelector<HTMLElement>('a.favourites');
  if (link !== null && reply.favourites !== undefined) {
    const count = String(reply.favourites);
    link.querySelector('.count')?.replaceChildren(count);
    link.ariaLabel = link.dataset['words']?.replace('{count}', count) ?? '';
  }
  if (button !== undefined && /^(un)?star/.test(button.name) && button.hidden) {
    const { stars = 0 } = reply;
    say('★'.repeat(stars) + '☆'.repeat(5 - stars));
  }
  if (button?.isConnected === false && document.activeElement === document.body) {
    document.querySelector<HTMLElement>(`.answers [name="${button.name}"]`)?.focus();
  }
  document.dispatchEvent(new CustomEvent<Answered>(ANSWERED, { detail: { photo, sent } }));
}

/**
 * Replaces the answers to a photo by newer ones. A comment that the guest is writing stays.
 * @param sent the comment that was sent, if it was one
 */
function replacePanel(panel: Element, markup: HTMLElement, sent?: Draft): void {
  const draft = readDraft(panel);
  panel.replaceWith(markup);
  restoreDraft(markup, sent === undefined ? draft : withoutSent(draft, sent));
}

/** Shows the answers on the tile of a photo. */
function mark(
  item: HTMLElement,
  { favourite = false, approved = false, comments = 0 }: Reply,
): void {
  setHeart(item.querySelector<HTMLButtonElement>('.heart'), favourite);
  item.querySelector('.marks')?.remove();
  const marks = document
    .querySelector<HTMLTemplateElement>('template.tile-marks')
    ?.content.querySelector('.marks')
    ?.cloneNode(true);
  if (!(marks instanceof HTMLElement) || (!approved && comments === 0)) {
    return;
  }
  const [check, talk] = marks.children;
  if (!approved) {
    check?.remove();
  }
  if (comments === 0) {
    talk?.remove();
  }
  talk?.querySelector('.count')?.replaceChildren(String(comments));
  item.append(marks);
}

/** The next press of a heart does the opposite. */
export function setHeart(heart: HTMLButtonElement | null, isFavourite: boolean): void {
  if (heart !== null) {
    heart.name = isFavourite ? 'unfavourite' : 'favourite';
    heart.setAttribute('aria-pressed', String(isFavourite));
  }
}

/** The markup that the service has made for this page. */
export function parse(markup: string): HTMLElement | undefined {
  const { body } = new DOMParser().parseFromString(markup, 'text/html');
  showLocalTimes(body);
  const [element] = body.children;
  return element instanceof HTMLElement ? document.adoptNode(element) : undefined;
}

/** Shows the question for the guest's name. @returns undefined when the guest has closed the question. */
function askName(problem: string | undefined): Promise<string | undefined> {
  const dialog = document.querySelector<HTMLDialogElement>('#guest-name');
  const field = dialog?.querySelector<HTMLInputElement>('input');
  if (dialog === null || field === null || field === undefined) {
    return Promise.resolve(undefined);
  }
  if (problem !== undefined) {
    say(problem);
  }
  return new Promise((resolve) => {
    dialog.returnValue = '';
    dialog.querySelector('form')?.addEventListener(
      'submit',
      () => {
        dialog.close('named');
      },
      { once: true },
    );
    dialog.querySelector('.cancel')?.addEventListener('click', () => {
      dialog.close('');
    });
    dialog.addEventListener(
      'close',
      () => {
        resolve(dialog.returnValue === '' ? undefined : field.value);
      },
      { once: true },
    );
    dialog.showModal();
  });
}

/** Shows a sentence for some seconds; screen readers read it. */
function say(sentence: string): void {
  document.querySelector('.toast')?.remove();
  const toast = document.createElement('p');
  toast.className = 'toast';
  toast.setAttribute('role', 'alert');
  toast.textContent = sentence;
  (document.querySelector('dialog[open]') ?? document.body).append(toast);
  setTimeout(() => {
    toast.remove();
  }, 6000);
}

/** Lets a guest point at a spot of the picture for a comment. */
function showPoints(): void {
  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) {
      return;
    }
    const button = event.target.closest<HTMLButtonElement>('button.point');
    if (button !== null) {
      const isPointing = button.getAttribute('aria-pressed') !== 'true';
      setPointing(isPointing);
      const isByKey = event.detail === 0;
      place(isPointing && isByKey ? { x: 0.5, y: 0.5 } : undefined, pictureShown());
      return;
    }
    const picture = pictureAt(event.target);
    if (picture !== undefined) {
      event.preventDefault();
      const box = frameIn(picture, picture.getBoundingClientRect());
      place(
        {
          x: (event.clientX - box.left) / box.width,
          y: (event.clientY - box.top) / box.height,
        },
        picture,
      );
      document.querySelector<HTMLTextAreaElement>('.write textarea')?.focus();
    }
  });
  // The viewer would take it for the begin of a gesture.
  document.addEventListener(
    'pointerdown',
    (event) => {
      if (event.target instanceof Element && pictureAt(event.target) !== undefined) {
        event.stopPropagation();
      }
    },
    { capture: true },
  );
  document.addEventListener(
    'keydown',
    (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
        event.key
      ];
      const { target, altKey, ctrlKey, metaKey } = event;
      const isPoint = target instanceof Element && target.matches('button.point');
      if (step === undefined || !isPoint || !isPointingNow() || altKey || ctrlKey || metaKey) {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      movePin(step, event.shiftKey ? STEPS.far : STEPS.near);
    },
    { capture: true },
  );
  document.addEventListener(ANSWERED, () => {
    if (!spotField('x')?.value) {
      setPointing(false);
      document.querySelector('.new-pin')?.remove();
    }
    const figure = document.querySelector('.large figure');
    if (figure !== null) {
      drawMarks(figure, document);
    }
  });
}

/** How far an arrow key moves the pin of a new comment, as parts of the picture. */
const STEPS = { near: 0.02, far: 0.1 } as const;

/**
 * Shows the pins and the time line of answers.
 * @param place the parent of the picture or of the film
 * @param root has the answers; without it, nothing is left of them
 */
export function drawMarks(place: Element, root: ParentNode | undefined): void {
  place.querySelector('.pins')?.remove();
  place.querySelector('.time-line')?.remove();
  const film = place.querySelector('.film');
  (film ?? place).append(...drawn(root, '.pins'));
  film?.after(...drawn(root, '.time-line'));
}

/** What the answers have for another place of the page. */
export function drawn(root: ParentNode | undefined, selector: string): Node[] {
  const template = root?.querySelector<HTMLTemplateElement>('.answers template.marks');
  const found = template?.content.querySelector(selector)?.cloneNode(true);
  return found === undefined ? [] : [found];
}

type Picture = HTMLImageElement | HTMLVideoElement;

function isPointingNow(): boolean {
  return document.documentElement.classList.contains('pointing');
}

/** The picture that a guest points at. */
function pictureAt(target: Element): Picture | undefined {
  const found = isPointingNow()
    ? (target.closest('.large figure > img, img.pswp__img') ??
      target.closest('.film')?.querySelector('video'))
    : undefined;
  return asPicture(found);
}

/** The picture or the film on the screen. */
function pictureShown(): Picture | undefined {
  const place =
    document.querySelector('.pswp') === null ? '.large figure' : '.pswp__item[aria-hidden="false"]';
  return asPicture(
    document.querySelector(`${place} :is(img:not(.pswp__img--placeholder), .film video)`),
  );
}

function asPicture(found: Element | null | undefined): Picture | undefined {
  return found instanceof HTMLImageElement || found instanceof HTMLVideoElement ? found : undefined;
}

/** Where the frame is in the box of a film; a picture fills its box. */
function frameIn(picture: Picture, { left, top, width, height }: Box): Box {
  if (!(picture instanceof HTMLVideoElement) || picture.videoWidth === 0) {
    return { left, top, width, height };
  }
  const scale = Math.min(width / picture.videoWidth, height / picture.videoHeight);
  const frame = { width: picture.videoWidth * scale, height: picture.videoHeight * scale };
  return {
    ...frame,
    left: left + (width - frame.width) / 2,
    top: top + (height - frame.height) / 2,
  };
}

type Box = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>;

function movePin([right = 0, down = 0]: readonly number[], step: number): void {
  const at = (name: 'x' | 'y'): number => {
    const { value = '' } = spotField(name) ?? {};
    return value === '' ? 0.5 : Number(value);
  };
  place({ x: at('x') + right * step, y: at('y') + down * step }, pictureShown());
}

function spotField(name: 'x' | 'y'): HTMLInputElement | undefined {
  return document.querySelector<HTMLInputElement>(`.write input[name="${name}"]`) ?? undefined;
}

function setPointing(isPointing: boolean): void {
  document.documentElement.classList.toggle('pointing', isPointing);
  document.querySelector('button.point')?.setAttribute('aria-pressed', String(isPointing));
  if (isPointing) {
    document.dispatchEvent(new CustomEvent(POINTING));
  }
}

/** Notes the spot in the form, and marks it in the picture. */
function place(
  spot: { readonly x: number; readonly y: number } | undefined,
  picture?: Picture,
): void {
  const inside = spot && { x: within(spot.x), y: within(spot.y) };
  for (const name of ['x', 'y'] as const) {
    const field = spotField(name);
    if (field !== undefined) {
      field.value = inside?.[name].toFixed(5) ?? '';
    }
  }
  document.querySelector('.new-pin')?.remove();
  if (inside !== undefined && picture !== undefined) {
    const { offsetWidth: width, offsetHeight: height } = picture;
    const frame = frameIn(picture, { left: 0, top: 0, width, height });
    const pin = document.createElement('span');
    pin.className = 'new-pin';
    pin.style.left = `${frame.left + inside.x * frame.width}px`;
    pin.style.top = `${frame.top + inside.y * frame.height}px`;
    picture.parentElement?.append(pin);
  }
}

/** A part of a side, 0 to 1. */
function within(part: number): number {
  return Math.min(1, Math.max(0, part));
}
