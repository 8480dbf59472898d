import { LINK_KIND } from '../../../service/delivery/shares/events.js';
import { addAccount, setMember } from '../../../service/identity/accounts/accounts.js';
import { EmailAddresses } from '../../../service/identity/accounts/email-addresses.js';
import { IdentityProviders } from '../../../service/identity/company/identity-providers.js';
import { Invitations } from '../../../service/identity/invitations/invitations.js';
import { hashPassword } from '../../../service/kernel/password-hash.js';
import { PasswordChanges } from '../../../service/identity/passwords/password-changes.js';
import { PersonalTokens } from '../../../service/identity/accounts/personal-access-tokens.js';
import { ALL_SCOPES } from '../../../service/identity/scopes.js';
import { PhotoTable } from '../../../service/library/photos/data/photo-table.js';
import { LogoTable } from '../../../service/delivery/logos/logo-table.js';
import { FeedbackTable } from '../../../service/library/feedback/feedback-table.js';
import { GuestTable } from '../../../service/library/feedback/guest-table.js';
import type { NewcomerIdentity } from '../../../service/identity/company/company-sign-in.js';
import { ProjectTable } from '../../../service/library/projects/project-table.js';
import { CsrfTokens } from '../../../service/identity/csrf/csrf.js';
import { ShareTable } from '../../../service/delivery/shares/share-table.js';
import { WebhookTable } from '../../../service/workspace/webhooks/webhook-table.js';
import { loadSecrets } from '../../../service/oauth/provider/service-secrets.js';
import { SECRETS as IDENTITY_SECRETS } from '../../../service/identity/module.js';
import { sealSecret, secretKeys } from '../../../service/kernel/secret-box.js';
import { SECRETS as WORKSPACE_SECRETS } from '../../../service/workspace/module.js';
import type { TestBrowser } from '../support/browser-client.js';
import { CHEAP } from '../support/database-templates.js';
import { connectAs, registerApplication, send, type TestUser } from '../support/users.js';
import type { TestService } from '../support/running-service.js';
import { create, locationOf, photo } from '../support/tus-client.js';

/** The owner of the records, and the owned workspace. */
export interface Owner {
  readonly user: TestUser;
  readonly workspaceId: string;
  /** The prefix of all names, to find leaks. */
  readonly mark: string;
  /** Opens a browser that has never been at the service. */
  readonly newBrowser: () => TestBrowser;
}

type Words = Readonly<Record<string, string>>;

const clock = (): Date => new Date();

let count = 0;

/**
 * The records of an owner of a workspace, made again: photos, a project, links, an invitation, a colleague, and pages that
 * are open in browsers. Comes as words for the requests of `fuzz/valid-requests.ts`.
 */
export async function ownedRecordsOf(service: TestService, owner: Owner): Promise<Words> {
  count += 1;
  const photos = await photosOf(service, owner);
  const links = await linksOf(service, owner, photos['own.photo'] ?? '');
  const pages = await pagesOf(owner);
  return {
    'own.account': owner.user.accountId,
    'workspace.own': owner.workspaceId,
    ...photos,
    ...links,
    ...(await invitationsOf(service, owner)),
    ...(await colleaguesOf(service, owner)),
    'own.webhook': await webhookOf(service, owner),
    ...(await companyOf(service, owner)),
    'own.logo': await logoOf(service, owner),
    ...pages,
    'own.sending': await beginInBrowser(service, owner, pages),
  };
}

/** An application, a connection, an unfinished and a completed upload of the same user. */
export async function appsOf(service: TestService, owner: Owner): Promise<Words> {
  const { baseUrl, database } = service;
  const { user, workspaceId, mark, newBrowser } = owner;
  const browser = newBrowser();
  await browser.open('/settings/developer');
  await browser.submit('Sign in', { username: user.username, password: user.password });
  const redirectUris = 'https://app.example/callback';
  const application = { kind: 'confidential', redirectUris, name: `${mark} app` } as const;
  const { clientId } = await registerApplication(browser, workspaceId, application);
  await connectAs(service, user);
  const [consent] = await database.query<{ grant_id: string }>(
    'SELECT grant_id FROM consents WHERE account_id = $1',
    [user.accountId],
  );
  const access = await connectAs(service, user);
  const begin = async (length: number, body?: Uint8Array<ArrayBuffer>): Promise<string> => {
    const metadata = { filename: `${mark}-unfinished.jpg` };
    const upload = { length, metadata, ...(body !== undefined && { body }) };
    const url = locationOf(baseUrl, await create(baseUrl, access, upload));
    return url.split('/').at(-1) ?? '';
  };
  return {
    ...{ 'app.id': clientId, 'app.redirect': redirectUris },
    ...{ 'own.grant': consent?.grant_id ?? '', 'own.access': access, 'own.pat': access },
    ...{ 'own.open': await begin(50_000), 'own.done': await begin(21, new Uint8Array(21)) },
    ...{ 'own.username': user.username, 'own.password': encodeURIComponent(user.password) },
  };
}

