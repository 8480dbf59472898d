import type { Handler } from '../http/handler.js';
import { isForOtherHost, isLoopback } from '../http/loopback.js';
import type { Metrics } from './metrics.js';

const PATH = '/metrics';

/**
 * Answers on the port for the monitoring: GET and HEAD of `/metrics`, and 404 for everything else.
 * @param host the address that the port listens on. If only this machine reaches it, requests for other hosts get 421.
 */
export function sendMetrics(
  metrics: Metrics,
  host: string,
  reportError: (error: unknown) => void,
): Handler {
  return async (request, response) => {
    if (isLoopback(host) && isForOtherHost(host, request.headers.host)) {
      response.writeHead(421).end();
      return;
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || request.url?.split('?')[0] !== PATH) {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await metrics.text();
      response.writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' });
      response.end(request.method === 'HEAD' ? undefined : text);
    } catch (error) {
      reportError(error);
      response.writeHead(500).end();
    }
  };
}
