import { randomBytes } from 'node:crypto';
import { DEMO_ACCOUNT } from '../../../service/identity/accounts/demo.js';
import { approveDevice } from '../../service/support/browser-client.js';
import {
  listUploads,
  poll,
  refresh,
  revoke,
  startDevice,
  tokensOf,
  type Answer,
  type Tokens,
} from '../../service/support/oauth-client.js';
import { History, type Ledger } from './ledger.js';
import type { Restored } from './restored.js';

type Connection =
  | { readonly is: 'none' | 'revoked' }
  /** `attempt` names the refresh that gave them, if one did. */
  | { readonly is: 'connected'; readonly tokens: Tokens; readonly attempt: string | undefined };

const attempt = (): string => randomBytes(32).toString('base64url');

/** A plugin on another machine. It stores its tokens and sends refresh_attempt, so that refreshes can be repeated. */
export class Device {
  private readonly history: History<Connection>;
  private url = '';

  constructor(ledger: Ledger) {
    this.history = new History<Connection>(ledger, { is: 'none' });
  }

  get accessToken(): string {
    return this.tokens.accessToken;
  }

  get isConnected(): boolean {
    return this.history.last.is === 'connected';
  }

  /** The service is at another address now. */
  finds(url: string): void {
    this.url = url;
  }

  async connect(): Promise<void> {
    const { deviceCode, userCode } = await startDevice(this.url);
    await approveDevice(this.url, userCode, DEMO_ACCOUNT);
    await this.history.step(
      () => poll(this.url, deviceCode),
      (answer) => ({ is: 'connected', tokens: tokensOf(answer), attempt: undefined }),
    );
  }

  async refresh(): Promise<void> {
    const name = attempt();
    await this.history.step(
      () => refresh(this.url, this.tokens.refreshToken, { refresh_attempt: name }),
      (answer) => ({ is: 'connected', tokens: tokensOf(answer), attempt: name }),
    );
  }

  async revoke(): Promise<void> {
    await this.history.step(
      () => revoke(this.url, this.tokens.refreshToken),
      () => ({ is: 'revoked' }),
    );
  }

  async check(restored: Restored): Promise<void> {
    const { before, sure, open } = this.history.at(restored.instant);
    const earlier = before.findLast((one) => one.is === 'connected');
    if (sure.is === 'revoked' && earlier !== undefined) {
      const { status } = await this.ask(restored, earlier.tokens);
      const listed = await listUploads(restored.url, earlier.tokens.accessToken);
      const found = [status, listed.status];
      restored.expect('revoked stays revoked', status === 400 && listed.status === 401, found);
    }
    if (sure.is !== 'connected' || open.some(({ is }) => is === 'revoked')) return;
    const next = open.find((one) => one.is === 'connected');
    if (next === undefined) {
      const { status } = await listUploads(restored.url, sure.tokens.accessToken);
      restored.expect('an access token is good', status === 200, status);
    }
    const answer = await this.ask(restored, sure.tokens, next?.attempt);
    const what = next === undefined ? 'a refresh token is good' : 'a refresh can be repeated';
    restored.expect(what, answer.status === 200, answer.body);
    if (earlier !== undefined) {
      const used = await this.ask(restored, earlier.tokens);
      restored.expect('a used refresh token stays used', used.status === 400, used.status);
    }
  }

  private ask({ url }: Restored, { refreshToken }: Tokens, name = attempt()): Promise<Answer> {
    return refresh(url, refreshToken, { refresh_attempt: name });
  }

  private get tokens(): Tokens {
    const { last } = this.history;
    if (last.is !== 'connected') throw new Error('the device is not connected');
    return last.tokens;
  }
}
