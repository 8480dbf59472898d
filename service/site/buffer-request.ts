import { settingsProblemPage } from './error-pages.js';
import { sendPage } from '../kernel/http/responses.js';
import type { BufferedRoute } from '../kernel/http/router.js';
import { BufferedRequest } from '../kernel/http/request/buffered-request.js';
import { rejectRequest } from './error-responses.js';
import { formOf, formWithFile } from '../kernel/http/request/form.js';
import { declaresTooLarge, MAX_BODY_BYTES, readBody } from '../kernel/http/request/request-body.js';
import type { BufferedContext, RequestContext } from '../kernel/http/request/request-context.js';
import { headersAtBaseUrl } from '../kernel/http/request/request-headers.js';

/** How a route takes the body of its requests. */
type BodyLimits = Pick<BufferedRoute, 'maxBodyBytes' | 'takesFile' | 'tooLarge'>;

/**
 * Reads and checks the body of a request.
 * @returns the context with the whole request, as it was understood; undefined when the request has been refused, or the
 *   client has gone away.
 */
export async function bufferRequest(
  context: RequestContext,
  baseUrl: URL,
  route: BodyLimits,
): Promise<BufferedContext | undefined> {
  const { request, method, target, locale, clientFiles } = context;
  const received = await receiveBody(context, route);
  if (received === undefined) {
    return undefined;
  }
  // In other requests a body has no meaning here, and is dropped.
  const hasBody = method === 'POST' || (/^(PUT|PATCH)$/.test(method) && context.isApi);
  const sent = hasBody ? received : Buffer.alloc(0);
  const type = request.headers['content-type'];
  const withFile = route.takesFile === true ? await formWithFile(type, sent) : undefined;
  const form = withFile?.form ?? formOf(type, sent);
  if (form !== undefined && 'problem' in form) {
    rejectRequest(context, 400, 'invalid_request', form.problem);
    return undefined;
  }
  // A form is written again as it was understood here, so that no later reader understands it in another way.
  const body = form === undefined ? sent : Buffer.from(form.toString());
  const buffered = new BufferedRequest(request, {
    // Handlers get HEAD as GET: Node leaves out the body of the response.
    method: method === 'HEAD' ? 'GET' : method,
    target,
    headers: {
      ...headersAtBaseUrl(request.headers, baseUrl),
      'transfer-encoding': undefined,
      'content-length': hasBody ? String(body.length) : undefined,
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      // API endpoints answer with JSON, regardless of `Accept`.
      ...(context.isApi && { accept: 'application/json' }),
    },
    body,
    form,
    locale,
    clientFiles,
  });
  return {
    ...context,
    request: buffered,
    body,
    form: method === 'POST' ? (form ?? new URLSearchParams()) : undefined,
    file: withFile?.file,
  };
}

/**
 * Requests the body from a client that waits for `100 Continue` (`Expect: 100-continue`,
 * [RFC 9110 §10.1.1](https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1)).
 */
export function sendContinue({ request, response }: RequestContext): void {
  if (/^100-continue$/i.test(request.headers.expect ?? '')) {
    response.writeContinue();
  }
}

async function receiveBody(
  context: RequestContext,
  { maxBodyBytes: maxBytes = MAX_BODY_BYTES, tooLarge: sentence }: BodyLimits,
): Promise<Buffer | undefined> {
  const { request } = context;
  const tooLarge = declaresTooLarge(request, maxBytes);
  if (!tooLarge) {
    sendContinue(context);
  }
  const result = tooLarge ? { problem: 'too_large' as const } : await readBody(request, maxBytes);
  if ('body' in result) {
    return result.body;
  }
  if (result.problem === 'too_large' && sentence !== undefined && !context.isApi) {
    sendPage(context, 413, settingsProblemPage(sentence));
  } else if (result.problem === 'too_large') {
    const limit = `the body may have ${maxBytes} bytes at most`;
    rejectRequest(context, 413, 'request_too_large', limit);
  }
  return undefined;
}
