import type { Provider } from 'oidc-provider';
import type { Database } from '../../platform/database/database.js';
import type { Page } from '../../platform/html/layout.js';
import {
  alreadyAnsweredPage,
  alreadySignedInPage,
  connectedPage,
  deniedPage,
  signInEndedPage,
} from '../../platform/html/error-pages.js';
import { ENDED_FOR_THEM } from '../../auth/session/browser-session.js';
import { DENIED_WITHOUT_WORKSPACE } from './denials.js';
import { sha256 } from '../../platform/hash.js';

/** A page with its status. */
export interface Answer {
  readonly status: number;
  readonly page: Page;
}

interface FinishedRow {
  readonly device_code: string | null;
  readonly client_id: string;
  readonly prompt: string;
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly without_workspace: boolean;
  /** Whether it ended together with all sign-ins of the user (`endBrowserSessionsOf`). */
  readonly ended_for_them: boolean;
  /** The user who was signed in when the page was shown. */
  readonly account_id: string | null;
  /** The user who signed in on the page. */
  readonly signed_in_as: string | null;
}

/**
 * Chooses the page for a form that is submitted twice (a double click, the browser's Back): the outcome of the first
 * submission, if it is known.
 */
export class FinishedInteractions {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /**
   * The page for an interaction that was answered and has ended.
   * @param uid from the browser's signed cookie, so other browsers learn nothing.
   * @returns undefined without such an interaction.
   */
  async answer(provider: Provider, uid: string): Promise<Answer | undefined> {
    const row = await this.find(uid);
    return row && (await this.outcome(provider, row));
  }

  /**
   * The same for an id in an address, without the cookie. Only the user of the interaction gets a result.
   * @param accountId the signed-in user of the requesting browser, if any.
   */
  async answerTo(
    provider: Provider,
    uid: string,
    accountId: string | undefined,
  ): Promise<Answer | undefined> {
    const row = await this.find(uid);
    const owner = row?.account_id ?? row?.signed_in_as;
    const isTheirs = accountId !== undefined && owner === accountId;
    return row && isTheirs ? this.outcome(provider, row) : undefined;
  }

  private async find(uid: string): Promise<FinishedRow | undefined> {
    const [row] = await this.database.query<FinishedRow>(
      `SELECT payload ->> 'deviceCode' AS device_code,
              payload -> 'params' ->> 'client_id' AS client_id,
              payload -> 'prompt' ->> 'name' AS prompt,
              payload -> 'result' -> 'consent' IS NOT NULL AS allowed,
              payload -> 'result' -> 'error' IS NOT NULL AS denied,
              coalesce(payload -> 'result' ->> 'error_description' = $3, false) AS without_workspace,
              payload -> 'result' -> '${ENDED_FOR_THEM}' IS NOT NULL AS ended_for_them,
              payload -> 'session' ->> 'accountId' AS account_id,
              payload -> 'result' -> 'login' ->> 'accountId' AS signed_in_as
         FROM oidc_records
        WHERE kind = 'Interaction' AND id = $1 AND consumed_at IS NOT NULL AND expires_at > $2
          AND payload -> 'result' IS NOT NULL`,
      [sha256(uid), this.now(), DENIED_WITHOUT_WORKSPACE],
    );
    return row;
  }

  private async outcome(provider: Provider, row: FinishedRow): Promise<Answer> {
    const code =
      row.device_code === null
        ? undefined
        : await provider.DeviceCode.find(row.device_code, { ignoreExpiration: true });
    if (row.ended_for_them) {
      return { status: 400, page: signInEndedPage(row.device_code !== null) };
    }
    if (row.prompt === 'login') {
      return { status: 400, page: alreadySignedInPage(code !== undefined) };
    }
    if (code !== undefined && row.allowed && code.accountId === row.account_id) {
      const client = await provider.Client.find(row.client_id);
      return { status: 200, page: connectedPage(client?.clientName ?? row.client_id) };
    }
    if (code !== undefined && row.denied && code.error !== undefined) {
      return { status: 200, page: deniedPage(row.without_workspace) };
    }
    return { status: 400, page: alreadyAnsweredPage(row.device_code !== null) };
  }
}
