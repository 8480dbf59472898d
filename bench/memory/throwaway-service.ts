import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that accepts any number of tus uploads, discards the bytes and confirms their digests. */
export async function startThrowawayService(): Promise<{
  readonly port: number;
  readonly close: () => void;
}> {
  const uploads = new Map<string, { readonly length: number; offset: number }>();
  const server = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    if (method === 'OPTIONS') {
      response.writeHead(204, {
        'Tus-Resumable': '1.0.0',
        'Tus-Version': '1.0.0',
        'Tus-Extension': 'creation,creation-with-upload,client-upload-id,repr-digest',
      });
      response.end();
      return;
    }
    const isNew = method === 'POST';
    const path = isNew ? `/api/v1/uploads/${uploads.size + 1}` : url;
    const upload = isNew
      ? { length: Number(headers['upload-length']), offset: 0 }
      : uploads.get(path);
    if (!upload) {
      response.writeHead(404).end();
      return;
    }
    if (isNew) {
      uploads.set(path, upload);
    }
    request.on('data', (bytes: Buffer) => {
      upload.offset += bytes.length;
    });
    request.on('end', () => {
      response.writeHead(isNew ? 201 : method === 'PATCH' ? 204 : 200, {
        'Tus-Resumable': '1.0.0',
        'Upload-Offset': String(upload.offset),
        'Upload-Length': String(upload.length),
        ...(isNew ? { Location: path } : {}),
        // So that the plugin computes it, as it does at the service.
        ...('repr-digest' in headers ? { 'Repr-Digest': headers['repr-digest'] } : {}),
      });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
