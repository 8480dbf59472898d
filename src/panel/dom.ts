/**
 * Building the panel from documented elements and attributes only. Text is always set as text.
 */
export interface ElementOptions {
  readonly id?: string;
  readonly class?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Makes an element with its children. */
export function element(
  tag: string,
  options: ElementOptions = {},
  children: readonly HTMLElement[] = [],
): HTMLElement {
  const made = document.createElement(tag) as unknown as HTMLElement;
  if (options.id !== undefined) made.setAttribute('id', options.id);
  if (options.class !== undefined) made.setAttribute('class', options.class);
  for (const [name, value] of Object.entries(options.attributes ?? {}))
    made.setAttribute(name, value);
  if (options.text !== undefined) made.textContent = options.text;
  for (const child of children) made.appendChild(child);
  return made;
}

/** A block of that class; most of the panel is made of these. */
export function block(className: string, children: readonly HTMLElement[] = []): HTMLElement {
  return element('div', { class: className }, children);
}

export function textBlock(className: string, text = ''): HTMLElement {
  return element('div', { class: className, text });
}

export interface ButtonOptions {
  readonly label: string;
  /** `action` is the small kind, for what belongs to one row or one line. */
  readonly variant: 'cta' | 'primary' | 'secondary' | 'warning' | 'action';
  readonly id?: string;
  /** Without a border: for what is seldom wanted. */
  readonly quiet?: boolean;
  /** Runs on each click; while its promise is pending further clicks do nothing. */
  readonly onClick: () => void | Promise<void>;
}

export interface Button {
  /** The button in a frame that shows the keyboard focus. */
  readonly root: HTMLElement;
  setLabel(label: string): void;
  focus(): void;
}

/**
 * A Spectrum UXP button. A picker or browser opened from one can make the host repeat the click for
 * ever (known issues page), hence the guard; and since the host swallows what a handler throws, it is
 * handed to `onFault`. The host shows no keyboard focus on its buttons (known issues page): the frame
 * around it does, unless the focus came by the mouse.
 */
export function button(options: ButtonOptions, onFault: (fault: unknown) => void): Button {
  const { label, variant, id, quiet = false, onClick } = options;
  const isAction = variant === 'action';
  const made = element(isAction ? 'sp-action-button' : 'sp-button', {
    text: label,
    ...(id === undefined ? {} : { id }),
    attributes: { ...(isAction ? {} : { variant }), ...(quiet ? { quiet: '' } : {}) },
  });
  let busy = false;
  made.addEventListener('click', () => {
    if (busy) return;
    busy = true;
    void Promise.resolve()
      .then(() => onClick())
      .catch(onFault)
      .then(() => {
        busy = false;
      });
  });
  const root = block('button', [made]);
  showFocus(root);
  return {
    root,
    setLabel: (text) => {
      setText(made, text);
    },
    focus: () => {
      made.focus();
    },
  };
}

/** Buttons side by side, in as many lines as they need. */
export function buttonRow(buttons: readonly Button[]): HTMLElement {
  return block(
    'buttons',
    buttons.map(({ root }) => root),
  );
}

function showFocus(frame: HTMLElement): void {
  let byPointer = false;
  const show = (focused: boolean): void => {
    setAttribute(frame, 'class', focused ? 'button focused' : 'button');
  };
  frame.addEventListener('pointerdown', () => {
    byPointer = true;
  });
  frame.addEventListener('keydown', () => {
    show(true);
  });
  frame.addEventListener('focusin', () => {
    show(!byPointer);
    byPointer = false;
  });
  frame.addEventListener('focusout', () => {
    show(false);
  });
}

/** Sets text only when it differs, so that nothing is drawn again for nothing. */
export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** Shows or hides; `hidden` is no documented attribute. */
export function setShown(target: HTMLElement, shown: boolean): void {
  const style = shown ? '' : 'display: none';
  if (target.getAttribute('style') !== style) target.setAttribute('style', style);
}

/** Sets an attribute only when it differs. */
export function setAttribute(target: HTMLElement, name: string, value: string): void {
  if (target.getAttribute(name) !== value) target.setAttribute(name, value);
}

/** Replaces all children. */
export function replaceChildren(target: HTMLElement, children: readonly HTMLElement[]): void {
  target.textContent = '';
  for (const child of children) target.appendChild(child);
}
