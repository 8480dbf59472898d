import type { VNode } from 'preact';
import type { Translations } from './i18n/translations.js';
import { Control, FileName, VisuallyHidden, Icon, type PressHandler } from './controls.js';

/** A line that is ticked or not. A press changes it. */
export function Tick({
  strings,
  on,
  label,
  isTicked,
  change,
}: {
  readonly strings: Translations;
  readonly on: PressHandler;
  readonly label: string;
  readonly isTicked: boolean;
  readonly change: (isTicked: boolean) => void;
}): VNode {
  return (
    <Control
      class={isTicked ? 'tick ticked' : 'tick'}
      on={on}
      press={() => {
        change(!isTicked);
      }}
    >
      <div class="check">
        {isTicked && <Icon name="done" />}
        {isTicked && <VisuallyHidden text={strings.selected} />}
      </div>
      <FileName name={label} class="tick-label" />
    </Control>
  );
}
