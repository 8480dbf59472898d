/** A service that takes tus uploads and throws the bytes away, in a process of its own; prints its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let length = 0;
let offset = 0;

const server = createServer((request, response) => {
  const { method, headers } = request;
  if (method === 'POST') {
    length = Number(headers['upload-length']);
    offset = 0;
  }
  request.on('data', (bytes: Buffer) => {
    offset += bytes.length;
  });
  request.on('end', () => {
    response.writeHead(method === 'POST' ? 201 : method === 'PATCH' ? 204 : 200, {
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': String(offset),
      'Upload-Length': String(length),
      ...(method === 'POST' ? { Location: '/api/v1/uploads/1' } : {}),
    });
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on('disconnect', () => process.exit());
