import { createBrowserSpool } from '../../../src/host/browser/database.js';
import { hostClock } from '../../../src/host/system.js';
import { eachOf, type Destination, type UploadPath } from './upload-path.js';

const spool = createBrowserSpool(hostClock);

/**
 * The limit: one XMLHttpRequest per file with all of its bytes, and nothing else. It uses creation-with-upload, so that
 * the service does the same work for every path.
 */
export const bare: UploadPath = (files, to) =>
  Promise.resolve(() => eachOf(files, to.concurrency, (file) => send(file, file, to)));

/** The same from copies that the browser keeps in IndexedDB, as the spool of the browser host does. */
export const bareFromSpool: UploadPath = async (files, to) => {
  const copies = new Map<File, Blob>();
  for (const file of files) {
    await spool.copy(file.name, file);
    copies.set(file, await readSpooled(file.name, file.size));
  }
  return async () => {
    await eachOf(files, to.concurrency, (file) => send(file, copies.get(file) ?? file, to));
    for (const file of files) {
      await spool.remove(file.name);
    }
  };
};

async function readSpooled(id: string, size: number): Promise<Blob> {
  const body = await (await spool.open(id)).read(0, size);
  if (!(body instanceof Blob)) {
    throw new Error('the spool gave no Blob');
  }
  return body;
}

/** The same with the bytes in memory, as a host without Blob bodies is given them. */
export const bareArrayBuffer: UploadPath = async (files, to) => {
  const bodies = new Map<File, ArrayBuffer>();
  for (const file of files) {
    bodies.set(file, await file.arrayBuffer());
  }
  return () =>
    eachOf(files, to.concurrency, (file) => send(file, bodies.get(file) ?? new ArrayBuffer(0), to));
};

/** The same with a view of those bytes. */
export const bareTypedArray: UploadPath = async (files, to) => {
  const bodies = new Map<File, Uint8Array<ArrayBuffer>>();
  for (const file of files) {
    bodies.set(file, new Uint8Array(await file.arrayBuffer()));
  }
  return () =>
    eachOf(files, to.concurrency, (file) => send(file, bodies.get(file) ?? new Uint8Array(), to));
};

function send(file: File, body: XMLHttpRequestBodyInit, to: Destination): Promise<void> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open('POST', `${to.baseUrl}/api/v1/uploads`);
    xhr.setRequestHeader('Authorization', `Bearer ${to.accessToken}`);
    xhr.setRequestHeader('Tus-Resumable', '1.0.0');
    xhr.setRequestHeader('Upload-Length', String(file.size));
    xhr.setRequestHeader('Upload-Metadata', `filename ${btoa(file.name)}`);
    xhr.setRequestHeader('Content-Type', 'application/offset+octet-stream');
    xhr.onload = () => {
      if (xhr.status === 201 && xhr.getResponseHeader('Upload-Offset') === String(file.size)) {
        resolve();
      } else {
        reject(new Error(`answered ${xhr.status}: ${xhr.responseText}`));
      }
    };
    xhr.onerror = () => {
      reject(new Error('no answer'));
    };
    xhr.send(body);
  });
}
