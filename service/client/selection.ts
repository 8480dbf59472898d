import { itemsOf, photosChanged, whenPhotosChange } from './photo-pages.js';

/** The selection of a list as it is kept while its user goes from page to page. */
interface Kept {
  readonly ids: readonly string[];
  readonly isWhole: boolean;
  readonly excepted: readonly string[];
}

/** A tile that has left the list, and where it was. */
interface Removed {
  readonly node: Element;
  readonly previous: Element | null;
  readonly next: Element | null;
}

/** How long a message stays, in milliseconds. */
const MESSAGE_MS = 30_000;

/** Lets users select photos of the list on this page, and of a list that replaces it. */
export function enableSelection(): void {
  let current: ListSelection | undefined;
  const begin = (added?: readonly HTMLLIElement[]): void => {
    const form = document.querySelector<HTMLFormElement>('form.several');
    const list = form?.querySelector<HTMLElement>('ul.photos') ?? undefined;
    const bar = form?.querySelector<HTMLElement>('.selection-bar') ?? undefined;
    if (form !== null && current?.form === form) {
      current.show(added);
      return;
    }
    current?.end();
    current = undefined;
    if (form !== null && list !== undefined && bar !== undefined) {
      current = new ListSelection(form, list, bar);
      current.start();
    }
  };
  begin();
  whenPhotosChange(begin);
}

/** The selected photos of one list, on this page and on others, and what is done with them. */
class ListSelection {
  private readonly ids = new Set<string>();
  /** Whether all photos of the list are selected, also those on other pages, but for {@link excepted}. */
  private isWhole = false;
  private readonly excepted = new Set<string>();
  /** Where a range begins. */
  private anchor: string | undefined;
  private readonly all: HTMLInputElement | null;
  private readonly allText: Element | null;
  private readonly message = document.createElement('div');
  private messageTimer: ReturnType<typeof setTimeout> | undefined;
  private removed: readonly Removed[] = [];
  private total: number | undefined;
  private readonly storageKey: string;
  private readonly whileShown = new AbortController();

  constructor(
    readonly form: HTMLFormElement,
    private readonly list: HTMLElement,
    private readonly bar: HTMLElement,
  ) {
    this.all = form.querySelector('input[name=all]');
    this.allText = form.querySelector('.select-all span');
    const total = this.all?.dataset['total'];
    this.total = total === undefined ? undefined : Number(total);
    this.storageKey = `selection ${location.pathname}${bar.dataset['list'] ?? ''}`;
  }

  start(): void {
    this.read();
    this.message.className = 'toast';
    this.message.setAttribute('role', 'status');
    this.form.append(this.message);
    this.form.addEventListener('click', (event) => this.click(event), { capture: true });
    this.form.addEventListener('change', (event) => this.changed(event));
    this.form.addEventListener('keydown', (event) => this.key(event));
    this.form.addEventListener('formdata', ({ formData }) => this.fill(formData));
    this.form.addEventListener('submit', (event) => this.submit(event));
    this.message.addEventListener('click', (event) => this.clickMessage(event));
    const { signal } = this.whileShown;
    document.addEventListener('keydown', (event) => this.escape(event), { signal });
    document.addEventListener('click', (event) => this.closeMenu(event), { signal });
    this.bar.querySelector('.clear')?.addEventListener('click', () => this.clear());
    this.bar.querySelector('.select-rest')?.addEventListener('click', () => this.selectAll());
    this.show();
  }

  /** The list is no longer shown. */
  end(): void {
    this.whileShown.abort();
    clearTimeout(this.messageTimer);
  }

  private get tiles(): HTMLElement[] {
    return itemsOf(this.list);
  }

  private get count(): number {
    return this.isWhole ? (this.total ?? this.tiles.length) - this.excepted.size : this.ids.size;
  }

  private has(id: string): boolean {
    return this.isWhole ? !this.excepted.has(id) : this.ids.has(id);
  }

  private set(id: string, isSelected: boolean): void {
    const [set, isIn] = this.isWhole ? [this.excepted, !isSelected] : [this.ids, isSelected];
    if (isIn) {
      set.add(id);
    } else {
      set.delete(id);
    }
  }

  private toggle(id: string): void {
    this.set(id, !this.has(id));
    this.anchor = id;
    this.show();
  }

  /** Selects the photos from the last one that was clicked to this one. */
  private extend(id: string, isSelected = true): void {
    const ids = this.tiles.map((tile) => idOf(tile));
    const to = ids.indexOf(id);
    const from = this.anchor === undefined ? to : ids.indexOf(this.anchor);
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    for (const one of from < 0 ? [id] : ids.slice(first, last + 1)) {
      this.set(one, isSelected);
    }
    this.anchor ??= id;
    this.show();
  }

