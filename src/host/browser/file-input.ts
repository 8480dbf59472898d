import { PHOTO_EXTENSIONS } from '../media-type.js';
import type { BrowserFile } from './creative-app.js';

interface FileInput extends HTMLElement {
  type: string;
  multiple: boolean;
  accept: string;
  readonly files: ArrayLike<BrowserFile> | null;
}

/** Opens the browser's file picker. Returns no files when the user cancels. */
export function pickFiles(parent: HTMLElement): Promise<readonly BrowserFile[]> {
  const input = document.createElement('input') as unknown as FileInput;
  input.type = 'file';
  input.multiple = true;
  input.accept = PHOTO_EXTENSIONS.map((ending) => `.${ending}`).join(',');
  input.setAttribute('style', 'display: none');
  parent.appendChild(input);
  return new Promise((resolve) => {
    const finish = (files: readonly BrowserFile[]): void => {
      input.remove();
      resolve(files);
    };
    input.addEventListener('change', () => {
      finish(Array.from(input.files ?? []));
    });
    input.addEventListener('cancel', () => {
      finish([]);
    });
    input.click();
  });
}
