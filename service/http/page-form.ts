import type { IncomingMessage } from 'node:http';
import { readForm } from './form.js';

/**
 * Reads the form of a page. One that holds NUL, which no field can hold and no database stores, reads
 * as an empty form: it then lacks the anti-forgery token and is refused.
 */
export async function readPageForm(request: IncomingMessage): Promise<URLSearchParams> {
  const form = await readForm(request);
  const values = [...form.values()];
  return values.some((value) => value.includes('\0')) ? new URLSearchParams() : form;
}
