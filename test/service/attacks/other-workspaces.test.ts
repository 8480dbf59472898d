import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { modules } from '../../../service/app/modules.js';
import { revokeMembership } from '../../../service/identity/access/revoke-access.js';
import { setMember } from '../../../service/identity/accounts/accounts.js';
import { PersonalTokens } from '../../../service/identity/accounts/personal-access-tokens.js';
import type { Route } from '../../../service/kernel/http/router.js';
import { ALL_SCOPES } from '../../../service/identity/scopes.js';
import {
  startAssertingProvider,
  type AssertingProvider,
} from '../identity/company/asserting-provider.js';
import {
  assertedByCompany,
  enterProvider,
  linkToCompany,
} from '../identity/company/company-session.js';
import { TestBrowser } from '../support/browser-client.js';
import { addUser, addWorkspace, openSettings, type TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';
import { needsUser, SERVICE_ROUTES } from '../support/service-routes.js';
import { appsOf, ownedRecordsOf } from './owned-records.js';
import { fillIn, toWire, type FuzzRequest } from './fuzz/fuzz-request.js';
import { exchange, type RawAnswer } from './fuzz/raw-http.js';
import { routeOf } from './fuzz/route-of.js';
import { VALID_REQUESTS } from './fuzz/valid-requests.js';

type Words = Readonly<Record<string, string>>;

/** The paths of what belongs to a user alone, whatever workspaces they have. */
const OF_USER = /^\/(api\/v1\/me|settings\/notices|settings\/account\/.+)$/;

/** Whether a route shows or changes records of a workspace, for signed-in users or API clients. */
const isOfWorkspace = (route: Route): boolean => needsUser(route) && !OF_USER.test(route.path);

/** Requests of an owner about own records. The same requests from others are the attack. */
const REQUESTS = VALID_REQUESTS.filter((request) => {
  const route = routeOf(request);
  const isAttack = JSON.stringify(request).includes('{{other.');
  return route !== undefined && isOfWorkspace(route) && !isAttack && request.method !== 'OPTIONS';
});

/** The prefix of all names of the target. */
const MARK = 'Quiet';

/** All tables that modules declare. */
const DECLARED = Object.values(modules()).flatMap(({ tables }) => Object.keys(tables));

interface ForeignKey {
  readonly table: string;
  readonly column: string;
  readonly parent: string;
}

/** Declared tables that are not compared, with the reason. */
const NOT_COMPARED: Readonly<Record<string, string>> = {
  accounts: 'compared with the workspace',
  workspaces: 'compared by its id',
  ...Object.fromEntries(
    [
      ...['browser_sessions', 'email_confirmations', 'passkeys', 'password_resets'],
      ...['recovery_codes', 'totp_secrets', 'outgoing_mail', 'notices'],
    ].map((table) => [table, 'of a user']),
  ),
  ...Object.fromEntries(
    [
      ...['attempts', 'device_polls', 'dpop_proofs', 'oidc_records', 'upload_locks'],
      ...['transaction_outcomes', 'service_secrets'],
    ].map((table) => [table, 'changed by requests that are refused, too']),
  ),
  ...Object.fromEntries(
    [
      ...['discarded_uploads', 'page_pictures', 'photo_counts', 'thumbnails'],
      ...['watermarked_pictures', 'webhook_deliveries', 'workspace_usage', 'share_digests'],
    ].map((table) => [table, 'changed in the background']),
  ),
};

/** Without mail there is no form for a forgotten password. No user has an address, so none is sent. */
const service = useService({
  allowsPrivateAddresses: true,
  mail: { smtpUrl: 'smtp://127.0.0.1:1', from: 'studio@mail.example' },
});

describe('records of a workspace without access', () => {
  let targetWorkspace: string;
  /** The owner's things, with the owner's own sign-in and tokens. */
  let words: Words;
  let targetOwner: TestUser;
  let company: AssertingProvider;

  beforeAll(async () => {
    ({ targetWorkspace, words, owner: targetOwner } = await settle());
    company = await startAssertingProvider();
  });
  afterAll(() => company.close());

  /** The placeholders of the target workspace with the session and tokens of another user. */
  const asUser = async (user: TestUser, workspaceId: string): Promise<Words> => {
    const browser = await openSettings(service, user);
    const token = await new PersonalTokens(service.database, () => new Date()).create(
      user.accountId,
      { name: 'Theirs', workspaceId, days: 7, scopes: ALL_SCOPES },
    );
    const bearer = token ?? '';
    return {
      ...words,
      ...{ 'settings.cookie': browser.allCookies, 'settings.csrf': browser.csrf },
      ...{ 'own.access': bearer, 'own.all': bearer, 'own.pat': bearer },
    };
  };
  /**
   * The tables with rows of a workspace, each with the condition for those of workspace `$1`: its id is in the row, or in a row that
   * the row refers to.
   */
  const ownedTables = async (): Promise<Map<string, string>> => {
    const ids = await service.database.query<{ table: string }>(
      `SELECT table_name AS "table" FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'workspace_id'`,
    );
    const keys = await service.database.query<ForeignKey>(
      `SELECT conrelid::regclass::text AS "table", a.attname AS column, confrelid::regclass::text AS parent
         FROM pg_constraint JOIN pg_attribute AS a ON a.attrelid = conrelid AND a.attnum = ANY (conkey)
        WHERE contype = 'f' AND cardinality(conkey) = 1 AND confrelid <> 'accounts'::regclass`,
    );
    // An empty `share_id` means all links, so that the database has no foreign key.
    keys.push({ table: 'digest_opt_outs', column: 'share_id', parent: 'shares' });
    const hasId = new Set(ids.map(({ table }) => table));
    const conditionOf = (name: string): string =>
      hasId.has(name)
        ? 'workspace_id = $1'
        : keys
            .filter(({ table, parent }) => table === name && conditionOf(parent) !== '')
            .map(
              ({ column, parent }) =>
                `${column} IN (SELECT id FROM ${parent} WHERE ${conditionOf(parent)})`,
            )
            .join(' OR ');
    const compared = DECLARED.filter((name) => !(name in NOT_COMPARED));
    return new Map(
      compared
        .map((name) => [name, conditionOf(name)] as const)
        .filter(([, condition]) => condition !== ''),
    );
  };
  /** All rows of the target workspace, without times of use. */
  const everything = async (): Promise<string> => {
    const tables = await Promise.all(
      [...(await ownedTables())].map(([table, isOwned]) =>
        service.database.query(
          `SELECT to_jsonb(t) - 'last_used_at' - 'opened_at' AS row FROM ${table} AS t
            WHERE ${isOwned} ORDER BY to_jsonb(t)::text`,
          [targetWorkspace],
        ),
      ),
    );
    const others = await service.database.query(
      `SELECT to_jsonb(w) AS workspace, (
          SELECT jsonb_agg(to_jsonb(a) ORDER BY a.id) FROM accounts AS a
            JOIN workspace_members AS m ON m.account_id = a.id WHERE m.workspace_id = w.id
        ) AS users FROM workspaces AS w WHERE id = $1`,
      [targetWorkspace],
    );
    return JSON.stringify([tables, others]);
  };
  /** The parts of a response that reveal target records beyond the request itself. */
  const leaksIn = (
    request: FuzzRequest,
    { headers, body }: RawAnswer,
    secrets: readonly string[],
  ): string[] => {
    const said = [...headers].map(([name, values]) => `${name}: ${values.join()}`).join('\n');
    const told = said + body.toString('utf8');
    const sent = fillIn(JSON.stringify(request), words);
    return secrets.filter((one) => one !== '' && told.includes(one) && !sent.includes(one));
  };

  it('are in the tables that are compared, or the table has a reason', async () => {
    const compared = [...(await ownedTables()).keys(), ...Object.keys(NOT_COMPARED)];
    expect(compared.sort()).toEqual([...DECLARED].sort());
  });

  const ids = (...names: string[]): string[] => names.map((name) => words[name] ?? '');
  /** Whether a response is only a refusal or a redirect to the sign-in. */
  const isRefusal = ({ status, headers }: RawAnswer): boolean =>
    [401, 403, 404].includes(status) ||
    (status === 303 && (headers.get('location')?.[0] ?? '').startsWith('/settings/sign-in?'));
  /** The same request about missing records: their existence must not be revealed either. */
  const ABOUT_NOTHING: Words = Object.fromEntries(
    [
      ...['photo', 'second', 'trashed', 'project', 'share', 'spareShare', 'spareGuest'],
      ...['open', 'done', 'sending', 'comment', 'invitation', 'grant', 'webhook'],
    ].map((name) => [`own.${name}`, `there-is-no-such-${name}`]),
  );

  const attack = async (
    attacker: Words,
    requests: readonly FuzzRequest[],
    secrets: readonly string[],
    {
      known,
      mayRead = false,
    }: {
      /** A record whose id the attacker has. */
      readonly known?: string;
      /** Whether some requests are about own records, and need not be refused. */
      readonly mayRead?: boolean;
    } = {},
  ): Promise<void> => {
    const before = await everything();
    for (const request of requests) {
      const name = `${request.method} ${request.path} ${request.form?.join('&') ?? ''}`;
      const answer = await askAs(request, attacker);
      expect([name, leaksIn(request, answer, secrets)]).toEqual([name, []]);
      expect([name, answer.status < 500]).toEqual([name, true]);
      // Ids of computers are separate for each user.
      const isOwn = request.path.startsWith('/api/v1/devices/');
      if (!mayRead && !isOwn && routeOf(request)?.path.includes(':id') === true) {
        expect([name, answer.status, isRefusal(answer)]).toEqual([name, answer.status, true]);
        const isKnown = known !== undefined && request.path.includes(known);
        const nothing = await askAs(request, { ...attacker, ...(!isKnown && ABOUT_NOTHING) });
        expect([name, answer.status]).toEqual([name, nothing.status]);
      }
    }
    expect(await everything()).toBe(before);
  };

  const allSecrets = (): string[] => [
    MARK,
    ...ids(
      'own.photo',
      'own.second',
      'own.film',
      'own.document',
      'own.trashed',
      'own.project',
      'own.invitation',
    ),
    ...ids(
      'own.share',
      'own.spareShare',
      'own.comment',
      'own.spareComment',
      'own.spareGuest',
      'own.sending',
      'own.webhook',
    ),
    ...ids(
      'own.account',
      'mate.account',
      'workspace.own',
      'app.id',
      'share.token',
      'own.spareToken',
    ),
  ];

  describe('are neither shown nor changed', () => {
    // @threat L6
    it('for the owner of another workspace', async () => {
      const elsewhere = await addWorkspace(service, 'South Agency');
      const outsider = await addUser(service, { [elsewhere]: 'owner' });
      await attack(await asUser(outsider, elsewhere), REQUESTS, allSecrets());
    });

    it.each(['workspace.own', 'own.photo', 'own.project', 'mate.account'])(
      'for the owner of another workspace with one own id in the request: %s',
      async (word) => {
        const elsewhere = await addWorkspace(service, 'East Agency');
        const outsider = await addUser(service, { [elsewhere]: 'owner' });
        const newBrowser = (): TestBrowser => new TestBrowser(service.baseUrl);
        const theirs = await ownedRecordsOf(service, {
          ...{ user: outsider, workspaceId: elsewhere, mark: 'Loud', newBrowser },
        });
        const requests = REQUESTS.filter((request) =>
          JSON.stringify(request).includes(`{{${word}}}`),
        );
        const attacker = await asUser(outsider, elsewhere);
        const mixed = { ...attacker, [word]: theirs[word] ?? '' };
        await attack(mixed, requests, allSecrets(), { mayRead: true });
      },
    );

    it('for a former owner with open pages', async () => {
      const elsewhere = await addWorkspace(service, 'West Agency');
      const former = await addUser(service, {
        [elsewhere]: 'member',
        [targetWorkspace]: 'owner',
      });
      const before = await asUser(former, targetWorkspace);
      expect((await askAs(requestTo('/photos/{{own.photo}}'), before)).status).toBe(200);
      await service.database.transaction((transaction) =>
        revokeMembership(transaction, targetWorkspace, former.accountId),
      );
      await attack(before, REQUESTS, allSecrets());
    });

    // @threat U17
    it('for their own owner, asserted by the company of another workspace', async () => {
      const workspaceId = await addWorkspace(service, 'Hostile Agency');
      await setMember(service.database, workspaceId, targetOwner.accountId, 'owner');
      const owner = await addUser(service, { [workspaceId]: 'owner' });
      await enterProvider(service, company, { owner, workspaceId });
      await linkToCompany(service, workspaceId, targetOwner);
      const browser = await assertedByCompany(service, company, workspaceId, targetOwner);
      expect((await browser.open('/settings/developer')).text).toContain('Hostile Agency');
      const cookies = { 'settings.cookie': browser.allCookies, 'settings.csrf': browser.csrf };
      const noTokens = { 'own.access': '', 'own.all': '', 'own.pat': '' };
      const secrets = allSecrets().filter((one) => one !== words['own.account']);
      await attack({ ...words, ...cookies, ...noTokens }, REQUESTS, secrets);
    });

    it('for a user without a workspace', async () => {
      const alone = await addUser(service, {});
      await attack(await asUser(alone, targetWorkspace), REQUESTS, allSecrets());
    });

    it('for an anonymous client', async () => {
      const nobody = { 'settings.cookie': '', 'settings.csrf': '', 'own.access': '' };
      await attack({ ...words, ...nobody, 'own.all': '', 'own.pat': '' }, REQUESTS, allSecrets());
    });

    it('for another member, except what all members may see', async () => {
      const colleague = await addUser(service, { [targetWorkspace]: 'member' });
      // Members upload, report what waits, see and create projects, have their own name, and share the visible photos of a project.
      const open =
        /^(\/projects|\/settings\/account|\/api\/v1\/projects|\/settings\/developer\/tokens\/new|\/api\/v1\/uploads|\/api\/v1\/devices\/{{own.photo}}\/queue|\/photos\/uploads)$/;
      const requests = REQUESTS.filter(
        ({ method, path, query, form, body }) =>
          !open.test(path) &&
          !(method === 'GET' && path === '/projects/{{own.project}}') &&
          !(path === '/shares/new' && [...query, ...(form ?? [])].join().includes('project=')) &&
          !(path === '/api/v1/shares' && method === 'POST' && body?.includes('project') === true),
      );
      expect(requests.length).toBeGreaterThan(REQUESTS.length / 2);
      const secrets = [
        `${MARK}-`,
        ...ids(
          'own.photo',
          'own.second',
          'own.film',
          'own.document',
          'own.trashed',
          'own.invitation',
        ),
        ...ids(
          'own.share',
          'own.spareShare',
          'own.comment',
          'own.spareComment',
          'own.sending',
          'own.webhook',
        ),
        ...ids('mate.account', 'app.id', 'share.token', 'own.spareToken'),
      ];
      await attack(await asUser(colleague, targetWorkspace), requests, secrets, {
        known: 'own.project',
      });
      await service.database.query('DELETE FROM workspace_members WHERE account_id = $1', [
        colleague.accountId,
      ]);
    });
  });

  const requestTo = (path: string): FuzzRequest => {
    const found = REQUESTS.find((one) => one.method === 'GET' && one.path === path);
    if (found === undefined) throw new Error(`no request to ${path}`);
    return found;
  };

  describe('a cross-site form', () => {
    const FORMS = VALID_REQUESTS.filter(
      ({ method, form, path }) =>
        method === 'POST' &&
        form?.some((one) => /^(csrf|secret)=/.test(one)) === true &&
        // Other tests are about those of OAuth.
        routeOf({ path })?.path !== '/oauth/interaction/:id',
    );

    it('is tested for every URL that accepts a form', () => {
      const taking = SERVICE_ROUTES.filter(
        ({ kind, path, methods }) =>
          (kind === 'page' || kind === 'public-link') &&
          !path.startsWith('/oauth/') &&
          // It changes nothing, for nobody.
          path !== '/receipts/verify' &&
          // Their addresses have the proof.
          path !== '/shares/unsubscribe' &&
          path !== '/shares/confirm-replies' &&
          methods.includes('POST'),
      ).map(({ path }) => path);
      expect([...new Set(FORMS.map((form) => routeOf(form)?.path))].sort()).toEqual(
        [...new Set(taking)].sort(),
      );
    });

    // @threat P1
    it.each([
      ['without a token', () => undefined],
      ['with a made-up token', () => 'forged'],
      ["with the token of somebody else's page", (theirs: Words) => theirs['settings.csrf'] ?? ''],
    ])('%s changes nothing', async (_how, tokenOf) => {
      const elsewhere = await addWorkspace(service, 'North Agency');
      const outsider = await addUser(service, { [elsewhere]: 'owner' });
      const token = tokenOf(await asUser(outsider, elsewhere));
      const before = await everything();
      for (const form of FORMS) {
        const parts = (form.form ?? []).flatMap((one) => {
          const [, name] = /^(csrf|secret)=/.exec(one) ?? [];
          if (name === undefined) return [one];
          return token === undefined ? [] : [`${name}=${token}`];
        });
        const { status } = await askAs({ ...form, form: parts }, words);
        expect([form.path, parts, status]).toEqual([form.path, parts, 403]);
      }
      expect(await everything()).toBe(before);
    });

    it('changes nothing with a cross-site Origin and the right token', async () => {
      const before = await everything();
      for (const site of ['cross-site', 'same-site'])
        for (const form of FORMS) {
          const headers = [...form.headers, ['Sec-Fetch-Site', site] as const];
          const { status } = await askAs({ ...form, headers }, words);
          expect([form.path, status]).toEqual([form.path, 403]);
        }
      expect(await everything()).toBe(before);
    });
  });
});

/** A workspace with its owner, and the values for every request. */
async function settle(): Promise<{ targetWorkspace: string; owner: TestUser; words: Words }> {
  const targetWorkspace = await addWorkspace(service, `${MARK} studio`);
  const user = await addUser(service, { [targetWorkspace]: 'owner' });
  const newBrowser = (): TestBrowser => new TestBrowser(service.baseUrl);
  const about = { user, workspaceId: targetWorkspace, mark: MARK, newBrowser };
  const words = { ...(await ownedRecordsOf(service, about)), ...(await appsOf(service, about)) };
  return { targetWorkspace, owner: user, words };
}

async function askAs(request: FuzzRequest, words: Words): Promise<RawAnswer> {
  const { port, host } = new URL(service.baseUrl);
  const { pieces, methods, patienceMs } = toWire(request, { ...words, host, port });
  const { answers, problem } = await exchange(Number(port), pieces, methods, patienceMs);
  const [answer] = answers;
  if (answer === undefined) throw new Error(`${request.path}: ${problem ?? 'no answer'}`);
  return answer;
}

describe('the requests of the attacks', () => {
  it('succeed for the owner at every URL and method', async () => {
    const { words } = await settle();
    const wanted = SERVICE_ROUTES.filter(isOfWorkspace).flatMap(({ path, methods }) =>
      methods.filter((one) => one !== 'OPTIONS').map((one) => `${one} ${path}`),
    );
    const done = new Set<string>();
    for (const request of REQUESTS) {
      // It counts as another method than it is.
      if (request.headers.some(([name]) => name === 'X-HTTP-Method-Override')) continue;
      const { status } = await askAs(request, words);
      const { path = '' } = routeOf(request) ?? {};
      if (status < 400) done.add(`${request.method} ${path}`);
      // Every readable URL also accepts HEAD.
      if (status < 400 && request.method === 'GET') done.add(`HEAD ${path}`);
    }
    expect(wanted.filter((one) => !done.has(one))).toEqual([]);
  });
});