async function makeToken(
  { database }: TestService,
  { user, workspaceId, mark }: Owner,
): Promise<string> {
  const tokens = new PersonalTokens(database, clock);
  const entry = { name: `${mark} token`, workspaceId, days: 7, scopes: ALL_SCOPES };
  return (await tokens.create(user.accountId, entry)) ?? '';
}

async function photosOf(service: TestService, owner: Owner): Promise<Words> {
  const { database } = service;
  const { user, workspaceId, mark } = owner;
  const token = await makeToken(service, owner);
  const tokens = new PersonalTokens(database, clock);
  const earlier = new Set((await tokens.of(user)).map(({ id }) => id));
  await makeToken(service, owner);
  // Not by their times, which can be the same.
  const spare = (await tokens.of(user)).find(({ id }) => !earlier.has(id));
  const upload = (name: string): Promise<string> =>
    send(service, token, `${mark}-${name}.jpg`, photo(600, count));
  const [one, second, trashed] = [await upload('one'), await upload('second'), await upload('old')];
  const [film, document] = [await upload('film'), await upload('document')];
  await new PhotoTable(database).trash(trashed, user.accountId, clock());
  const projects = new ProjectTable(database, clock);
  const made = await projects.create(workspaceId, `${mark} project ${count}`, user.accountId);
  const [other] = await projects.of(workspaceId);
  const project = typeof made === 'object' ? made.id : (other?.id ?? '');
  await projects.move(workspaceId, [one], project);
  // Their bytes are of an unknown kind, so nothing reads other facts later.
  for (const [id, type, media] of [
    [film, 'video/mp4', { kind: 'video', videoCodec: 'h264', frameRate: 25 }],
    [document, 'application/pdf', { kind: 'document', pages: 2 }],
  ] as const)
    await database.query(
      `UPDATE uploads SET media_type = $2, media_info = $3::jsonb, preview_width = 4, preview_height = 3,
              preview_bytes = 9, preview_version = 1 WHERE id = $1`,
      [id, type, JSON.stringify(media)],
    );
  await database.query('INSERT INTO placements VALUES ($1, $2)', [document, film]);
  const frames = Buffer.from('frames');
  await service.stored.add(`${film}.frames`, frames);
  await database.query('UPDATE uploads SET frames_bytes = $2 WHERE id = $1', [film, frames.length]);
  return {
    ...{ 'own.photo': one, 'own.second': second, 'own.trashed': trashed, 'own.project': project },
    ...{ 'own.film': film, 'own.document': document },
    ...{ 'own.all': token, 'own.spareToken': spare?.id ?? '' },
  };
}

async function linksOf(
  { database, baseUrl }: TestService,
  { user, workspaceId, mark, newBrowser }: Owner,
  photoId: string,
): Promise<Words> {
  // There is an end to how many there can be, and requests make more.
  await database.query('DELETE FROM shares WHERE workspace_id = $1', [workspaceId]);
  const shares = new ShareTable(database, new CsrfTokens('a test'), clock);
  const password = 'a word for guests';
  const make = async (passwordHash?: string): Promise<string> => {
    const made = await shares.create({
      ...{ workspaceId, creatorId: user.accountId, days: 7, passwordHash },
      target: { kind: 'photos', ids: [photoId] },
    });
    return typeof made === 'object' ? made.token : '';
  };
  const [open, spare, locked, listed] = [
    await make(),
    await make(),
    await make(await hashPassword(password, CHEAP)),
    await make(),
  ];
  const share = (await shares.findByToken(listed))?.id ?? '';
  const spareShare = (await shares.findByToken(spare))?.id ?? '';
  const guest = newBrowser();
  const page = await guest.open(`${baseUrl}/s/${locked}`);
  const visitor = newBrowser();
  await visitor.open(`${baseUrl}/s/${open}`);
  return {
    ...{ 'share.token': open, 'locked.token': locked, 'locked.cookie': guest.allCookies },
    ...{ 'guest.cookie': visitor.allCookies, 'guest.csrf': visitor.csrf },
    'locked.csrf': page.form?.fields['csrf'] ?? '',
    'locked.password': password.replaceAll(' ', '+'),
    'own.share': share,
    'own.comment': await commentOn(database, { share, photoId, mark }),
    // Not through the link whose guests a request removes.
    'own.spareComment': await commentOn(database, { share: spareShare, photoId, mark }),
    'own.spareShare': spareShare,
    'own.spareGuest':
      (await new GuestTable(database, clock).invite(spareShare, `${mark} invited`))?.id ?? '',
  };
}

