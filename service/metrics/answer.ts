import type { Handler } from '../http/handler.js';
import type { Metrics } from './metrics.js';

const PATH = '/metrics';

/** Answers on the port for the monitoring: GET and HEAD of `/metrics`, and 404 for everything else. */
export function answerMetrics(metrics: Metrics, reportError: (error: unknown) => void): Handler {
  return async (request, response) => {
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
