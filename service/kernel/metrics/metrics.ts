import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolState } from '../database/database.js';
import type { Handler } from '../http/handler.js';
import { readTarget } from '../http/request/request-target.js';
import type { FindRoute, Route } from '../http/router.js';
import type { MetricsPort } from './metrics-port.js';

/** The methods that a label may contain. Clients can send any other text as a method; that becomes `other`. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** Limits of the buckets for the time of requests, in seconds: from a read in the database to a large upload. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];

const CONNECTION_STATES = ['open', 'idle', 'waiting'] as const;

/**
 * Metrics for the operator's monitoring, in the
 * [text format of Prometheus](https://prometheus.io/docs/instrumenting/exposition_formats/). Labels have few values, all chosen by the
 * service: the pattern of a route, never the requested path; no user, token, file or network.
 */
export class Metrics implements MetricsPort {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'cws_request_seconds',
    help: 'Requests by pattern of the address, method and status, from their first byte to the end of the answer',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: SECONDS,
    registers: [this.registry],
  });
  private readonly open = new Gauge({
    name: 'cws_requests_open',
    help: 'Requests under way; kind upload: those that bring bytes of photos',
    labelNames: ['kind'] as const,
    registers: [this.registry],
  });
  private readonly bytes = new Counter({
    name: 'cws_bytes_total',
    help: 'Bytes of requests and answers, headers included',
    labelNames: ['direction', 'kind'] as const,
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: 'cws_limit_refusals_total',
    help: 'Attempts that a limit refused, by limit',
    labelNames: ['limit'] as const,
    registers: [this.registry],
  });
  private readonly reuses = new Counter({
    name: 'cws_sessions_ended_by_reuse_total',
    help: 'Connections that ended because a refresh token or a code was used twice',
    registers: [this.registry],
  });
  private readonly attempts = new Counter({
    name: 'cws_queue_attempts_total',
    help: 'Attempts to send a webhook or a mail, or to delete a file',
    labelNames: ['queue', 'result'] as const,
    registers: [this.registry],
  });

  private readonly counted = new WeakMap<Socket, { received: number; sent: number }>();

  /** @param poolState gives the connections to the database server; undefined if there is no server, or not yet. */
  constructor(poolState: () => PoolState | undefined) {
    collectDefaultMetrics({ register: this.registry });
    const connections = new Gauge({
      name: 'cws_database_connections',
      help: 'Connections to the database server: open, idle, and requests waiting for one',
      labelNames: ['state'] as const,
      registers: [this.registry],
      collect: () => {
        const state = poolState();
        for (const name of CONNECTION_STATES) {
          connections.set({ state: name }, state?.[name] ?? 0);
        }
      },
    });
    for (const kind of ['upload', 'other']) {
      this.open.set({ kind }, 0);
    }
  }

  limitRefused(limit: string): void {
    this.refusals.inc({ limit });
  }

  sessionEndedByReuse(): void {
    this.reuses.inc();
  }

  attemptEnded(queue: string, result: 'done' | 'failed'): void {
    this.attempts.inc({ queue, result });
  }

  /** Wraps a handler, so that every request is measured. `findRoute` finds the route that its labels name. */
  around(handle: Handler, findRoute: FindRoute): Handler {
    return (request, response) => {
      const { path } = readTarget(request.url ?? '');
      this.measure(request, response, findRoute(path)?.route);
      return handle(request, response);
    };
  }

  /** All metrics, in the text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** The media type of {@link text}. */
  get contentType(): string {
    return this.registry.contentType;
  }

  private measure(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route | undefined,
  ): void {
    const { socket } = request;
    const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : 'other';
    const kind = bringsBytes(route, method) ? 'upload' : 'other';
    const stop = this.requests.startTimer({ route: route?.path ?? 'other', method });
    this.open.inc({ kind });
    response.once('close', () => {
      this.open.dec({ kind });
      // 499 as in the log: the client went away before the answer ended.
      stop({ status: String(response.writableFinished ? response.statusCode : 499) });
      this.countBytes(socket, kind);
    });
  }

  /** Counts the bytes on a connection since its last request. Some bytes of a request arrive before it is handled. */
  private countBytes(socket: Socket, kind: string): void {
    const { bytesRead: received, bytesWritten: sent } = socket;
    const before = this.counted.get(socket) ?? { received: 0, sent: 0 };
    this.bytes.inc({ direction: 'received', kind }, Math.max(0, received - before.received));
    this.bytes.inc({ direction: 'sent', kind }, Math.max(0, sent - before.sent));
    this.counted.set(socket, { received, sent });
  }
}

function bringsBytes(route: Route | undefined, method: string): boolean {
  return (
    route?.kind === 'upload' && route.isBrief !== true && (method === 'POST' || method === 'PATCH')
  );
}
