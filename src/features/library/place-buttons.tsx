import type { VNode } from 'preact';
import { Button, type ButtonKind } from '../../ui/controls.js';
import { kindOf } from '../../ui/picture.js';
import type { LibraryFile } from './library-file.js';
import type { Context, State } from './panel.js';

/** Places a file in the document in front. Not awaited: its progress is shown, and other files may be placed, too. */
export function placeFile(
  { actions, on }: Pick<Context, 'actions' | 'on'>,
  file: LibraryFile,
  size: 'original' | 'web' = 'original',
): void {
  actions.placeFile(file, size).catch(on.onUnexpectedError);
}

/** Places the original. Absent in an app that cannot place files. */
export function PlaceButton({
  context,
  state,
  file,
  kind,
}: {
  readonly context: Context;
  readonly state: State;
  readonly file: LibraryFile;
  readonly kind: ButtonKind;
}): VNode | null {
  const { strings, on } = context;
  return state.placing.canPlace ? (
    <Button
      on={on}
      kind={kind}
      wide={kind === 'cta'}
      focusOrder={2}
      label={strings.place}
      press={() => {
        placeFile(context, file);
      }}
    />
  ) : null;
}

/** Places a smaller picture. Absent for videos, which have none that moves. */
export function PlaceWebButton({
  context,
  state,
  file,
}: Omit<Parameters<typeof PlaceButton>[0], 'kind'>): VNode | null {
  const { strings, on } = context;
  return state.placing.canPlace && kindOf(file.name) !== 'video' ? (
    <Button
      on={on}
      wide
      label={strings.placeWebSize}
      press={() => {
        placeFile(context, file, 'web');
      }}
    />
  ) : null;
}

/** Opens the original as a document. Absent in an app that cannot. */
export function OpenButton({
  context,
  state,
  file,
}: Omit<Parameters<typeof PlaceButton>[0], 'kind'>): VNode | null {
  const { strings, actions, on } = context;
  return state.placing.canOpen ? (
    <Button
      on={on}
      wide
      label={strings.openAsDocument}
      press={() => {
        // Not awaited, as above.
        actions.openFile(file).catch(on.onUnexpectedError);
      }}
    />
  ) : null;
}