  private selectAll(): void {
    this.isWhole = true;
    this.ids.clear();
    this.excepted.clear();
    this.show();
  }

  private clear(): void {
    this.isWhole = false;
    this.ids.clear();
    this.excepted.clear();
    this.anchor = undefined;
    this.show();
  }

  /**
   * Draws the state, and keeps it for the next page.
   * @param changed the tiles whose state may have changed
   */
  show(changed: readonly HTMLElement[] = this.tiles): void {
    for (const tile of changed) {
      const isSelected = this.has(idOf(tile));
      tile.classList.toggle('selected', isSelected);
      const box = tile.querySelector<HTMLInputElement>('input[name=photo]');
      if (box !== null) {
        box.checked = isSelected;
      }
    }
    const { count } = this;
    const isEmpty = count === 0;
    this.form.classList.toggle('selecting', !isEmpty);
    this.bar.hidden = isEmpty;
    for (const button of this.bar.querySelectorAll('button')) {
      button.disabled = isEmpty;
    }
    const written = new Intl.NumberFormat(document.documentElement.lang).format(count);
    setText(
      this.bar.querySelector('.count'),
      (this.bar.dataset['selected'] ?? '').replace('{count}', written),
    );
    this.showAll();
    for (const name of ['.clear', '.select-rest']) {
      const button = this.bar.querySelector<HTMLElement>(name);
      if (button !== null) {
        button.hidden = name === '.select-rest' && count === this.total;
      }
    }
    if (isEmpty) {
      this.bar.querySelector('details')?.removeAttribute('open');
    }
    this.keep();
  }

  private showAll(): void {
    const { all, allText, total } = this;
    if (all === null || allText === null) {
      return;
    }
    all.checked = this.isWhole && this.excepted.size === 0;
    all.indeterminate = this.count > 0 && !all.checked;
    if (total !== undefined) {
      const written = new Intl.NumberFormat(document.documentElement.lang).format(total);
      setText(allText, (all.dataset['words'] ?? '').replace('{count}', written));
    }
    setText(this.bar.querySelector('.select-rest'), allText.textContent);
  }

  private keep(): void {
    const kept: Kept = {
      ids: [...this.ids],
      isWhole: this.isWhole,
      excepted: [...this.excepted],
    };
    try {
      if (this.count === 0) {
        sessionStorage.removeItem(this.storageKey);
      } else {
        sessionStorage.setItem(this.storageKey, JSON.stringify(kept));
      }
    } catch {
      // The browser keeps nothing. The selection ends with this page.
    }
  }

  private read(): void {
    const address = new URL(location.href);
    const isDone = address.searchParams.has('change');
    if (isDone || address.searchParams.has('problem')) {
      address.searchParams.delete('change');
      address.searchParams.delete('problem');
      history.replaceState(history.state, '', address);
    }
    try {
      const kept: unknown = JSON.parse(sessionStorage.getItem(this.storageKey) ?? '{}');
      if (!isDone && isKept(kept)) {
        this.isWhole = kept.isWhole;
        kept.ids.forEach((id) => this.ids.add(id));
        kept.excepted.forEach((id) => this.excepted.add(id));
      }
    } catch {
      // Nothing is kept.
    }
  }

  private click(event: MouseEvent): void {
    const tile = tileOf(event.target);
    if (tile === undefined || !(event.target instanceof Element)) {
      return;
    }
    if (event.target instanceof HTMLInputElement && event.target.name === 'photo') {
      if (event.shiftKey) {
        this.extend(idOf(tile), event.target.checked);
      }
      return;
    }
    const isOnPicture = event.target.closest('a.picture') !== null;
    const isForBrowser = event.metaKey || event.ctrlKey || event.altKey;
    if (!isOnPicture || isForBrowser || (this.count === 0 && !event.shiftKey)) {
      return;
    }
    event.preventDefault();
    // The viewer must not open.
    event.stopPropagation();
    if (event.shiftKey) {
      this.extend(idOf(tile));
    } else {
      this.toggle(idOf(tile));
    }
  }

  private changed({ target }: Event): void {
    if (target === this.all) {
      if (this.all?.checked === true) {
        this.selectAll();
      } else {
        this.clear();
      }
    } else if (target instanceof HTMLInputElement && target.name === 'photo') {
      this.set(target.value, target.checked);
      this.anchor = target.value;
      this.show();
    }
  }

