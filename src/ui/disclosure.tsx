import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Control, Icon, type PressHandler } from './controls.js';

/** A line that unfolds a part below it. It keeps its words; a chevron shows whether it is open. */
export function Disclosure({
  on,
  label,
  class: className = '',
  isOpenAtFirst = false,
  children,
}: {
  readonly on: PressHandler;
  readonly label: string;
  readonly class?: string;
  readonly isOpenAtFirst?: boolean;
  /** Drawn only while it is open. */
  readonly children: () => ComponentChildren;
}): VNode {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <div class={`disclosure ${className}`}>
      <DisclosureLine
        {...{ on, label, isOpen }}
        press={() => {
          setOpen(!isOpen);
        }}
      />
      {isOpen && <div class="unfolded">{children()}</div>}
    </div>
  );
}

function DisclosureLine({
  on,
  label,
  isOpen,
  press,
}: {
  readonly on: PressHandler;
  readonly label: string;
  readonly isOpen: boolean;
  readonly press: () => void;
}): VNode {
  return (
    <Control class="fold" on={on} press={press}>
      <div class="fold-label">{label}</div>
      <Icon name={isOpen ? 'open' : 'right'} />
    </Control>
  );
}
