/**
 * Builds the panel from documented elements and attributes only. Text is always set as text.
 * @packageDocumentation
 */

import { singleFlight } from './single-flight.js';

/** What a new element has from the beginning. */
export interface ElementOptions {
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
  if (options.class !== undefined) {
    made.setAttribute('class', options.class);
  }
  for (const [name, value] of Object.entries(options.attributes ?? {})) {
    made.setAttribute(name, value);
  }
  if (options.text !== undefined) {
    made.textContent = options.text;
  }
  for (const child of children) {
    made.appendChild(child);
  }
  return made;
}

/** A `div` of this class; most of the panel is made of these. */
export function box(className: string, children: readonly HTMLElement[] = []): HTMLElement {
  return element('div', { class: className }, children);
}

/** A `div` of this class with a text. */
export function textBox(className: string, text = ''): HTMLElement {
  return element('div', { class: className, text });
}

/** Spectrum's kinds. `action` is small, for one row or one line; `quiet` is small and has no border. */
export type ButtonKind = 'cta' | 'secondary' | 'action' | 'quiet';

export interface Button {
  /** The button in a frame that shows the keyboard focus. */
  readonly root: HTMLElement;
  setLabel(label: string): void;
  focus(): void;
}

/**
 * A Spectrum UXP button. A picker or browser opened from a click can make the host repeat that click for ever (known
 * issues page), so clicks do nothing while an earlier one is being handled. The host swallows what a handler throws, so
 * it is given to `onUnexpectedError` with the button's frame. The host shows no keyboard focus on its buttons (known issues
 * page), so the frame around the button shows it, unless the focus came by the mouse.
 */
export function button(
  kind: ButtonKind,
  label: string,
  onClick: () => void | Promise<void>,
  onUnexpectedError: (error: unknown, frame: HTMLElement) => void,
): Button {
  const isLarge = kind === 'cta' || kind === 'secondary';
  const made = element(isLarge ? 'sp-button' : 'sp-action-button', {
    text: label,
    attributes: isLarge ? { variant: kind } : kind === 'quiet' ? { quiet: '' } : {},
  });
  const root = box('button', [made]);
  made.addEventListener(
    'click',
    singleFlight(onClick, (error) => {
      onUnexpectedError(error, root);
    }),
  );
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
  return box(
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

/** Sets text only when it differs, so that nothing is drawn again without need. */
export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}

/** Shows or hides an element. By its style, because `hidden` is no documented attribute. */
export function setShown(target: HTMLElement, shown: boolean): void {
  const style = shown ? '' : 'display: none';
  if (target.getAttribute('style') !== style) {
    target.setAttribute('style', style);
  }
}

/** Sets an attribute only when it differs. */
export function setAttribute(target: HTMLElement, name: string, value: string): void {
  if (target.getAttribute(name) !== value) {
    target.setAttribute(name, value);
  }
}

/** Replaces all children. */
export function replaceChildren(target: HTMLElement, children: readonly HTMLElement[]): void {
  target.textContent = '';
  for (const child of children) {
    target.appendChild(child);
  }
}

/** Where the upper edge of an element is now, in CSS pixels from the top of the panel. */
export function topOf(target: HTMLElement): number {
  return (target.getBoundingClientRect() as { readonly top: number }).top;
}
