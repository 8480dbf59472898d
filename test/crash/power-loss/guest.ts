import type { TestBrowser } from '../../service/support/browser-client.js';
import { TestBrowser as Browser } from '../../service/support/browser-client.js';
import { elementText } from '../../service/support/users.js';
import { History, type Ledger } from './ledger.js';
import { isSignedIn, signIn, type Restored } from './restored.js';
import type { SentPhoto } from './sent-photo.js';

const USERNAME = 'guest-of-honour';

/** A user who is invited, changes their name and password, and stays signed in. */
export class Guest {
  private readonly password: History<string | undefined>;
  private readonly displayName: History<string | undefined>;
  /** The cookie of the browser's session. */
  private readonly session: History<string | undefined>;
  private count = 0;

  constructor(ledger: Ledger) {
    this.password = new History<string | undefined>(ledger, undefined);
    this.displayName = new History<string | undefined>(ledger, undefined);
    this.session = new History<string | undefined>(ledger, undefined);
  }

  /** Joins by a link that the owner makes; a browser in which they are signed in. */
  async join(url: string, owner: TestBrowser): Promise<TestBrowser> {
    await owner.open('/settings/people/invitations/new');
    const link = elementText(await owner.submit('Create link', { role: 'member' }), 'link');
    const browser = new Browser(url);
    await browser.open(link);
    const password = this.nextPassword();
    const entry = {
      ...{ username: USERNAME, display_name: 'Guest' },
      ...{ new_password: password, new_password_again: password },
    };
    await this.session.step(
      () =>
        this.displayName.step(
          () =>
            this.password.step(
              () => browser.submit('Create account and join', entry),
              () => password,
            ),
          () => 'Guest',
        ),
      () => browser.sessionCookie,
    );
    return browser;
  }

  /** A browser in which they sign in. */
  signIn(url: string): Promise<TestBrowser> {
    return signIn(url, { username: USERNAME, password: this.password.last ?? '' });
  }

  async changeName(browser: TestBrowser): Promise<void> {
    this.count += 1;
    const name = `Guest ${this.count}`;
    await browser.open('/settings/account');
    await this.displayName.step(
      () => browser.submit('Save changes', { display_name: name }),
      () => name,
    );
  }

  async changePassword(browser: TestBrowser): Promise<void> {
    const password = this.nextPassword();
    await browser.open('/settings/account');
    const entry = {
      ...{ password: this.password.last ?? '', new_password: password },
      new_password_again: password,
    };
    await this.session.step(
      () =>
        this.password.step(
          () => browser.submit('Change password', entry),
          () => password,
        ),
      () => browser.sessionCookie,
    );
  }

  async check(restored: Restored): Promise<void> {
    const { before, sure, open } = this.password.at(restored.instant);
    if (sure === undefined) return;
    const good: string[] = [];
    const tried = [sure, ...open, ...before.slice(-1)].filter((one) => one !== undefined);
    let name: string | undefined;
    for (const password of tried) {
      const browser = await signIn(restored.url, { username: USERNAME, password });
      if (!isSignedIn(browser)) continue;
      good.push(password);
      name = browser.page.forms.find(({ fields }) => 'display_name' in fields)?.fields[
        'display_name'
      ];
    }
    const [only] = good;
    const isRight = good.length === 1 && only !== undefined && [sure, ...open].includes(only);
    restored.expect('one password is good, the last', isRight, { good, sure, open });
    const names = this.displayName.at(restored.instant);
    const isKept = [names.sure, ...names.open].includes(name);
    restored.expect('a setting is kept', isKept, { name, ...names });
    await this.checkSession(restored);
  }

  private async checkSession(restored: Restored): Promise<void> {
    const { before, sure, open } = this.session.at(restored.instant);
    if (sure === undefined || open.length > 0) return;
    const isOpen = async (cookie: string): Promise<boolean> => {
      const answer = await fetch(`${restored.url}/settings/apps`, { headers: { cookie } });
      return (await answer.text()).includes('Sign out');
    };
    restored.expect('a browser stays signed in', await isOpen(sure), sure);
    const ended = before.at(-1);
    if (ended !== undefined)
      restored.expect('a session that ended stays so', !(await isOpen(ended)), ended);
  }

  private nextPassword(): string {
    this.count += 1;
    return `four words for time ${this.count}`;
  }
}

/** A link to a photo, for visitors without an account. */
export class SharedLink {
  private readonly history: History<'none' | 'open' | 'revoked'>;
  private path = '';

  constructor(ledger: Ledger) {
    this.history = new History<'none' | 'open' | 'revoked'>(ledger, 'none');
  }

  get isOpen(): boolean {
    return this.history.last === 'open';
  }

  async make(owner: TestBrowser, photo: SentPhoto): Promise<void> {
    await owner.open(`/shares/new?photo=${photo.id}`);
    const page = await this.history.step(
      () => owner.submit('Create link'),
      () => 'open',
    );
    this.path = new URL(elementText(page, 'secret')).pathname;
  }

  async revoke(owner: TestBrowser): Promise<void> {
    const { markup } = await owner.open('/shares');
    await owner.open(/href="(\/shares\/[^"]+\/revoke)"/.exec(markup)?.[1] ?? '');
    await this.history.step(
      () => owner.submit('Revoke'),
      () => 'revoked',
    );
  }

  async check(restored: Restored): Promise<void> {
    const { sure, open } = this.history.at(restored.instant);
    if (sure === 'none' || open.length > 0) return;
    const { status } = await fetch(restored.url + this.path);
    const wanted = sure === 'open' ? 200 : 404;
    restored.expect(`a link that is ${sure} stays so`, status === wanted, status);
  }
}
