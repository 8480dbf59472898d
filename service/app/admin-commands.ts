import { MEMBER_EVENTS } from '../workspace/index.js';
import { randomBytes } from 'node:crypto';
import {
  createAccount,
  createWorkspace,
  setPassword,
  revokeAccess,
  revokeMembership,
  Invitations,
  MAX_INVITATIONS,
  giveRole,
  lockWorkspace,
  MAX_NAME_LENGTH,
  validateName,
  usernameProblem,
  PasswordChanges,
  endBrowserSessionsOf,
  removeAuthenticatorApp,
  removePasskeys,
  removeRecoveryCodes,
  type Role,
  SECOND_FACTOR_EVENTS,
  INVITATION_EVENTS,
  ACCOUNT_EVENTS,
} from '../identity/index.js';
import { foldUsername } from '../kernel/typed-text.js';
import { copyFiles, type CopyDeps } from './copy-files.js';
import { deleteAccount } from './delete-account.js';
import type { Database, Queryable } from '../kernel/database/database.js';
import { UnavailableError } from '../kernel/errors.js';
import type { Message } from '../kernel/i18n/message.js';
import { formatEnglish, Translator } from '../kernel/i18n/translator.js';
import { linkTo, PEOPLE_PATHS } from '../site/addresses/people-paths.js';
import { readMailAddress } from '../kernel/mail/mail-address.js';
import { MailError, type MailTransport } from '../kernel/mail/mail-transport.js';
import { layoutMail } from '../kernel/mail/mail-layout.js';
import { appendEvent } from './events.js';
import type { EventDeclaration, NewEvent } from '../kernel/events/event.js';
import { rotateReceiptKey } from '../delivery/index.js';
import type { FilesToCopy, UploadStorage } from '../library/index.js';

/** A command that cannot run. The message is one line for the operator. */
export class UsageError extends Error {}

/** The dependencies of the commands. */
export interface AdminContext {
  readonly database: Database;
  /** Opens the storage in which the service keeps the bytes of uploads. */
  readonly storage: () => Promise<UploadStorage>;
  /** Waits until a running service has most likely answered the requests that it is working on. */
  readonly settle: () => Promise<void>;
  /** Sends mail; undefined without the setting. */
  readonly mail?: MailTransport | undefined;
  /** For the copy of files into a bucket; undefined without the setting. */
  readonly copying?: Copying | undefined;
  /** The public origin of the service, for the printed links. */
  readonly baseUrl: string;
}

/** The dependencies of a copy. */
interface Copying extends Pick<CopyDeps, 'report' | 'wait'> {
  /** Opens the folder and the bucket; undefined when there is no folder. */
  readonly open: () => Promise<FilesToCopy | undefined>;
}

interface Command {
  /** How many arguments the command takes, at least and at most. */
  readonly args: readonly [least: number, most: number];
  /** The command's flags, without dashes. */
  readonly flags?: readonly string[];
  /** Checks the arguments without a database. @returns one sentence about the problem, or undefined. */
  readonly problem?: (args: readonly string[]) => string | undefined;
  /** @returns the text to print. @throws {UsageError} when the command cannot be run. */
  run(context: AdminContext, args: readonly string[], flags: ReadonlySet<string>): Promise<string>;
}