  private key(event: KeyboardEvent): void {
    const { target } = event;
    if (event.key === 'Enter' && target instanceof HTMLInputElement) {
      // Enter would press the first button of the form.
      event.preventDefault();
      if (target.name === 'newProject' && target.value.trim() !== '') {
        this.bar.querySelector<HTMLElement>('.new-project button')?.click();
      }
      return;
    }
    const tile = tileOf(target);
    if (tile === undefined) {
      return;
    }
    if (event.key === ' ' && (event.shiftKey || target instanceof HTMLAnchorElement)) {
      event.preventDefault();
      if (event.shiftKey) {
        this.extend(idOf(tile));
      } else {
        this.toggle(idOf(tile));
      }
    } else if (event.shiftKey && event.key.startsWith('Arrow')) {
      event.preventDefault();
      this.anchor ??= idOf(tile);
      const next = this.neighbour(tile, event.key);
      next.querySelector<HTMLElement>('a.picture')?.focus();
      this.extend(idOf(next));
    } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.selectAll();
    }
  }

  /** The tile in the direction of an arrow key; the tile itself at the edge. */
  private neighbour(tile: HTMLElement, key: string): HTMLElement {
    const { tiles } = this;
    const index = tiles.indexOf(tile);
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      return tiles[index + (key === 'ArrowLeft' ? -1 : 1)] ?? tile;
    }
    const isUp = key === 'ArrowUp';
    const { top, left, width } = tile.getBoundingClientRect();
    const middle = left + width / 2;
    const others = (isUp ? tiles.slice(0, index).reverse() : tiles.slice(index + 1)).map(
      (other) => ({
        other,
        box: other.getBoundingClientRect(),
      }),
    );
    const row = others.find(({ box }) => (isUp ? box.top < top - 1 : box.top > top + 1))?.box.top;
    const inRow = others.filter(({ box }) => row !== undefined && Math.abs(box.top - row) <= 1);
    const distance = (box: DOMRect): number => Math.abs(box.left + box.width / 2 - middle);
    return inRow.sort((one, two) => distance(one.box) - distance(two.box))[0]?.other ?? tile;
  }

  private escape(event: KeyboardEvent): void {
    const isElsewhere =
      event.defaultPrevented || document.querySelector('dialog[open], .pswp--open') !== null;
    if (event.key !== 'Escape' || isElsewhere) {
      return;
    }
    const menu = this.bar.querySelector<HTMLDetailsElement>('details[open]');
    if (menu !== null) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    } else if (this.count > 0) {
      this.clear();
    }
  }

  private closeMenu({ target }: MouseEvent): void {
    const menu = this.bar.querySelector<HTMLDetailsElement>('details[open]');
    if (menu !== null && target instanceof Node && !menu.contains(target)) {
      menu.open = false;
    }
  }

  /** Adds the photos that are on other pages to the form. */
  private fill(data: FormData): void {
    data.delete('photo');
    data.delete('all');
    if (this.isWhole) {
      data.set('all', 'yes');
    }
    for (const id of this.isWhole ? this.excepted : this.ids) {
      data.append(this.isWhole ? 'except' : 'photo', id);
    }
  }

  private submit(event: SubmitEvent): void {
    const { submitter } = event;
    if (!(submitter instanceof HTMLButtonElement) || 'keeps' in submitter.dataset) {
      return;
    }
    event.preventDefault();
    // A button of one photo, whatever is selected.
    const single = submitter.name === 'restore' ? submitter.value : undefined;
    const data = new FormData(this.form, submitter);
    const leaves =
      'leaves' in submitter.dataset ||
      (submitter.name === 'move' &&
        this.bar.dataset['project'] !== undefined &&
        this.bar.dataset['project'] !== submitter.value);
    const isWhole = this.isWhole && single === undefined;
    const chosen = this.tiles.filter((tile) =>
      single === undefined ? this.has(idOf(tile)) : idOf(tile) === single,
    );
    void this.send(this.form.getAttribute('action') ?? '', data).then((answer) => {
      if (answer === undefined || answer.isProblem) {
        return;
      }
      if (single === undefined) {
        this.clear();
      }
      if (isWhole || (leaves && chosen.length === this.tiles.length)) {
        location.assign(answer.address);
      } else if (leaves) {
        this.remove(chosen);
      } else {
        this.removed = [];
      }
    });
  }

  /** Undo, in a message. */
  private clickMessage(event: MouseEvent): void {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    const fields = button?.closest<HTMLElement>('[data-action]');
    if (button === null || fields === null || fields === undefined) {
      return;
    }
    event.preventDefault();
    const data = new FormData();
    data.set('csrf', this.form.querySelector<HTMLInputElement>('input[name=csrf]')?.value ?? '');
    data.set(button.name, button.value);
    void this.send(fields.dataset['action'] ?? '', data).then((answer) => {
      if (answer !== undefined && !answer.isProblem) {
        this.bringBack();
      }
    });
  }

  /**
   * Sends a form and shows the message of the page that is the response.
   * @returns undefined when the request failed, or leads to another page.
   */
  private async send(
    address: string,
    data: FormData,
  ): Promise<{ readonly isProblem: boolean; readonly address: string } | undefined> {
    try {
      const body = new URLSearchParams();
      for (const [name, value] of data) {
        if (typeof value === 'string') {
          body.append(name, value);
        }
      }
      const response = await fetch(address, { method: 'POST', body });
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      const message = page.querySelector<HTMLElement>('.good, .problem');
      if (message === null && page.querySelector('form.question') !== null) {
        this.ask(address, body);
        return undefined;
      }
      if (message === null) {
        location.assign(response.url);
        return undefined;
      }
      this.tell(message);
      return { isProblem: message.classList.contains('problem'), address: response.url };
    } catch {
      const failed = document.createElement('p');
      failed.className = 'problem';
      failed.textContent = this.bar.dataset['failed'] ?? '';
      this.tell(failed);
      return undefined;
    }
  }

  /** Shows the page with a question. The same form, sent without this script, leads to it. */
  private ask(address: string, body: URLSearchParams): void {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = address;
    form.hidden = true;
    for (const [name, value] of body) {
      const field = document.createElement('input');
      field.name = name;
      field.value = value;
      form.append(field);
    }
    document.body.append(form);
    form.submit();
  }

  private tell(message: HTMLElement): void {
    // A form cannot be in a form.
    for (const form of message.querySelectorAll('form')) {
      const group = document.createElement('div');
      group.dataset['action'] = form.getAttribute('action') ?? '';
      group.append(...form.childNodes);
      form.replaceWith(group);
    }
    for (const old of document.querySelectorAll('main > .good, main > .problem')) {
      old.remove();
    }
    this.message.replaceChildren(message);
    clearTimeout(this.messageTimer);
    this.messageTimer = setTimeout(() => this.message.replaceChildren(), MESSAGE_MS);
  }

  /** Takes tiles out of the list, with the headings that no tile follows. */
  private remove(tiles: readonly Element[]): void {
    const focused = document.activeElement?.closest('li') ?? null;
    const removed: Removed[] = [];
    const take = (node: Element): void => {
      const { previousElementSibling: previous, nextElementSibling: next } = node;
      removed.push({ node, previous, next });
      node.remove();
    };
    const isLost = focused !== null && tiles.includes(focused);
    const stay = this.tiles.filter((tile) => !tiles.includes(tile));
    const after = isLost ? (stay.find((tile) => follows(tile, focused)) ?? stay.at(-1)) : undefined;
    tiles.forEach(take);
    const left = [...this.list.querySelectorAll('li.month, li[data-id]')];
    for (const [index, item] of left.entries()) {
      const next = left[index + 1];
      const isLast = next === undefined && !('next' in this.list.dataset);
      if (
        item.classList.contains('month') &&
        (isLast || next?.classList.contains('month') === true)
      ) {
        take(item);
      }
    }
    this.removed = removed;
    this.addToTotal(-tiles.length);
    after?.querySelector<HTMLElement>('a.picture')?.focus();
  }

  private bringBack(): void {
    for (const { node, previous, next } of [...this.removed].reverse()) {
      if (next?.isConnected === true) {
        next.before(node);
      } else if (previous?.isConnected === true) {
        previous.after(node);
      } else {
        this.list.append(node);
      }
    }
    this.addToTotal(this.removed.filter(({ node }) => tileOf(node) !== undefined).length);
    this.removed = [];
  }

  private addToTotal(count: number): void {
    this.total = this.total === undefined ? undefined : this.total + count;
    const { total } = this.list.dataset;
    if (total !== undefined) {
      this.list.dataset['total'] = String(Number(total) + count);
    }
    photosChanged();
  }
}

function follows(tile: Element, other: Element): boolean {
  return (other.compareDocumentPosition(tile) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

function tileOf(target: EventTarget | null): HTMLElement | undefined {
  const tile = target instanceof Element ? target.closest<HTMLElement>('li[data-id]') : null;
  return tile ?? undefined;
}

function idOf(tile: HTMLElement): string {
  return tile.dataset['id'] ?? '';
}

function setText(element: Element | null, text: string): void {
  // Screen readers read a change out.
  if (element !== null && element.textContent !== text) {
    element.textContent = text;
  }
}

function isKept(value: unknown): value is Kept {
  const isList = (one: unknown): boolean =>
    Array.isArray(one) && one.every((id) => typeof id === 'string');
  return (
    typeof value === 'object' &&
    value !== null &&
    'ids' in value &&
    'excepted' in value &&
    'isWhole' in value &&
    isList(value.ids) &&
    isList(value.excepted) &&
    typeof value.isWhole === 'boolean'
  );
}
