import { bare, bareArrayBuffer, bareFromSpool, bareTypedArray } from './paths/bare.js';
import { plugin, pluginArrayBuffer, pluginFromPick } from './paths/plugin.js';
import { tusJsClient } from './paths/tus-js-client.js';
import type { Destination } from './paths/upload-path.js';
import { uppy } from './paths/uppy.js';

const PATHS = {
  bare,
  bareArrayBuffer,
  bareFromSpool,
  bareTypedArray,
  plugin,
  pluginArrayBuffer,
  pluginFromPick,
  tusJsClient,
  uppy,
};

export type PathName = keyof typeof PATHS;

declare global {
  /** Gets the files chosen in the page's input ready to be uploaded by one way. */
  var prepareUpload: (name: PathName, to: Destination) => Promise<void>;
  /** Uploads the prepared files. Returns milliseconds. */
  var measureUpload: () => Promise<number>;
}

let run: (() => Promise<void>) | undefined;

globalThis.prepareUpload = async (name, to) => {
  // Uploads that tus clients remember: each measurement starts with none.
  localStorage.clear();
  const input = document.querySelector('input');
  // Names that the workspace has not seen: the plugin checks before it sends a photo again that is there already.
  const files = [...(input?.files ?? [])].map(
    (file) => new File([file], `${Date.now()} ${file.name}`, { type: file.type }),
  );
  run = await PATHS[name](files, to);
};

globalThis.measureUpload = async () => {
  const started = performance.now();
  await run?.();
  return performance.now() - started;
};