export const HELP = `Manages the users and workspaces of the Creative Workspace Service.

Usage: npm run service:admin -- COMMAND [--data DIR]

  list                                 workspaces and their users
  add-user USERNAME "DISPLAY NAME"     prints a generated password
  add-workspace "NAME"
  invite "WORKSPACE" owner|member      prints an invitation link for one user, valid for 7 days; users
                                       without an account create one there
  set-role USERNAME "WORKSPACE" owner|member
  remove-from-workspace USERNAME "WORKSPACE"   ends apps and tokens there; uploads stay
  reset-password USERNAME              prints a new password and signs out every browser; connected
                                       apps and personal access tokens stay
  reset-link USERNAME                  prints a link to choose a new password, valid once, for an hour;
                                       its use signs out every browser
  end-sessions USERNAME                signs out every browser, disconnects every app and revokes every
                                       personal access token; the password stays
  remove-second-factor USERNAME        removes passkeys, authenticator app and recovery codes; the
                                       password stays
  remove-user USERNAME                 removes the account; refused while it has uploads, unless
                                       --with-uploads removes these too
  copy-to-s3                           copies all files from the data folder into S3_BUCKET; run it
                                       again after an interruption; the folder stays as it is
  send-test-mail ADDRESS               sends a mail with the settings SMTP_URL and MAIL_FROM
  rotate-receipt-key                   signs new receipts with a new key; earlier receipts stay valid

It uses DATABASE_URL, or else the database in the data folder (default ./data). With DATABASE_URL changes take
effect at once in every process. Stop a service that uses the data folder first. Give --data or S3_BUCKET as for
the service. Printed links begin with --base-url (default http://localhost:8780).
`;

