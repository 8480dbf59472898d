import { TestBrowser } from '../../support/browser-client.js';
import type { TestService } from '../../support/running-service.js';
import { openSettings, type TestUser } from '../../support/users.js';
import type { AssertingProvider } from './asserting-provider.js';

const CLIENT = { client_id: 'workspace', client_secret: 'secret of the client' };

const SETTINGS_PATH = '/settings/security/company-account';

/** Enters the provider of a workspace as its owner does; returns the browser of the owner. */
export async function enterProvider(
  service: TestService,
  company: Pick<AssertingProvider, 'issuer'>,
  about: {
    readonly owner: TestUser;
    readonly workspaceId: string;
    readonly values?: Readonly<Record<string, string>>;
  },
): Promise<TestBrowser> {
  const path = `${SETTINGS_PATH}?workspace=${about.workspaceId}`;
  const browser = await openSettings(service, about.owner, path);
  await browser.submit('Save changes', {
    ...{ issuer: company.issuer, domains: 'studio.example', ...CLIENT },
    ...about.values,
  });
  return browser;
}

/** Links a user to the subject of the same id at the provider of a workspace. */
export async function linkToCompany(
  service: Pick<TestService, 'database'>,
  workspaceId: string,
  { accountId }: TestUser,
): Promise<void> {
  await service.database.query(
    `INSERT INTO account_identities (workspace_id, subject, account_id, created_at)
     VALUES ($1, $2, $2, now())`,
    [workspaceId, accountId],
  );
}

/** A browser in which the provider of a company asserts this user. */
export async function assertedByCompany(
  service: Pick<TestService, 'baseUrl'>,
  company: AssertingProvider,
  workspaceId: string,
  { accountId }: TestUser,
  browser = new TestBrowser(service.baseUrl),
): Promise<TestBrowser> {
  company.subject = accountId;
  company.users[accountId] = { email: 'anyone@studio.example', email_verified: true };
  const left = await browser.leaving(browser.open(`/sign-in/company/${workspaceId}`));
  await browser.open(await company.visit(left.href));
  return browser;
}
