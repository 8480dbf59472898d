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

export interface ButtonOptions {
  readonly label: string;
  readonly variant: 'cta' | 'primary' | 'secondary' | 'warning';
  readonly id?: string;
  /** Without a border: for what is seldom wanted. */
  readonly quiet?: boolean;
  /** Runs on each click; while its promise is pending further clicks do nothing. */
  readonly onClick: () => void | Promise<void>;
}

/**
 * A Spectrum UXP button. A picker or browser opened from one can make the host repeat the click for
 * ever (known issues page), hence the guard; and since the host swallows what a handler throws, it is
 * handed to `onFault`.
 */
export function button(options: ButtonOptions, onFault: (fault: unknown) => void): HTMLElement {
  const made = element('sp-button', {
    text: options.label,
    ...(options.id === undefined ? {} : { id: options.id }),
    attributes: {
      variant: options.variant,
      ...(options.quiet === true ? { quiet: '' } : {}),
    },
  });
  let busy = false;
  made.addEventListener('click', () => {
    if (busy) return;
    busy = true;
    void Promise.resolve()
      .then(() => options.onClick())
      .catch(onFault)
      .then(() => {
        busy = false;
      });
  });
  return made;
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