/** The version of the workspace's logo. */
async function logoOf({ database }: TestService, { workspaceId }: Owner): Promise<string> {
  const logos = new LogoTable(database);
  await logos.set(workspaceId, { picture: Buffer.from('a logo'), width: 3, height: 1 });
  return (await logos.of(workspaceId))?.version ?? '';
}

/** A comment of a guest. */
async function commentOn(
  database: TestService['database'],
  { share, photoId, mark }: { share: string; photoId: string; mark: string },
): Promise<string> {
  const answers = new FeedbackTable(database, clock);
  await answers.add(
    {
      ...{ shareId: share, photoId, uploadId: photoId, kind: 'comment' },
      ...{ guest: { id: `guest-${count}`, name: `${mark} guest` }, text: `${mark}-comment` },
    },
    () => Promise.resolve(),
  );
  const comments = await answers.ofPhoto(photoId);
  return comments.find(({ shareId }) => shareId === share)?.id ?? '';
}

async function invitationsOf(
  { database }: TestService,
  { user, workspaceId, newBrowser }: Owner,
): Promise<Words> {
  await database.query('DELETE FROM invitations WHERE workspace_id = $1', [workspaceId]);
  const invitations = new Invitations(database, clock);
  const make = async (): Promise<{ id: string; token: string }> => {
    const invitedBy = user.accountId;
    const made = await invitations.create({ workspaceId, role: 'member', invitedBy });
    return typeof made === 'object' ? made : { id: '', token: '' };
  };
  const [listed, opened] = [await make(), await make()];
  const guest = newBrowser();
  const page = await guest.open(`/invite?token=${opened.token}`);
  return {
    'own.invitation': listed.id,
    ...{ 'invite.token': opened.token, 'invite.cookie': guest.allCookies },
    ...{ 'invite.csrf': page.form?.fields['csrf'] ?? '', 'invite.username': `guest-of-${count}` },
  };
}

/** A webhook of events that no request from outside the workspace causes. */
async function webhookOf(
  { database }: TestService,
  { user, workspaceId, mark }: Owner,
): Promise<string> {
  await database.query('DELETE FROM webhooks WHERE workspace_id = $1', [workspaceId]);
  const { boxKey } = await loadSecrets(database);
  const made = await new WebhookTable(
    database,
    [LINK_KIND],
    secretKeys(boxKey, WORKSPACE_SECRETS).webhook,
    clock,
  ).create(
    { url: `https://hooks.example/${mark}`, events: [LINK_KIND] },
    { workspaceId, accountId: user.accountId },
    () => Promise.resolve(),
  );
  return typeof made === 'object' ? made.id : '';
}

/** The company account of the workspace, and the page of a newcomer whom the company has confirmed. */
async function companyOf(
  { database, baseUrl }: TestService,
  { workspaceId, mark, newBrowser }: Owner,
): Promise<Words> {
  const { boxKey } = await loadSecrets(database);
  const keys = secretKeys(boxKey, IDENTITY_SECRETS);
  const providers = new IdentityProviders(database, keys['identity-provider'], clock);
  const [issuer, domain] = ['https://login.example', `company-${count}.example`];
  const entry = { issuer, clientId: `${mark} client`, clientSecret: 'a secret' };
  const also = (): Promise<void> => Promise.resolve();
  await providers.save(workspaceId, { ...entry, domains: [domain], admits: 'domain' }, also);
  await providers.confirm(workspaceId, domain, also);
  const newcomer: NewcomerIdentity = {
    ...{ workspaceId, issuer, subject: `newcomer-${count}`, email: `newcomer@${domain}` },
    ...{ name: 'Newcomer', since: Math.floor(Date.now() / 1000), sessionBefore: '', to: '/photos' },
  };
  const sealed = { until: Date.now() + 3_600_000, value: newcomer };
  const identity = sealSecret(keys.newcomer, JSON.stringify(sealed));
  const guest = newBrowser();
  await guest.open('/sign-in/company');
  const cookie = `${guest.allCookies}; cws_identity=${identity.toString('base64url')}`;
  const page = await fetch(`${baseUrl}/sign-in/link`, { headers: { cookie } });
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(await page.text()) ?? [];
  return { 'company.domain': domain, 'company.cookie': cookie, 'company.csrf': csrf };
}

