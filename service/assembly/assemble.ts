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

/** How much longer than the upload handler the front waits for an upload that brings no bytes, in milliseconds. */
const IDLE_GRACE_MS = 2000;

/** A service that was built: what answers the requests, and what runs beside them. */
export interface Assembled extends Housework {
  readonly handle: Handler;
  /** Checks the storage of uploads, see `UploadStorage.check`. */
  checkStorage(): Promise<void>;
  /** Stops the making of thumbnails, which goes on beside the requests and the chores. */
  close(): Promise<void>;
}

/** Builds the parts of the service over a prepared database, and connects them. */
export function assemble(foundation: Foundation): Assembled {
  const common = commonParts(foundation);
  const finishing = new Finishing({
    uploads: common.table,
    store: common.store,
    now: common.now,
    reportError: foundation.reportError,
    onFinished: (photo, head) => {
      common.making.want(photo, mediaTypeIn(head) ?? UNKNOWN_TYPE);
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
    checkStorage: () => common.store.check(),
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
    // The upload handler answers an idle client first. This ends the connection of one that does not read that answer.
    uploadIdleMs: options.uploadIdleSeconds * 1000 + IDLE_GRACE_MS,
  });
}

/** Lets networks take turns, for the start of requests and for the database: many requests of one delay no other. */
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
