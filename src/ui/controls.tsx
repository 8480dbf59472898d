/**
 * The elements that the panel is made of: the host's widgets, and small controls that the host has none for. Only
 * documented elements and attributes; text is always set as text.
 * @packageDocumentation
 */

import type { ComponentChildren, HTMLAttributes, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Clock } from '../util/clock.js';
import { truncateMiddle } from '../util/truncate-middle.js';
import { ICONS, type IconName } from './icons.js';
import { singleFlight } from '../util/single-flight.js';

type WidgetAttributes = HTMLAttributes;

declare module 'preact' {
  // oxlint-disable-next-line typescript/no-namespace -- how the library lets elements be declared
  namespace JSX {
    interface IntrinsicElements {
      'sp-button': WidgetAttributes & { variant?: string };
      'sp-action-button': WidgetAttributes & { quiet?: string };
      'sp-textfield': WidgetAttributes & { placeholder?: string };
    }
  }
}

/** The handlers of all controls: report errors, and close menus before a press. */
export interface PressHandler {
  /** Called before each press is handled. */
  readonly beforePress: () => void;
  /** The host itself ignores errors of handlers. */
  readonly onUnexpectedError: (error: unknown) => void;
}

export type Press = () => void | Promise<void>;

/** The order in which controls are offered the keyboard focus when the focused one has gone; the lowest is first. */
export type FocusOrder = 1 | 2 | 3;

interface ControlProps {
  readonly on: PressHandler;
  readonly label: string;
  readonly press: Press;
  readonly focusOrder?: FocusOrder;
}

/** Spectrum's kinds. `action` is small; `quiet` is small and has no border. */
export type ButtonKind = 'cta' | 'secondary' | 'action' | 'quiet';

/**
 * A Spectrum UXP button, in a frame that shows the keyboard focus: the host shows none on its buttons (known issues
 * page).
 */
export function Button({
  kind = 'secondary',
  wide = false,
  ...control
}: ControlProps & { readonly kind?: ButtonKind; readonly wide?: boolean }): VNode {
  const frame = useFocusFrame(wide ? 'button wide' : 'button');
  const onClick = usePress(control);
  const { label, focusOrder } = control;
  return (
    <div {...frame} data-focus={focusOrder}>
      {kind === 'cta' || kind === 'secondary' ? (
        <sp-button variant={kind} onClick={onClick}>
          {label}
        </sp-button>
      ) : (
        <sp-action-button {...(kind === 'quiet' ? { quiet: '' } : {})} onClick={onClick}>
          {label}
        </sp-action-button>
      )}
    </div>
  );
}

/**
 * A control that the style sheet draws: a menu entry, a line that unfolds, an icon. The host's own buttons cannot be
 * aligned to the left or hold a picture. Enter and Space press it.
 */
export function Control({
  class: className,
  children,
  openMenu,
  style,
  ...control
}: Omit<ControlProps, 'label' | 'press'> & {
  readonly class: string;
  readonly children: ComponentChildren;
  readonly press?: Press;
  /** In place of `press`: opens a menu at this control. */
  readonly openMenu?: (anchor: HTMLElement) => void;
  readonly style?: Style;
}): VNode {
  const frame = useFocusFrame(`control ${className}`);
  const own = useRef<HTMLElement | null>(null);
  const press = usePress({
    on: control.on,
    press: () => {
      if (openMenu && own.current) {
        openMenu(own.current);
        return undefined;
      }
      return control.press?.();
    },
  });
  return (
    <div
      {...frame}
      ref={(element: unknown) => {
        own.current = element as HTMLElement | null;
      }}
      tabindex={0}
      style={style}
      data-focus={control.focusOrder}
      onClick={press}
      onKeyDown={(event: KeyPress) => {
        frame.onKeyDown(event);
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          press();
        }
      }}
    >
      {children}
    </div>
  );
}

/** A {@link Control} that shows an icon. Its word is in the page, for readers of screens, but not in sight. */
export function IconButton({
  icon,
  label,
  class: className = '',
  ...control
}: Omit<ControlProps, 'label' | 'press'> & {
  readonly icon: IconName;
  readonly label: string;
  readonly class?: string;
  readonly press?: Press;
  readonly openMenu?: (anchor: HTMLElement) => void;
}): VNode {
  return (
    <Control class={`icon-button ${className}`} {...control}>
      <Icon name={icon} />
      <VisuallyHidden text={label} />
    </Control>
  );
}

/** A text that is read out but not seen: the host has no accessibility attributes. */
export function VisuallyHidden({ text }: { readonly text: string }): VNode {
  return <div class="word">{text}</div>;
}

/** How long a button shows "Copied", in milliseconds. */
const COPIED_MS = 2_000;

/** A button that copies text to the clipboard and confirms it. */
export function CopyButton({
  clock,
  copied,
  copy,
  ...control
}: Omit<ControlProps, 'press'> & {
  readonly clock: Clock;
  /** The word that confirms it. */
  readonly copied: string;
  readonly copy: () => Promise<void>;
  readonly kind?: ButtonKind;
  readonly wide?: boolean;
}): VNode {
  const [isCopied, setCopied] = useState(false);
  const stop = useRef<() => void>(() => undefined);
  useLayoutEffect(() => () => stop.current(), []);
  return (
    <Button
      {...control}
      label={isCopied ? copied : control.label}
      press={async () => {
        await copy();
        stop.current();
        setCopied(true);
        stop.current = clock.startTimer(COPIED_MS, () => {
          setCopied(false);
        });
      }}
    />
  );
}

