import type { ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Account, Membership } from '../accounts/accounts.js';
import type { Queryable } from '../database/database.js';
import { formIn } from '../http/form.js';
import type { RouteMatch } from '../http/route-table.js';
import { sendPage, sendRedirect } from '../http/responses.js';
import type { WholeRequest } from '../http/whole-request.js';
import { browserSession, type BrowserSession } from '../oauth/browser-session.js';
import type { FormTokens } from '../oauth/form-tokens.js';
import { stalePage } from '../pages/outcome.js';
import { sentence, type Sentence } from '../pages/sentence.js';
import { PHOTOS } from '../photos/paths.js';
import { PROJECTS } from '../projects/paths.js';
import { SETTINGS } from '../settings/paths.js';
import { SHARES } from '../shares/paths.js';
import type { Visit } from './visit.js';
import { readVisitor } from './visitor-row.js';

export interface VisitParts {
  readonly provider: Provider;
  readonly database: Queryable;
  readonly formTokens: FormTokens;
  /** How long a sign-in lasts, in seconds. */
  readonly sessionSeconds: number;
}

/** A browser that asks for a page, and the person who is signed in with it. */
export interface Visitor {
  readonly session: BrowserSession;
  readonly account: Account | undefined;
  readonly memberships: readonly Membership[];
  /** The form, when the request is a POST; nothing about it has been checked. */
  readonly form: URLSearchParams | undefined;
}

/** What a page says after something was done, by the value of `done` in its address. */
const DONE: ReadonlyMap<string, Sentence> = new Map([
  ['disconnected', sentence('disconnected')],
  ['saved', sentence('saved')],
  ['deleted', sentence('deleted')],
  ['revoked', sentence('revoked')],
  ['trashed', sentence('trashed')],
  ['trashedSeveral', sentence('trashedSeveral')],
  ['removed', sentence('removedNow')],
  ['restored', sentence('restored')],
  ['passwordChanged', sentence('passwordChanged')],
  ['joined', sentence('joined')],
  ['left', sentence('left')],
  ['memberRemoved', sentence('memberRemoved')],
  ['invitationRevoked', sentence('invitationRevoked')],
  ['moved', sentence('photosMoved')],
  ['projectMade', sentence('projectMade')],
  ['archived', sentence('projectArchived')],
  ['shareRevoked', sentence('shareRevoked')],
  ['broughtBack', sentence('projectBack')],
]);

/**
 * What all pages for signed-in people have in common: a person who is not signed in is sent to the sign-in page, and a
 * form must carry the anti-forgery token of its own session.
 */
export class Visits {
  constructor(private readonly parts: VisitParts) {}

  /** Finds out who asks. */
  async meet(request: WholeRequest, response: ServerResponse): Promise<Visitor> {
    const read = await readVisitor(this.parts, request, response);
    return {
      session: browserSession(this.parts, request, response, read.session),
      account: read.account,
      memberships: read.memberships,
      form: request.method === 'POST' ? formIn(request) : undefined,
    };
  }

  /**
   * Lets a visitor in who is signed in and whose form, if any, was made for their session.
   * @returns undefined when they are not let in; the answer has been sent then.
   */
  admit(
    { session, account, memberships, form }: Visitor,
    request: WholeRequest,
    response: ServerResponse,
    { id }: RouteMatch,
  ): Visit | undefined {
    const { path, search, parameters: query } = request.target;
    if (account === undefined && form === undefined) {
      const to = new URLSearchParams({ to: path + search });
      sendRedirect(response, `${SETTINGS.signIn}?${to.toString()}`);
      return undefined;
    }
    if (
      account === undefined ||
      (form !== undefined && !this.parts.formTokens.matches(form.get('csrf'), session.csrf))
    ) {
      sendPage(response, 403, stalePage(isAboutPhotos(path) ? 'photos' : 'settings'));
      return undefined;
    }
    return {
      request,
      response,
      id,
      query,
      form,
      session,
      account,
      memberships,
      frame: {
        csrf: session.csrf,
        accountName: account.displayName,
        done: DONE.get(query.get('done') ?? ''),
      },
    };
  }
}

/** Whether a path, with or without a query, is one of the pages about photos, their projects and links. */
export function isAboutPhotos(address: string): boolean {
  return new RegExp(`^(${PHOTOS.root}|${PROJECTS.root}|${SHARES.root})(?=[/?]|$)`).test(address);
}
