import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { PREVIEW_SIDE } from '../image-info.js';

/** A page in RGBA. */
export interface PagePixels {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** What a document says about itself. */
export interface DocumentFacts {
  readonly pages: number;
  /** The size of the first page, in points (1/72 inch); undefined when it has none. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** `CreationDate` of the document information dictionary; may be empty or wrong. */
  readonly created: string;
}

/** An open PDF. Close it. */
export interface OpenDocument extends DocumentFacts {
  /** Draws a page, counted from 1; undefined when it cannot be drawn. */
  draw(page: number): Promise<PagePixels | undefined>;
  close(): Promise<void>;
}

const PROGRAM = new URL('./document-thread.js', import.meta.url);

let compiling: Promise<WebAssembly.Module> | undefined;

/** The library, read when the first document comes. */
function compiledLibrary(): Promise<WebAssembly.Module> {
  compiling ??= readFile(createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm')).then(
    (bytes) => WebAssembly.compile(bytes),
  );
  return compiling;
}

/**
 * Opens a PDF. Its memory and its time are not limited: call this only in a process that can be killed.
 * @param size the size of the file, in bytes
 * @returns undefined when it needs a password or is damaged, or without the optional library
 */
export async function openDocument(file: string, size: number): Promise<OpenDocument | undefined> {
  const compiled = await compiledLibrary().catch(() => undefined);
  if (compiled === undefined) {
    return undefined;
  }
  const thread = new Worker(PROGRAM, {
    workerData: { file, size, compiled, side: PREVIEW_SIDE },
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  const ended = new AbortController();
  thread.once('exit', () => {
    ended.abort();
  });
  const next = async (): Promise<ThreadMessage | undefined> => {
    const [message] = (await once(thread, 'message', { signal: ended.signal }).catch(() => [])) as [
      ThreadMessage?,
    ];
    return message;
  };
  const close = async (): Promise<void> => {
    await thread.terminate();
  };
  const opened = await next();
  if (opened === undefined || !('pages' in opened)) {
    await close();
    return undefined;
  }
  const draw = async (page: number): Promise<PagePixels | undefined> => {
    if (ended.signal.aborted) {
      return undefined;
    }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.postMessage(page);
    const drawn = await next();
    return drawn !== undefined && 'page' in drawn ? drawn.page : undefined;
  };
  return { ...opened, draw, close };
}

/** See `document-thread.js`. */
type ThreadMessage =
  | DocumentFacts
  | { readonly problem: 'locked' | 'damaged' }
  | { readonly page: PagePixels | undefined };
