import { onBehalfOf } from '../database/on-behalf.js';
import { widestNetwork } from '../http/client-address.js';
import { createFront } from '../http/front.js';
import type { Handler } from '../http/handler.js';
import { FairStart } from '../limits/fair-start.js';
import { mediaTypeIn, UNKNOWN_TYPE } from '../photos/media-type.js';
import { Finishing } from '../uploads/finishing.js';
import { api } from './api.js';
import { housework, type Housework } from './chores.js';
import { commonParts, type CommonParts } from './common-parts.js';
import type { Foundation } from './foundation.js';
import { pages } from './pages.js';

/** How much later than the uploads themselves the front ends one that rests. */
const IDLE_GRACE_MS = 2000;

/** A service that was built. */
export interface Assembled extends Housework {
  readonly handle: Handler;
  /** Ends what goes on beside the requests and the chores. */
  close(): Promise<void>;
}

/** Builds the parts over a prepared database and wires them. */
export function assemble(foundation: Foundation): Assembled {
  const common = commonParts(foundation);
  const finishing = new Finishing({
    uploads: common.table,
    store: common.store,
    now: common.now,
    reportError: foundation.reportError,
    onFinished: (id, head) => {
      common.making.want(id, mediaTypeIn(head) ?? UNKNOWN_TYPE);
    },
  });
  const { provider, handlers } = pages(foundation, common);
  const front = frontOf(foundation, {
    ...handlers,
    ...api(foundation, common, { provider, finishing }),
  });
  return {
    handle: inFairTurns(front, common),
    ...housework(foundation, common, finishing),
    close: () => common.making.close(),
  };
}

function frontOf(
  { options, baseUrl }: Foundation,
  handlers: Parameters<typeof createFront>[0],
): Handler {
  return createFront(handlers, {
    log: options.log,
    baseUrl,
    contentUrl: options.contentUrl,
    requestMs: options.requestSeconds * 1000,
    // The uploads answer a client that rests; this is for one that does not read that either.
    uploadIdleMs: options.uploadIdleSeconds * 1000 + IDLE_GRACE_MS,
  });
}

/** Nobody's many requests keep those of others waiting, neither for a start nor for the database. */
function inFairTurns(front: Handler, { addressOf }: CommonParts): Handler {
  const start = new FairStart();
  return async (request, response) => {
    const who = widestNetwork(addressOf(request));
    await start.turn(who);
    if (response.destroyed) {
      return;
    }
    await onBehalfOf(who, () => front(request, response));
  };
}