const COMMANDS: Readonly<Record<string, Command>> = {
  list: { args: [0, 0], run: ({ database }) => list(database) },
  'add-user': {
    args: [1, 2],
    problem: ([username = '', displayName = username]) =>
      inEnglishOr(
        usernameProblem(username.trim() === username ? foldUsername(username) : username),
        problemOfName('display name', displayName),
      ),
    run: async ({ database }, [username = '', displayName = username]) => {
      if ((await find(database, 'accounts', 'username', foldUsername(username))) !== undefined) {
        throw new UsageError(`The username ${username} is taken.`);
      }
      const password = makePassword();
      await database.transaction(async (transaction) => {
        const user = { username, displayName, password };
        const accountId = await createAccount(transaction, user);
        await record(transaction, ACCOUNT_EVENTS.added, { accountId });
      });
      return `Added ${foldUsername(username)} with the password ${password}`;
    },
  },
  'add-workspace': {
    args: [1, 1],
    problem: ([name = '']) => problemOfName('name of a workspace', name),
    run: async ({ database }, [name = '']) => {
      if ((await find(database, 'workspaces', 'name', name)) !== undefined) {
        throw new UsageError(`There is already a workspace ${name}.`);
      }
      await createWorkspace(database, name);
      return `Added the workspace ${name}`;
    },
  },
  'set-role': {
    args: [3, 3],
    run: async ({ database }, [username = '', workspace = '', role = '']) => {
      const given = expectRole(role);
      const [accountId, workspaceId] = await findBoth(database, username, workspace);
      await database.transaction(async (transaction) => {
        await lockWorkspace(transaction, workspaceId);
        const [before] = await transaction.query<{ role: Role }>(
          'SELECT role FROM workspace_members WHERE workspace_id = $1 AND account_id = $2',
          [workspaceId, accountId],
        );
        await giveRole(transaction, workspaceId, accountId, given);
        if (before?.role !== given) {
          const event = before === undefined ? INVITATION_EVENTS.joined : MEMBER_EVENTS.roleChanged;
          await record(transaction, event, { workspaceId, accountId, about: { role: given } });
        }
      });
      return `${username} is ${role} of ${workspace}`;
    },
  },
  'remove-from-workspace': {
    args: [2, 2],
    run: async ({ database }, [username = '', workspace = '']) => {
      const [accountId, workspaceId] = await findBoth(database, username, workspace);
      await database.transaction(async (transaction) => {
        await lockWorkspace(transaction, workspaceId);
        const members = await transaction.query(
          'SELECT 1 FROM workspace_members WHERE workspace_id = $1 AND account_id = $2',
          [workspaceId, accountId],
        );
        await revokeMembership(transaction, workspaceId, accountId);
        if (members.length > 0) {
          await record(transaction, MEMBER_EVENTS.removed, { workspaceId, accountId });
        }
      });
      return `${username} is no longer in ${workspace}`;
    },
  },
  invite: {
    args: [2, 2],
    run: async ({ database, baseUrl }, [workspace = '', role = '']) => {
      const workspaceId = await findWorkspace(database, workspace);
      const invitations = new Invitations(database, () => new Date());
      const offered = expectRole(role);
      const made = await invitations.create(
        { workspaceId, role: offered, invitedBy: undefined },
        (transaction, invitation) =>
          record(transaction, INVITATION_EVENTS.sent, {
            workspaceId,
            about: { role: offered, invitation },
          }),
      );
      if (typeof made === 'string') {
        throw new UsageError(`It already has ${MAX_INVITATIONS} open invitations.`);
      }
      const link = linkTo(baseUrl, PEOPLE_PATHS.invitation, made.token);
      return `This link adds one user to ${visible(workspace)} as ${role}. It is valid for 7 days:\n${link}`;
    },
  },
  'rotate-receipt-key': {
    args: [0, 0],
    run: async ({ database }) => {
      await rotateReceiptKey(database);
      return 'New receipts are signed with a new key. Earlier receipts stay valid.';
    },
  },
  'copy-to-s3': {
    args: [0, 0],
    run: async ({ database, copying }) => {
      if (copying === undefined) {
        throw new UsageError('Set S3_BUCKET and the other S3_ variables of the bucket.');
      }
      const files = await copying.open();
      if (files === undefined) {
        throw new UsageError('There is no folder uploads; give --data as for the service.');
      }
      const report = (line: string): void => {
        copying.report(visible(line));
      };
      return copyToS3({ ...copying, ...files, database, report });
    },
  },
  'send-test-mail': {
    args: [1, 1],
    problem: ([address = '']) =>
      readMailAddress(address) === undefined
        ? 'The address must look like ada@example.com.'
        : undefined,
    run: async ({ mail, baseUrl }, [typed = '']) => {
      if (mail === undefined) {
        throw new UsageError('Set SMTP_URL and MAIL_FROM as for the service.');
      }
      const to = readMailAddress(typed) ?? '';
      await sendTestMail(mail, to, baseUrl);
      return `The mail server accepted a mail to ${to}.`;
    },
  },
  'reset-link': {
    args: [1, 1],
    run: async ({ database, settle, baseUrl }, [username = '']) => {
      const accountId = await findUser(database, username);
      const changes = new PasswordChanges(database, () => new Date(), settle);
      const link = linkTo(baseUrl, PEOPLE_PATHS.reset, await changes.makeReset(accountId));
      return `This link sets a new password for ${username} once. It is valid for an hour:\n${link}`;
    },
  },
  'reset-password': {
    args: [1, 1],
    run: async ({ database, settle }, [username = '']) => {
      const accountId = await findUser(database, username);
      const password = makePassword();
      await database.transaction(async (transaction) => {
        await setPassword(transaction, accountId, password);
        await endBrowserSessionsOf(transaction, accountId);
        await record(transaction, ACCOUNT_EVENTS.passwordReset, { accountId });
      });
      // Sign-ins whose old password was checked just before the change have become sessions by now: end these too.
      await settle();
      await database.transaction((transaction) => endBrowserSessionsOf(transaction, accountId));
      return `The new password of ${username} is ${password}; every browser is signed out. Apps stay connected, see end-sessions.`;
    },
  },
  'end-sessions': {
    args: [1, 1],
    run: async ({ database, settle }, [username = '']) => {
      const accountId = await findUser(database, username);
      const ended = await database.transaction(async (transaction) => {
        await record(transaction, ACCOUNT_EVENTS.accessEnded, { accountId });
        return revokeAccess(transaction, accountId);
      });
      // Sign-ins and consents in progress have become sessions and tokens by now. End these too.
      await settle();
      await database.transaction((transaction) => revokeAccess(transaction, accountId));
      return `Ended for ${username}: ${ended.browserSessions} browser sessions, ${ended.connectedApps} connected apps, ${ended.personalTokens} personal access tokens`;
    },
  },
  'remove-second-factor': {
    args: [1, 1],
    run: async ({ database }, [username = '']) => {
      const accountId = await findUser(database, username);
      const passkeys = await database.transaction(async (transaction) => {
        await removeAuthenticatorApp(transaction, accountId);
        await removeRecoveryCodes(transaction, accountId);
        await record(transaction, SECOND_FACTOR_EVENTS.removed, { accountId });
        return removePasskeys(transaction, accountId);
      });
      return `Removed the authenticator app, the recovery codes and ${passkeys} passkeys of ${username}; the password stays`;
    },
  },
  'remove-user': {
    args: [1, 1],
    flags: ['with-uploads'],
    run: async ({ database, storage, settle }, [username = ''], flags) => {
      const accountId = await findUser(database, username);
      const removed = await deleteAccount(
        { database, storage, settle },
        accountId,
        flags.has('with-uploads'),
        (transaction, workspaceId) =>
          record(transaction, MEMBER_EVENTS.removed, { workspaceId, accountId }),
      );
      if ('problem' in removed) {
        throw new UsageError(removed.problem);
      }
      const ownerless = removed.ownerless.map((name) => `\n${visible(name)} now has no owner`);
      return `Removed ${username} with ${removed.uploads} uploads${ownerless.join('')}`;
    },
  },
};

