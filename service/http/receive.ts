import type { Exchange } from './exchange.js';
import { formOf } from './form.js';
import { refuse } from './refusals.js';
import { announcesTooMuch, MAX_BODY_BYTES, readBody } from './request-body.js';
import { headersAtBaseUrl } from './request-headers.js';
import type { RequestTarget } from './request-target.js';
import { WholeRequest } from './whole-request.js';

/**
 * Reads and checks the body of a request.
 * @returns the whole request, as it was understood; undefined when it has been refused, or the client has gone away.
 */
export async function receive(
  exchange: Exchange,
  target: RequestTarget,
  baseUrl: URL,
): Promise<WholeRequest | undefined> {
  const { request, method } = exchange;
  const received = await receiveBody(exchange);
  if (received === undefined) {
    return undefined;
  }
  // In other requests a body has no meaning here, and is dropped.
  const hasBody = method === 'POST' || (method === 'PATCH' && exchange.forPrograms);
  const body = hasBody ? received : Buffer.alloc(0);
  const form = formOf(request.headers['content-type'], body);
  if (form !== undefined && 'problem' in form) {
    refuse(exchange, 400, 'invalid_request', form.problem);
    return undefined;
  }
  // A form is written anew as it was understood here, so that no later reader understands it in another way.
  const written = form === undefined ? body : Buffer.from(form.toString());
  return new WholeRequest(request, {
    // Handlers get HEAD as GET: Node leaves out the body of the answer by itself.
    method: method === 'HEAD' ? 'GET' : method,
    target,
    headers: {
      ...headersAtBaseUrl(request.headers, baseUrl),
      'transfer-encoding': undefined,
      'content-length': hasBody ? String(written.length) : undefined,
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      // Endpoints for programs answer with JSON, whatever a client says it accepts.
      ...(exchange.forPrograms && { accept: 'application/json' }),
    },
    body: written,
    form,
  });
}

/**
 * Tells the client to send the body, if it waits for that (`Expect: 100-continue`,
 * [RFC 9110 §10.1.1](https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1)).
 */
export function sayContinue({ request, response }: Exchange): void {
  if (/^100-continue$/i.test(request.headers.expect ?? '')) {
    response.writeContinue();
  }
}

async function receiveBody(exchange: Exchange): Promise<Buffer | undefined> {
  const { request } = exchange;
  const tooLarge = announcesTooMuch(request);
  if (!tooLarge) {
    sayContinue(exchange);
  }
  const result = tooLarge ? { problem: 'too_large' as const } : await readBody(request);
  if ('body' in result) {
    return result.body;
  }
  if (result.problem === 'too_large') {
    const limit = `the body may have ${MAX_BODY_BYTES} bytes at most`;
    refuse(exchange, 413, 'request_too_large', limit);
  }
  return undefined;
}
