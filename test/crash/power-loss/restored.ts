import { DEMO_ACCOUNT } from '../../../service/identity/accounts/demo.js';
import { approveDevice, TestBrowser } from '../../service/support/browser-client.js';
import { poll, startDevice, tokensOf } from '../../service/support/oauth-client.js';

/** A service that was started on the remaining data, and the checks of it. */
export class Restored {
  /** The number of checks of each kind. */
  readonly checked: Record<string, number> = {};
  private known: string | undefined;
  private seenBy: TestBrowser | undefined;

  constructor(
    readonly url: string,
    /** The instant of the loss of power. */
    readonly instant: number,
  ) {}

  /** @throws Error when a promise was broken. */
  expect(promise: string, holds: boolean, found: unknown): void {
    this.checked[promise] = (this.checked[promise] ?? 0) + 1;
    if (!holds) throw new Error(`broken: ${promise} (${JSON.stringify(found)})`);
  }

  /** Signs in again with the password and returns the access token. */
  async token(): Promise<string> {
    if (this.known === undefined) {
      const { deviceCode, userCode } = await startDevice(this.url);
      await approveDevice(this.url, userCode, DEMO_ACCOUNT);
      this.known = tokensOf(await poll(this.url, deviceCode)).accessToken;
    }
    return this.known;
  }

  /** A browser of the owner of the workspace. */
  async owner(): Promise<TestBrowser> {
    this.seenBy ??= await signIn(this.url, DEMO_ACCOUNT);
    return this.seenBy;
  }
}

export async function signIn(
  url: string,
  { username, password }: { username: string; password: string },
): Promise<TestBrowser> {
  const browser = new TestBrowser(url);
  await browser.open('/settings/account');
  await browser.submit('Sign in', { username, password });
  return browser;
}

/** Whether the browser shows the pages of a signed-in user. */
export function isSignedIn({ page }: TestBrowser): boolean {
  return page.text.includes('Sign out');
}