/**
 * Runs one command.
 * @param flags names of the flags that were given, without dashes.
 * @returns the text to print.
 * @throws {UsageError} when the command is unknown or cannot be run.
 */
export function runCommand(
  context: AdminContext,
  name: string,
  args: readonly string[],
  flags: ReadonlySet<string> = new Set(),
): Promise<string> {
  return commandFor(name, args, flags).run(context, args, flags);
}

/**
 * Finds the command of this name and checks its arguments and flags, without a database.
 * @throws {UsageError} when the command is unknown or does not accept these arguments or flags.
 */
export function commandFor(
  name: string,
  args: readonly string[],
  flags: ReadonlySet<string>,
): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    throw new UsageError(`There is no command ${name}; see --help.`);
  }
  const [least, most] = command.args;
  if (args.length < least) {
    throw new UsageError(`${name} needs more arguments; see --help.`);
  }
  if (args.length > most) {
    throw new UsageError(`${name} takes fewer arguments; put names with spaces in quotes.`);
  }
  const unknown = [...flags].find((flag) => command.flags?.includes(flag) !== true);
  if (unknown !== undefined) {
    throw new UsageError(`${name} has no option --${unknown}.`);
  }
  const problem = command.problem?.(args);
  if (problem !== undefined) {
    throw new UsageError(problem);
  }
  return command;
}

/** Records what the operator did, for the user and the owners of their workspaces. Call it in the transaction of the change. */
function record(
  transaction: Queryable,
  declaration: EventDeclaration,
  { workspaceId, accountId, about = {} }: Partial<NewEvent>,
): Promise<void> {
  const happenedAt = new Date();
  return appendEvent(transaction, {
    ...{ happenedAt, declaration, workspaceId, accountId, by: undefined, about },
  });
}

async function list(database: Queryable): Promise<string> {
  const workspaces = await database.query<{ name: string; users: string | null }>(
    `SELECT workspaces.name, string_agg(accounts.username || ' (' || role || ')', ', '
                                        ORDER BY accounts.username) AS users
       FROM workspaces
       LEFT JOIN workspace_members ON workspace_members.workspace_id = workspaces.id
       LEFT JOIN accounts ON accounts.id = workspace_members.account_id
      GROUP BY workspaces.id ORDER BY workspaces.name`,
  );
  const others = await database.query<{ username: string }>(
    `SELECT username FROM accounts
      WHERE NOT EXISTS (SELECT 1 FROM workspace_members WHERE account_id = accounts.id)
      ORDER BY username`,
  );
  return [
    ...workspaces.map(({ name, users }) => `${visible(name)}: ${visible(users ?? 'no users')}`),
    ...(others.length === 0
      ? []
      : [`In no workspace: ${visible(others.map(({ username }) => username).join(', '))}`]),
  ].join('\n');
}

