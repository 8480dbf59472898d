import type { ServerResponse } from 'node:http';
import { disposition, fileNameOf, setFileHeaders } from '../../library/index.js';

/** Sends a receipt as a file ([RFC 7515 §9.2.1](https://www.rfc-editor.org/rfc/rfc7515#section-9.2.1)). */
export function sendReceipt(response: ServerResponse, receipt: string, name: string): void {
  setFileHeaders(response);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', 'application/jose');
  response.setHeader('Content-Disposition', disposition(name));
  response.setHeader('Content-Length', String(Buffer.byteLength(receipt)));
  response.end(receipt);
}

/** The file name of a receipt without a project. */
export function nameOfDay(now: Date): string {
  return nameOf(now.toISOString().slice(0, 10));
}

/** The file name of the receipt of a project or a photo. */
export function nameOf(subject: string): string {
  return fileNameOf(`receipt-${subject}`, 'jws');
}
