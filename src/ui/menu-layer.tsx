import { Fragment, type VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Control, edgesOf, Icon, type KeyPress, type Press, type Style } from './controls.js';
import type { Layer, PanelPart, ViewContext, ViewState } from './view.js';

export interface MenuEntry {
  readonly label: string;
  /** Shown small at the end of the line. */
  readonly detail?: string;
  readonly isChosen?: boolean;
  /** Whether a line separates it from the entry above. */
  readonly isApart?: boolean;
  readonly press: Press;
}

type MenuContext = Pick<ViewContext, 'change' | 'on'>;

/** Opens a menu next to a control. An entry closes it before it acts. */
export function openMenu(
  context: MenuContext,
  anchor: HTMLElement,
  entries: readonly MenuEntry[],
): void {
  context.change({
    layer: { anchor, width: 'content', content: () => <Menu {...{ context, entries }} /> },
  });
}

/** The entries of a menu, one below the other. */
export function Menu({
  context,
  entries,
}: {
  readonly context: MenuContext;
  readonly entries: readonly MenuEntry[];
}): VNode {
  return (
    <div class="menu">
      {entries.map(({ label, detail, isChosen, isApart, press }, index) => (
        <Fragment key={`${index} ${label}`}>
          {isApart === true && <div class="menu-line" />}
          <Control
            class={isChosen === true ? 'entry chosen' : 'entry'}
            on={context.on}
            press={press}
          >
            <div class="entry-label">{label}</div>
            {detail !== undefined && <div class="entry-detail">{detail}</div>}
            {isChosen === true && <Icon name="done" />}
          </Control>
        </Fragment>
      ))}
    </div>
  );
}

/** How far a layer is from its control, in CSS pixels. */
const APART_PX = 4;

/** A menu or a list over the panel. A click elsewhere or Escape closes it, and the focus goes back to its control. */
export function LayerView<P extends PanelPart>({
  layer: { anchor, width, content },
  state,
  close,
}: {
  readonly layer: Layer<P>;
  readonly state: ViewState<P>;
  readonly close: () => void;
}): VNode {
  const root = useRef<HTMLElement | null>(null);
  const place = useRef<Style | null>(null);
  place.current ??= placeAt(anchor);
  const isByKeyboard = useRef(anchor.matches('.focused'));
  useLayoutEffect(() => {
    const first = root.current?.querySelector('sp-textfield, .control') as HTMLElement | null;
    // Users of a mouse see no focus; Escape closes it for them, too.
    (isByKeyboard.current || first?.tagName === 'SP-TEXTFIELD' ? first : root.current)?.focus();
  }, []);
  return (
    <div class="layer">
      <div class="backdrop" onClick={close} />
      <div
        class={width === 'panel' ? 'popover panel-wide' : 'popover'}
        style={place.current}
        tabindex={-1}
        ref={(element: unknown) => {
          root.current = element as HTMLElement | null;
        }}
        onKeyDown={(event: KeyPress) => {
          if (event.key === 'Escape') {
            event.preventDefault();
            close();
            if (isByKeyboard.current) {
              anchor.focus();
            }
          } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            moveFocus(root.current, event.key === 'ArrowDown' ? 1 : -1);
          }
        }}
      >
        {content(state)}
      </div>
    </div>
  );
}

/** Below the control; above it in the lower half of the panel. */
function placeAt(anchor: HTMLElement): Style {
  const panel = anchor.closest('.panel');
  const { top, bottom } = edgesOf(anchor);
  const height = panel === null ? 0 : edgesOf(panel as HTMLElement).bottom;
  return bottom > height / 2 && height > 0
    ? { bottom: `${height - top + APART_PX}px`, maxHeight: `${top - 2 * APART_PX}px` }
    : { top: `${bottom + APART_PX}px`, maxHeight: `${height - bottom - 2 * APART_PX}px` };
}

function moveFocus(root: HTMLElement | null, step: 1 | -1): void {
  const entries = Array.from(
    (root?.querySelectorAll('.control') ?? []) as unknown as ArrayLike<HTMLElement>,
  );
  const at = entries.findIndex((entry) => (entry as unknown) === document.activeElement);
  entries[(at + step + entries.length) % Math.max(1, entries.length)]?.focus();
}
