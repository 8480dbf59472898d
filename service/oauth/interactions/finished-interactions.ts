import type { Provider } from 'oidc-provider';
import type { Database, Queryable } from '../../kernel/database/database.js';
import type { Page } from '../../kernel/html/layout.js';
import {
  alreadyAnsweredPage,
  alreadySignedInPage,
  connectedPage,
  deniedPage,
  expiredPage,
  signInEndedPage,
} from '../../site/error-pages.js';
import { ENDED_BY_OWNER, type CsrfTokens, type AuditAbout } from '../../identity/index.js';
import { deviceInfoOf } from '../device/device-info.js';
import { aboutRefusedNumber, denyMismatchedCode } from '../device/end-code.js';
import { chooseNumberPage } from '../pages/choose-number.js';
import { recordId } from '../records/record-codec.js';
import { denialOf } from './denials.js';
import { continueForm } from './restart-interaction.js';
import { sha256 } from '../../kernel/hash.js';

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
  /** Why the request was denied, see denials.ts. */
  readonly reason: string | null;
  /** Whether it ended together with all sign-ins of the user (`endBrowserSessionsOf`). */
  readonly ended_for_them: boolean;
  /** The user who was signed in when the page was shown. */
  readonly account_id: string | null;
  /** The user who signed in on the page. */
  readonly signed_in_as: string | null;
}

type Code = InstanceType<Provider['DeviceCode']>;

/**
 * Chooses the page for a form that is submitted twice (a double click, the browser's Back): the outcome of the first
 * submission, if it is known.
 */
export class FinishedInteractions {
  constructor(
    private readonly database: Database,
    private readonly formTokens: CsrfTokens,
    private readonly now: () => Date,
  ) {}

  /**
   * The page for an interaction that was answered and has ended.
   * @param uid from the browser's signed cookie, so other browsers learn nothing.
   * @returns undefined without such an interaction.
   */
  async answer(provider: Provider, uid: string): Promise<Answer | undefined> {
    const row = await this.find(uid);
    return row && (await this.outcome(provider, uid, row));
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
    return row && isTheirs ? this.outcome(provider, uid, row) : undefined;
  }

  /**
   * Ends the sign-in whose number is shown on the page of this interaction. Its user does not see the number in the app.
   * @param uid from the browser's signed cookie
   * @param record called in the same transaction, if a sign-in waited for a number.
   */
  async cancelNumber(
    provider: Provider,
    uid: string,
    record: (about: AuditAbout, transaction: Queryable) => Promise<void>,
  ): Promise<void> {
    const row = await this.find(uid);
    const code =
      row?.device_code == null ? undefined : await provider.DeviceCode.find(row.device_code);
    if (row?.allowed !== true || code?.grantId === undefined || !deviceInfoOf(code).number) {
      return;
    }
    const id = recordId('DeviceCode', code.jti);
    await denyMismatchedCode(this.database, id, code.grantId, (transaction, workspace) =>
      record(aboutRefusedNumber(code, workspace), transaction),
    );
  }

  private async find(uid: string): Promise<FinishedRow | undefined> {
    const [row] = await this.database.query<FinishedRow>(
      `SELECT payload ->> 'deviceCode' AS device_code,
              payload -> 'params' ->> 'client_id' AS client_id,
              payload -> 'prompt' ->> 'name' AS prompt,
              payload -> 'result' -> 'consent' IS NOT NULL AS allowed,
              payload -> 'result' -> 'error' IS NOT NULL AS denied,
              payload -> 'result' ->> 'error_description' AS reason,
              payload -> 'result' -> '${ENDED_BY_OWNER}' IS NOT NULL AS ended_for_them,
              payload -> 'session' ->> 'accountId' AS account_id,
              payload -> 'result' -> 'login' ->> 'accountId' AS signed_in_as
         FROM oidc_records
        WHERE kind = 'Interaction' AND id = $1 AND consumed_at IS NOT NULL AND expires_at > $2
          AND payload -> 'result' IS NOT NULL`,
      [sha256(uid), this.now()],
    );
    return row;
  }

  private async outcome(provider: Provider, uid: string, row: FinishedRow): Promise<Answer> {
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
      const clientName = client?.clientName ?? row.client_id;
      return { status: 200, page: this.afterAllow(uid, code, clientName) };
    }
    if (code !== undefined && row.denied && code.error !== undefined) {
      return { status: 200, page: deniedPage(denialOf(row.reason)) };
    }
    return { status: 400, page: alreadyAnsweredPage(row.device_code !== null) };
  }

  /** The page after Allow: the number to choose in the app, while it has not been chosen, or the outcome. */
  private afterAllow(uid: string, code: Code, clientName: string): Page {
    const device = deviceInfoOf(code);
    if (code.error !== undefined) {
      return deniedPage('number');
    }
    if (device.number === undefined || code.consumed !== undefined) {
      return connectedPage(clientName);
    }
    return code.isExpired
      ? expiredPage()
      : chooseNumberPage({
          number: device.number.number,
          appName: clientName,
          deviceName: device.name,
          continuation: continueForm({ uid }, this.formTokens),
        });
  }
}