/** Buttons side by side, in as many lines as they need. */
export function Buttons({ children }: { readonly children: ComponentChildren }): VNode {
  return <div class="buttons">{children}</div>;
}

/** The first line of a sheet: its title, and the button that closes it. */
export function SheetHead({
  title,
  on,
  label,
  press,
}: Pick<ControlProps, 'on' | 'label' | 'press'> & { readonly title: string }): VNode {
  return (
    <div class="sheet-head">
      <div class="title">{title}</div>
      <Button on={on} kind="quiet" label={label} press={press} />
    </div>
  );
}

/** The host's keyboard event. */
export interface KeyPress {
  readonly key: string;
  preventDefault(): void;
}

/** A field for one line of text. The placeholder is its name. */
export function TextField({
  name,
  value,
  onText,
  onEnter,
  autofocus = false,
  class: className = '',
}: {
  readonly name: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly onEnter?: () => void;
  /** Takes the focus when it appears. */
  readonly autofocus?: boolean;
  readonly class?: string;
}): VNode {
  const field = useRef<Field | null>(null);
  useLayoutEffect(() => {
    if (autofocus) {
      field.current?.focus();
    }
  }, []);
  useLayoutEffect(() => {
    // A property: the host documents no attribute for it.
    if (field.current && field.current.value !== value) {
      field.current.value = value;
    }
  }, [value]);
  return (
    <sp-textfield
      class={`field ${className}`}
      placeholder={name}
      ref={(element: unknown) => {
        field.current = element as Field | null;
      }}
      onInput={() => {
        onText(field.current?.value ?? '');
      }}
      onKeyDown={({ key }: KeyPress) => {
        if (key === 'Enter') {
          onEnter?.();
        }
      }}
    />
  );
}

/** The members of a field that the host's pages describe. */
type Field = HTMLElement &
  Pick<HTMLTextAreaElement, 'value' | 'readOnly' | 'selectionStart' | 'selectionEnd'>;

/**
 * A text that users can select and copy by hand, but not change; all of it is selected at first. It is a field, because
 * the host allows selection only there.
 */
export function SelectableText({ text }: { readonly text: string }): VNode {
  const place = useRef<Field | null>(null);
  useLayoutEffect(() => {
    const field = place.current;
    if (!field) {
      return;
    }
    field.readOnly = true;
    field.value = text;
    field.focus();
    field.selectionStart = 0;
    field.selectionEnd = text.length;
    field.scrollTop = 0;
  }, [text]);
  return (
    <textarea
      class="selectable"
      ref={(element: unknown) => {
        place.current = element as Field | null;
      }}
    />
  );
}

/** What goes on, in words, with a button that ends it; without one where it cannot be ended. */
export function WorkLine({
  on,
  words,
  label,
  press,
}: {
  readonly words: string;
  readonly press: ControlProps['press'] | null;
} & Pick<ControlProps, 'on' | 'label'>): VNode {
  return (
    <div class="adding">
      <div class="adding-text">{words}</div>
      {press && <Button on={on} kind="action" label={label} press={press} />}
    </div>
  );
}

/** A thin bar; the text next to it shows the same. @param percent  from 0 to 100 */
export function ProgressBar({
  percent,
  class: className,
}: {
  readonly percent: number;
  readonly class: string;
}): VNode {
  return (
    <div class={`bar ${className}`}>
      <div class="bar-fill" style={{ width: `${percent}%` }} />
    </div>
  );
}

/** A name in one line. If there is no room for all of it, an ellipsis is shown before its last characters. */
export function FileName({
  name,
  class: className,
}: {
  readonly name: string;
  readonly class: string;
}): VNode {
  const { start, end } = truncateMiddle(name);
  return (
    <div class={`file-name ${className}`}>
      {start !== '' && <div class="name-start">{start}</div>}
      {end !== '' && <div class="name-end">{end}</div>}
    </div>
  );
}

export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16">
      <path d={ICONS[name]} fill="currentColor" />
    </svg>
  );
}

/** Where an element is now, in CSS pixels from the top of the panel. The host's offsets are always 0. */
export function edgesOf(target: HTMLElement): { readonly top: number; readonly bottom: number } {
  return target.getBoundingClientRect();
}

/**
 * A handler of clicks. A picker or browser opened from a click can make the host repeat that click for ever (known
 * issues page), so clicks do nothing while an earlier one is being handled.
 */
function usePress({ on, press }: Pick<ControlProps, 'on' | 'press'>): () => void {
  const newest = useRef({ on, press });
  newest.current = { on, press };
  const made = useRef<(() => void) | null>(null);
  made.current ??= singleFlight(
    () => {
      newest.current.on.beforePress();
      return newest.current.press();
    },
    (error) => {
      newest.current.on.onUnexpectedError(error);
    },
  );
  return made.current;
}

/** Shows the keyboard focus inside an element, unless the mouse moved it. */
function useFocusFrame(className: string): {
  readonly class: string;
  readonly onPointerDown: () => void;
  readonly onKeyDown: (event: KeyPress) => void;
  readonly onFocusIn: () => void;
  readonly onFocusOut: () => void;
} {
  const [isFocused, setFocused] = useState(false);
  const byPointer = useRef(false);
  return {
    class: isFocused ? `${className} focused` : className,
    onPointerDown: () => {
      byPointer.current = true;
    },
    onKeyDown: () => {
      setFocused(true);
    },
    onFocusIn: () => {
      setFocused(!byPointer.current);
      byPointer.current = false;
    },
    onFocusOut: () => {
      setFocused(false);
    },
  };
}

export type Style = Readonly<Record<string, string>>;
