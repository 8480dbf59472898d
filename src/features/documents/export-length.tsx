import type { VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { FileLength } from '../../host/photo-source.js';
import { lengthText } from '../../ui/file-length.js';
import { CwError } from '../../util/errors.js';
import type { Preset } from '../presets/index.js';
import type { Props } from './panel.js';

/** How much an upload of the document in front would bring, such as `24 pages`, or why the preset cannot be used. */
export function ExportLength({
  context,
  state,
  preset,
}: Props & { readonly preset: Preset }): VNode | null {
  const { strings, actions, on } = context;
  const [length, setLength] = useState<FileLength | CwError | null>(null);
  const document = state.openDocument?.document;
  useLayoutEffect(() => {
    let isShown = true;
    const show = (found: FileLength | CwError | null): void => {
      if (isShown) {
        setLength(found);
      }
    };
    actions.lengthOf(preset).then(show, (error: unknown) => {
      if (error instanceof CwError) {
        show(error);
      } else {
        on.onUnexpectedError(error);
      }
    });
    return () => {
      isShown = false;
    };
    // The app gives another object after each change of the document.
  }, [preset, document]);
  if (!length) {
    return null;
  }
  return length instanceof CwError ? (
    <div class="card-length problem">{strings.errors[length.code]}</div>
  ) : (
    <div class="card-length">{lengthText(strings, length)}</div>
  );
}
