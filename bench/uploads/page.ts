import { bare, bareArrayBuffer, bareTypedArray } from './paths/bare.js';
import { plugin, pluginArrayBuffer, pluginFromPick } from './paths/plugin.js';
import { tusJsClient } from './paths/tus-js-client.js';
import type { Destination } from './paths/upload-path.js';
import { uppy } from './paths/uppy.js';

const PATHS = {
  bare,
  bareArrayBuffer,
  bareTypedArray,
  plugin,
  pluginArrayBuffer,
  pluginFromPick,
  tusJsClient,
  uppy,
};

export type PathName = keyof typeof PATHS;

declare global {
  /** Uploads the files chosen in the page's input by one way. Gives milliseconds. */
  var measureUpload: (name: PathName, to: Destination) => Promise<number>;
}

globalThis.measureUpload = async (name, to) => {
  // Uploads that tus clients remember: each measurement starts with none.
  localStorage.clear();
  const input = document.querySelector('input');
  const run = await PATHS[name]([...(input?.files ?? [])], to);
  const started = performance.now();
  await run();
  return performance.now() - started;
};