/** A user who can be removed from the workspace, and one with a forgotten password and a new address. */
async function colleaguesOf(
  { database }: TestService,
  { workspaceId, mark, newBrowser }: Owner,
): Promise<Words> {
  const passwordHash = await hashPassword(`unknown ${count}`, CHEAP);
  const add = async (username: string): Promise<string> =>
    (await addAccount(database, { username, displayName: `${mark} ${username}`, passwordHash })) ??
    '';
  const [mate, forgetful] = [await add(`mate-${count}`), await add(`forgetful-${count}`)];
  await setMember(database, workspaceId, mate, 'member');
  const changes = new PasswordChanges(database, clock, () => Promise.resolve());
  const token = await changes.makeReset(forgetful);
  const guest = newBrowser();
  const page = await guest.open(`/new-password?token=${token}`);
  const reader = newBrowser();
  const emailToken = await emailTokenOf(database, forgetful);
  const confirming = await reader.open(`/confirm-email?token=${emailToken}`);
  return {
    'mate.account': mate,
    ...{ 'email.token': emailToken, 'email.cookie': reader.allCookies },
    'email.csrf': confirming.form?.fields['csrf'] ?? '',
    ...{ 'reset.token': token, 'reset.cookie': guest.allCookies },
    'reset.csrf': page.form?.fields['csrf'] ?? '',
  };
}

/** The token of a link to confirm an address. Without a mail, as sending one would replace the token. */
async function emailTokenOf(database: TestService['database'], accountId: string): Promise<string> {
  const email = `forgetful-${count}@mail.example`;
  await database.query(
    `INSERT INTO email_confirmations (account_id, email, token_sha256, expires_at)
     VALUES ($1, $2, 'not sent yet', now() + interval '1 day')`,
    [accountId, email],
  );
  const made = await new EmailAddresses(database, clock).makeToken(accountId, email);
  return made?.token ?? '';
}

/** Pages that are open: in a browser that is signed in, in one that is about to be signed out, in one of a guest. */
async function pagesOf({ user, newBrowser }: Owner): Promise<Words> {
  const signIn = async (): Promise<TestBrowser> => {
    const browser = newBrowser();
    await browser.open('/settings/developer');
    const { username, password } = user;
    await browser.submit('Sign in', { username, password });
    return browser;
  };
  const [settings, leaving, guest] = [await signIn(), await signIn(), newBrowser()];
  const { forms } = await guest.open('/settings/sign-in');
  return {
    ...{ 'browserUser.cookie': guest.allCookies, 'browserUser.csrf': guest.csrf },
    ...{ 'settings.cookie': settings.allCookies, 'settings.csrf': settings.csrf },
    ...{ 'leaving.cookie': leaving.allCookies, 'leaving.csrf': leaving.csrf },
    'language.cookie': guest.allCookies,
    'language.secret': forms.find(({ fields }) => 'secret' in fields)?.fields['secret'] ?? '',
  };
}

/** An upload that a page has begun. */
async function beginInBrowser(
  { baseUrl }: TestService,
  { workspaceId, mark }: Owner,
  pages: Words,
): Promise<string> {
  const begun = await fetch(`${baseUrl}/photos/uploads`, {
    method: 'POST',
    headers: {
      ...{ cookie: pages['settings.cookie'] ?? '', 'x-csrf-token': pages['settings.csrf'] ?? '' },
      ...{ 'x-workspace': workspaceId, 'tus-resumable': '1.0.0', 'upload-length': '600' },
      'upload-metadata': `filename ${Buffer.from(`${mark}-sending.jpg`).toString('base64')}`,
    },
  });
  return locationOf(baseUrl, begun).split('/').at(-1) ?? '';
}
