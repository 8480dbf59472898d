import type { VNode } from 'preact';
import { openMenu } from './menu-layer.js';
import { Control, Icon } from './controls.js';
import type { ViewContext } from './view.js';

/** A line with what a setting is, which opens a menu of what it can be. */
export function Choice<Value extends string | number>({
  context,
  name,
  options,
  value,
  choose,
}: {
  readonly context: Pick<ViewContext, 'change' | 'on'>;
  /** Left out where the value says it. */
  readonly name?: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly choose: (value: Value) => void | Promise<void>;
}): VNode {
  return (
    <Control
      class="choice"
      on={context.on}
      openMenu={(anchor) => {
        openMenu(
          context,
          anchor,
          options.map((option) => ({
            label: option.label,
            isChosen: option.value === value,
            press: () => choose(option.value),
          })),
        );
      }}
    >
      {name !== undefined && <div class="to-word">{name}</div>}
      <div class="to-name">{options.find((option) => option.value === value)?.label ?? ''}</div>
      <Icon name="down" />
    </Control>
  );
}