/** The key of the advisory lock of a copy: any number that nothing else in this database uses as a key. */
const COPY_LOCK = 7_310_528_647;

/**
 * Runs `work` unless another process copies. A database in the data folder has one process at a time.
 * @throws {UsageError} when another process copies
 */
async function whileNoneCopies<T>(database: Database, work: () => Promise<T>): Promise<T> {
  if (!database.isShared) {
    return work();
  }
  return database.transaction(
    async (transaction) => {
      const [row] = await transaction.query<{ taken: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1) AS taken',
        [COPY_LOCK],
      );
      if (row?.taken !== true) {
        throw new UsageError('Another copy is running. Wait until it has ended.');
      }
      return work();
    },
    { noTimeout: true },
  );
}

async function copyToS3(deps: CopyDeps): Promise<string> {
  try {
    const { copied, failed, removed, unfinished } = await whileNoneCopies(
      deps.database,
      async () => {
        await deps.bucket.check();
        return copyFiles(deps);
      },
    );
    if (failed > 0) {
      throw new UsageError(
        `Copied ${copied} files. ${failed} files are missing or damaged, see above; all others are in the bucket.`,
      );
    }
    return [
      `Copied ${copied} files. All files are in the bucket.`,
      ...(removed > 0 ? [`Removed the copies of ${removed} uploads that were deleted.`] : []),
      ...(unfinished > 0
        ? [`${unfinished} uploads are not finished. In the bucket they begin at their first byte.`]
        : []),
    ].join('\n');
  } catch (error) {
    if (error instanceof UnavailableError) {
      throw new UsageError(`Stopped, because ${error.reason}. Run it again to go on.`);
    }
    throw error;
  }
}

async function sendTestMail(mail: MailTransport, to: string, baseUrl: string): Promise<void> {
  const content = {
    subject: 'Test of Creative Workspace',
    paragraphs: [`The service at ${baseUrl} can send mail.`],
    advice: 'An administrator of the service sent this test.',
  };
  try {
    await mail.send({ to, ...layoutMail(new Translator('en'), content) });
  } catch (error) {
    if (error instanceof MailError) {
      throw new UsageError(`Nothing was sent: ${error.message}.`);
    }
    throw error;
  }
}

function makePassword(): string {
  return randomBytes(15).toString('base64url');
}

function problemOfName(what: string, name: string): string | undefined {
  const problem = validateName(name, MAX_NAME_LENGTH);
  return problem && `The ${what} ${formatEnglish(problem)}.`;
}

/** A stored text for a terminal: invisible characters, and those that control the terminal, appear as escapes. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

async function find(
  database: Queryable,
  table: 'accounts' | 'workspaces',
  column: 'username' | 'name',
  value: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ id: string }>(
    `SELECT id FROM ${table} WHERE ${column} = $1 ORDER BY created_at`,
    [value],
  );
  return row?.id;
}

async function findUser(database: Queryable, username: string): Promise<string> {
  const accountId = await find(database, 'accounts', 'username', foldUsername(username));
  if (accountId === undefined) {
    throw new UsageError(`There is no user ${visible(username)}.`);
  }
  return accountId;
}

async function findBoth(
  database: Queryable,
  username: string,
  workspace: string,
): Promise<[accountId: string, workspaceId: string]> {
  const accountId = await findUser(database, username);
  return [accountId, await findWorkspace(database, workspace)];
}

async function findWorkspace(database: Queryable, workspace: string): Promise<string> {
  const workspaceId = await find(database, 'workspaces', 'name', workspace);
  if (workspaceId === undefined) {
    throw new UsageError(`There is no workspace ${visible(workspace)}.`);
  }
  return workspaceId;
}

function expectRole(role: string): Role {
  if (role !== 'owner' && role !== 'member') {
    throw new UsageError('A role is owner or member.');
  }
  return role;
}

function inEnglishOr(problem: Message | undefined, other: string | undefined): string | undefined {
  return problem === undefined ? other : formatEnglish(problem);
}
