import { BufferedRequest } from '../../kernel/http/request/buffered-request.js';

/** A request as it is handed to oidc-provider, with what its middleware reports to the caller. */
export class ProviderRequest extends BufferedRequest {
  /** The error that failed the request; undefined where there was none, or the client's only. */
  failure: { readonly error: unknown } | undefined;

  /**
   * @param request the request as it came
   * @param form takes the place of its form
   * @param hadEmptySecret whether it had an `Authorization` header with an empty secret, which is left out
   */
  constructor(
    request: BufferedRequest,
    form: URLSearchParams | undefined,
    readonly hadEmptySecret: boolean,
  ) {
    const body = Buffer.from(form?.toString() ?? '');
    const { authorization, ...headers } = request.headers;
    super(request, {
      method: request.method ?? '',
      target: request.target,
      headers: {
        ...headers,
        ...(!hadEmptySecret && authorization !== undefined && { authorization }),
        ...(form !== undefined && { 'content-length': String(body.length) }),
      },
      body,
      form,
      locale: request.locale,
      clientFiles: request.clientFiles,
    });
  }
}
