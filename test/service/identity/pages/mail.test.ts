import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../../support/browser-client.js';
import {
  linkIn,
  startMailServer,
  type MailServer,
  type ReceivedMail,
} from '../../support/mail-server.js';
import { startTestService, type TestService } from '../../support/running-service.js';
import { addUser, addWorkspace, openSettings, type TestUser } from '../../support/users.js';
import { newUserForm, openLink } from './inviting.js';

const FROM = 'North Studio <mail@studio.example>';
const NEW = 'heron lamp quarter';
const ENTRY = { new_password: NEW, new_password_again: NEW };

describe('a service with mail', () => {
  let mail: MailServer;
  let service: TestService;
  let workspaceId: string;
  let user: TestUser;

  beforeAll(async () => {
    mail = await startMailServer();
    service = await startTestService({
      mail: { smtpUrl: mail.url, from: FROM },
      helpContact: 'help@studio.example',
    });
    workspaceId = await addWorkspace(service, 'North Studio');
  });
  afterAll(async () => {
    await service.close();
    await mail.close();
  });
  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
    mail.refuses(undefined);
    await service.database.query('UPDATE outgoing_mail SET due_at = now()');
    await allSent();
    mail.skip();
    user = await addUser(service, { [workspaceId]: 'owner' });
  });

  /** Gives the user an address, as they do it themselves. */
  const confirm = async (address: string, language?: string): Promise<TestBrowser> => {
    const browser = await openSettings(service, user, '/settings/account/email');
    await browser.submit('Send link', { email: address, password: user.password });
    const sent = await mail.next(({ to }) => to.includes(address));
    const reader = new TestBrowser(service.baseUrl);
    if (language !== undefined) {
      reader.reads(language);
    }
    const page = await reader.open(linkIn(sent, service.baseUrl));
    await reader.submit(page.forms[0]?.buttons[0]?.label ?? '');
    return browser;
  };
  /** The next mail to an address, except notices about the browsers of the test. Other tests may still get mail. */
  const nextTo = (address: string): Promise<ReceivedMail> =>
    mail.next(({ to, subject }) => to[0]?.toLowerCase() === address && subject !== 'New sign-in');
  /** The recipients of links for a new password, after so many mails. */
  const linksSince = (before: number): (readonly string[])[] =>
    mail.received
      .slice(before)
      .filter(({ subject }) => subject === 'Choose a new password')
      .map(({ to }) => to);
  /** Waits until nothing is left to be sent. */
  const allSent = async (): Promise<void> => {
    const waiting =
      'SELECT 1 FROM outgoing_mail UNION ALL SELECT 1 FROM notices WHERE mailed_at IS NULL';
    while ((await service.database.query(waiting)).length > 0) {
      await sleep(50);
    }
  };
  const forget = async (login: string): Promise<string> => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/forgot-password');
    const { status, text } = await browser.submit('Send link', { login });
    return `${status} ${text}`;
  };

  it('sends a link for a new password to a confirmed address, in the language of its user', async () => {
    const address = `${user.username}@Studio.example`.toLowerCase();
    await confirm(address, 'de');

    await forget(address.toUpperCase());

    const sent = await nextTo(address);
    expect(sent).toMatchObject({ to: [address], subject: 'Neues Passwort wählen' });
    expect(sent.source).toContain('From: North Studio <mail@studio.example>');
    expect(sent.source).toContain('Auto-Submitted: auto-generated');
    const browser = await openLink(service, linkIn(sent, service.baseUrl));
    expect(browser.page.text).toContain(`Username: ${user.username}`);
    expect((await browser.submit('Save and sign in', ENTRY)).text).toContain('Password changed');
  });

  // @threat U3
  it('answers the same for an unknown user, a user without an address, and one with an address', async () => {
    await confirm('known@studio.example');
    const other = await addUser(service, {});
    const before = mail.received.length;

    const answers = [user.username, other.username, 'nobody', 'nobody@studio.example'].map(forget);

    expect(new Set(await Promise.all(answers)).size).toBe(1);
    await allSent();
    expect(linksSince(before)).toEqual([['known@studio.example']]);
  });

  // @threat U5
  it('sends a user three links in an hour', async () => {
    const address = 'many@studio.example';
    await confirm(address);
    const before = mail.received.length;

    for (let count = 0; count < 5; count += 1) {
      await forget(user.username);
    }

    await allSent();
    expect(linksSince(before)).toEqual([[address], [address], [address]]);
  });

  it('refuses an address after ten requests with 429', async () => {
    const answers: string[] = [];
    for (let count = 0; count < 11; count += 1) {
      answers.push((await forget('nobody')).slice(0, 3));
    }
    expect(answers.map(Number)).toEqual([...Array<number>(10).fill(200), 429]);
  });

  // @threat U6
  it('notifies the former address of a change, and takes its links back', async () => {
    await confirm('first@studio.example');
    await forget(user.username);
    const reset = await nextTo('first@studio.example');

    await confirm('second@studio.example');

    const notice = await nextTo('first@studio.example');
    expect(notice).toMatchObject({
      subject: 'Your email address was changed',
    });
    expect(notice.source).toContain('help@studio.example');
    expect((await openLink(service, linkIn(reset, service.baseUrl))).page.status).toBe(404);
  });

  it('changes no address without the password', async () => {
    const browser = await openSettings(service, user, '/settings/account/email');

    const page = await browser.submit('Send link', { email: 'a@b.example', password: 'wrong' });

    expect([page.status, page.text]).toEqual([401, expect.stringContaining('password is wrong')]);
    const waiting = await service.database.query(
      'SELECT 1 FROM email_confirmations WHERE account_id = $1',
      [user.accountId],
    );
    expect(waiting).toEqual([]);
  });

  it('gives an address to one user only', async () => {
    await confirm('shared@studio.example');
    user = await addUser(service, { [workspaceId]: 'member' });
    const browser = await openSettings(service, user, '/settings/account/email');
    await browser.submit('Send link', { email: 'SHARED@studio.example', password: user.password });
    const sent = await nextTo('shared@studio.example');

    await browser.open(linkIn(sent, service.baseUrl));
    const page = await browser.submit('Confirm address');

    expect([page.status, page.text]).toEqual([409, expect.stringContaining('Another account')]);
  });

  it('sends an invitation whose link works next to the copied one, once', async () => {
    const browser = await openSettings(service, user, '/settings/people/invitations/new');
    const page = await browser.submit('Create link', {
      workspace: workspaceId,
      email: 'guest@studio.example',
    });
    expect(page.text).toContain('on its way to guest@studio.example');
    const copied = /\/invite\?token=[\w-]*/.exec(page.markup)?.[0] ?? '';
    const sent = await nextTo('guest@studio.example');
    expect(sent).toMatchObject({
      subject: 'Invitation to North Studio',
    });
    const mailed = linkIn(sent, service.baseUrl);
    expect(mailed).not.toBe(copied);
    expect((await openLink(service, copied)).page.status).toBe(200);

    const guest = await openLink(service, mailed);
    expect((await guest.submit('Create account and join', newUserForm())).text).toContain(
      'You have joined',
    );

    expect((await openLink(service, copied)).page.status).toBe(404);
  });

  it.each([
    'not an address',
    'a@b.example, c@d.example',
    'a@b.example\r\nBcc: c@d.example',
    '"a b"@c.example',
    'Ada <a@b.example>',
  ])('refuses to invite %j', async (email) => {
    const browser = await openSettings(service, user, '/settings/people/invitations/new');
    const before = mail.received.length;

    const page = await browser.submit('Create link', { workspace: workspaceId, email });

    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Enter an email')]);
    expect(mail.received.length).toBe(before);
  });

  // @threat U5
  it('keeps names of users and workspaces out of headers and links', async () => {
    const name = 'evil.example/x Studio';
    const other = await addWorkspace(service, `${name}\r\nBcc: c@d.example`);
    const owner = await addUser(service, { [other]: 'owner' });
    const browser = await openSettings(service, owner, '/settings/people/invitations/new');

    await browser.submit('Create link', { workspace: other, email: 'plain@studio.example' });

    const sent = await mail.next(({ to }) => to.includes('plain@studio.example'));
    expect(sent.subject.replaceAll('\u200B', '')).toBe(`Invitation to ${name} Bcc: c@d.example`);
    expect(sent.source).not.toMatch(/^Bcc:/m);
    expect(sent.source).not.toContain('evil.example');
  });

  // @threat U15
  it('sends a notice once, and none to an address that is not confirmed', async () => {
    await confirm('notices@studio.example');
    const other = await addUser(service, {});
    const unconfirmed = 'UPDATE accounts SET email = $2 WHERE id = $1';
    await service.database.query(unconfirmed, [other.accountId, 'other@studio.example']);
    const about = JSON.stringify({ app: 'Photoshop', name: 'Studio laptop' });
    for (const [id, accountId] of [
      ['notice-1', user.accountId],
      ['notice-2', other.accountId],
    ]) {
      await service.database.query(
        `INSERT INTO notices (id, account_id, kind, about, created_at)
         VALUES ($1, $2, 'app_connected', $3, $4)`,
        [id ?? '', accountId ?? '', about, new Date()],
      );
    }

    const sent = await nextTo('notices@studio.example');

    expect(sent).toMatchObject({
      subject: 'New connection: Photoshop on Studio laptop',
    });
    expect(linkIn(sent, service.baseUrl)).toBe('/settings/apps');
    const open = await service.database.query('SELECT 1 FROM notices WHERE mailed_at IS NULL');
    expect(open).toEqual([]);
    await allSent();
    expect(mail.received.filter(({ to }) => to.includes('other@studio.example'))).toEqual([]);
  });

  // @threat U7
  it('stores no token in the outbox', async () => {
    mail.refuses(451);
    const browser = await openSettings(service, user, '/settings/account/email');
    await browser.submit('Send link', { email: 'later@studio.example', password: user.password });
    let rows: { about: unknown; attempts: number }[] = [];
    while ((rows[0]?.attempts ?? 0) === 0) {
      await sleep(50);
      rows = await service.database.query('SELECT about, attempts FROM outgoing_mail');
    }
    mail.refuses(undefined);

    expect(rows).toEqual([{ about: { accountId: user.accountId }, attempts: 1 }]);
    await service.database.query('DELETE FROM outgoing_mail');
  });
});

it.each([
  ['with whom to ask', { helpContact: 'help@studio.example' }, 'Ask help@studio.example .'],
  ['without anybody to ask', {}, undefined],
])('the sign-in page of a service without mail, %s', async (_title, options, sentence) => {
  const service = await startTestService(options);
  try {
    const browser = new TestBrowser(service.baseUrl);
    const { text } = await browser.open('/settings/sign-in');
    expect(/Forgot your password\? (.*? \.)/.exec(text)?.[1]).toBe(sentence);
    const page = await browser.open('/forgot-password');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('administrators')]);
  } finally {
    await service.close();
  }
});
