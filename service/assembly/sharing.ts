import { ContentHost } from '../content/content-host.js';
import type { Handlers } from '../http/front.js';
import type { WholeHandler } from '../http/handler.js';
import { sendNothing } from '../http/responses.js';
import { auditInto } from '../people/audit.js';
import { projectPages } from '../projects/projects.js';
import { ShareCookie } from '../shares/share-cookie.js';
import { SharePasswords } from '../shares/share-passwords.js';
import { SharedPages } from '../shares/shared.js';
import { sharePages } from '../shares/shares.js';
import { VisitPages } from '../visits/visit-pages.js';
import type { Visits } from '../visits/visits.js';
import type { CommonParts } from './common-parts.js';
import type { Foundation } from './foundation.js';

export type SharingHandlers = Pick<
  Handlers,
  'projects' | 'shares' | 'shared' | 'sharedFile' | 'contentHost'
>;

/** Builds the pages of projects and links, the pages that links lead to, and the host of stored files. */
export function sharing(
  { options, baseUrl }: Foundation,
  common: CommonParts,
  visits: Visits,
): SharingHandlers {
  const passwords = new SharePasswords(common.limit, common.addressOf);
  const audit = auditInto(options.log);
  const members = new VisitPages(
    visits,
    new Map([...projectPages(common), ...sharePages({ ...common, passwords, baseUrl, audit })]),
  );
  const cookie = new ShareCookie(common.formTokens, common.isSecure, common.now);
  const guests = new SharedPages({ ...common, cookie, passwords, audit });
  const forMembers: WholeHandler = (request, response, match) =>
    members.handle(request, response, match);
  const forGuests: WholeHandler = (request, response, match) =>
    guests.handle(request, response, match);
  return {
    projects: forMembers,
    shares: forMembers,
    shared: forGuests,
    sharedFile: forGuests,
    contentHost: contentHandler(common),
  };
}

/** Answers at the host of stored files. If there is none, no request comes here. */
function contentHandler({ content, ...common }: CommonParts): WholeHandler {
  const host = content && new ContentHost({ ...common, addresses: content });
  return async (request, response, match) => {
    if (host === undefined) {
      sendNothing(response, 404);
    } else {
      await host.handle(request, response, match);
    }
  };
}
