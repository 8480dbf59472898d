/* oxlint-disable no-underscore-dangle, unicorn/require-post-message-target-origin -- names of Emscripten; a thread has no origin. */
/**
 * Opens one PDF with PDFium and draws its pages, in a thread that `open-document.ts` starts and ends: its memory goes with it.
 * First it sends the facts of the document, or why it cannot be opened. Then it draws each page whose number it gets. This
 * build of PDFium has neither a JavaScript engine nor XFA, and no files. This is JavaScript because tsx does not compile the
 * programs of threads.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PDFiumModule } from '@hyzyla/pdfium';

const { file, size, compiled, side } = workerData;

const READ_BYTES = 4 * 1024 * 1024;
/** `FPDF_ERR_PASSWORD` of `fpdfview.h`. */
const NEEDS_PASSWORD = 4;
/** `FPDFBitmap_BGRA`. */
const FOUR_CHANNELS = 4;
const BYTES_PER_PIXEL = 4;
/** `FPDF_ANNOT` and `FPDF_REVERSE_BYTE_ORDER`: annotations are drawn, in RGBA. */
const RENDER_FLAGS = 0x01 | 0x10;
const FORM_FLAGS = 0x10;
const WHITE = 0xffffffff;
/** More than `FPDF_FORMFILLINFO` has, in bytes. */
const FORM_INFO_BYTES = 256;
const MAX_DATE_BYTES = 128;

/** Longer than any real page, in points: 200 inches are the limit of PDF, UserUnit aside. */
const MAX_POINTS = 1_000_000;

const pdfium = await PDFiumModule({
  instantiateWasm: (imports, done) => {
    const instance = new WebAssembly.Instance(compiled, imports);
    done(instance, compiled);
    return instance.exports;
  },
});
const { malloc, free } = pdfium.wasmExports;

function allocated(bytes) {
  const at = malloc(bytes);
  if (at === 0) {
    throw new Error('PDFium has no memory left');
  }
  return at;
}

/** The whole file, in the memory of PDFium only. */
function fileInMemory() {
  const at = allocated(size);
  const opened = openSync(file, 'r');
  try {
    for (let done = 0; done < size;) {
      const piece = pdfium.HEAPU8.subarray(at + done, at + Math.min(size, done + READ_BYTES));
      const read = readSync(opened, piece, 0, piece.length, done);
      if (read === 0) {
        throw new Error('the file is shorter');
      }
      done += read;
    }
  } finally {
    closeSync(opened);
  }
  return at;
}

function cString(text) {
  const bytes = Buffer.from(`${text}\0`, 'latin1');
  const at = allocated(bytes.length);
  pdfium.HEAPU8.set(bytes, at);
  return at;
}

/** A text of the document information dictionary, such as `D:20260501102030+02'00'`. */
function metaText(document, tag) {
  const name = cString(tag);
  const text = allocated(MAX_DATE_BYTES);
  const length = pdfium._FPDF_GetMetaText(document, name, text, MAX_DATE_BYTES);
  const found =
    length > 2 && length <= MAX_DATE_BYTES
      ? Buffer.from(pdfium.HEAPU8.slice(text, text + length - 2)).toString('utf16le')
      : '';
  free(name);
  free(text);
  return found;
}

/** Widgets of forms are drawn by this environment. Nothing of the document is executed: it has no JavaScript platform. */
function formOf(document) {
  const info = allocated(FORM_INFO_BYTES);
  pdfium.HEAPU8.fill(0, info, info + FORM_INFO_BYTES);
  new DataView(pdfium.HEAPU8.buffer).setUint32(info, 2, true);
  return pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
}

/** The size of an open page as it is shown, in points; undefined when it is not possible. */
function sizeOf(page) {
  const width = pdfium._FPDF_GetPageWidth(page);
  const height = pdfium._FPDF_GetPageHeight(page);
  return [width, height].every((one) => one > 0 && one <= MAX_POINTS)
    ? { width, height }
    : undefined;
}

/** A page in RGBA, its longer side as long as that of a preview; undefined when it cannot be drawn. */
function draw(document, form, number) {
  const page = pdfium._FPDF_LoadPage(document, number - 1);
  const points = page === 0 ? undefined : sizeOf(page);
  if (points === undefined) {
    return undefined;
  }
  const scale = side / Math.max(points.width, points.height);
  const width = Math.max(1, Math.round(points.width * scale));
  const height = Math.max(1, Math.round(points.height * scale));
  const bytes = width * height * BYTES_PER_PIXEL;
  const at = allocated(bytes);
  const bitmap = pdfium._FPDFBitmap_CreateEx(
    width,
    height,
    FOUR_CHANNELS,
    at,
    width * BYTES_PER_PIXEL,
  );
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
  pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, RENDER_FLAGS);
  if (form !== 0) {
    pdfium._FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, FORM_FLAGS);
  }
  const data = pdfium.HEAPU8.slice(at, at + bytes);
  pdfium._FPDFBitmap_Destroy(bitmap);
  pdfium._FPDF_ClosePage(page);
  free(at);
  return { width, height, data };
}

function open() {
  pdfium._FPDF_InitLibrary();
  const document = pdfium._FPDF_LoadMemDocument(fileInMemory(), size, 0);
  if (document === 0) {
    const isLocked = pdfium._FPDF_GetLastError() === NEEDS_PASSWORD;
    parentPort.postMessage({ problem: isLocked ? 'locked' : 'damaged' });
    return;
  }
  const form = formOf(document);
  const first = pdfium._FPDF_LoadPage(document, 0);
  const points = first === 0 ? undefined : sizeOf(first);
  parentPort.on('message', (number) => {
    const page = draw(document, form, number);
    parentPort.postMessage({ page }, page === undefined ? [] : [page.data.buffer]);
  });
  parentPort.postMessage({
    pages: pdfium._FPDF_GetPageCount(document),
    size: points,
    created: metaText(document, 'CreationDate'),
  });
}

open();
