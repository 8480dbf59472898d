import { NEVER_CANCELLED, CancelSource } from '../../../../src/util/cancel.js';
import { CwError } from '../../../../src/util/errors.js';
import type { HttpRequest, HttpResponse, SendHttp } from '../../../../src/host/http.js';

/**
 * The fault of one request: nothing is sent; the connection ends after about that many bytes of
 * the body; or everything is sent and the response is lost.
 */
export type Fault =
  | { readonly kind: 'not sent' }
  | { readonly kind: 'cut'; readonly afterBytes: number }
  | { readonly kind: 'answer lost' };

/** Passes requests on to a real network, with a fault where `faultFor` names one. */
export function faultyNetwork(
  send: SendHttp,
  faultFor: (request: HttpRequest, index: number) => Fault | null,
): SendHttp {
  let index = -1;
  const lost = (): CwError => new CwError('CW-301', 'the connection was lost');
  return async (request, signal = NEVER_CANCELLED): Promise<HttpResponse> => {
    index += 1;
    const fault = faultFor(request, index);
    if (fault === null) return send(request, signal);
    if (fault.kind === 'not sent') throw lost();
    if (fault.kind === 'answer lost') {
      await send(request, signal);
      throw lost();
    }
    const cut = new CancelSource();
    const stopListening = signal.onCancel(() => {
      cut.cancel();
    });
    const cutting: HttpRequest = {
      ...request,
      onUploadProgress: (sent) => {
        request.onUploadProgress?.(sent);
        if (sent >= fault.afterBytes) cut.cancel();
      },
    };
    try {
      return await send(cutting, cut.signal);
    } catch (error) {
      throw cut.signal.cancelled && !signal.cancelled ? lost() : error;
    } finally {
      stopListening();
    }
  };
}
