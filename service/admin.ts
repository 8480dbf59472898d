import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createAccount, createWorkspace, removeMember, setMember } from './accounts/accounts.js';
import type { Database, Queryable } from './database/database.js';
import { lockFolder } from './database/folder-lock.js';
import { migrate } from './database/migrate.js';
import { openEmbeddedDatabase } from './database/pglite.js';
import { openPostgresDatabase } from './database/postgres.js';
import { optionsFromEnvironment } from './environment.js';
import { ServiceStartError } from './errors.js';

const HELP = `Adds people and workspaces to the Creative Workspace Service.

Usage: npm run service:admin -- COMMAND [--data DIR]

  add-person USERNAME "DISPLAY NAME"   prints a password made for them
  add-workspace "NAME"
  set-role USERNAME "WORKSPACE" owner|member
  remove-from-workspace USERNAME "WORKSPACE"
  list                                 workspaces and their people

It works on DATABASE_URL, or else on the database in the data folder (default ./data); a service that
runs on that folder must be stopped first.
`;

/** A wrong command line; the message is one line for people. */
class UsageError extends Error {}

type Command = (database: Queryable, args: readonly string[]) => Promise<string>;

const COMMANDS: Readonly<Record<string, Command>> = {
  'add-person': async (database, [username = '', displayName = username]) => {
    if (!/^[a-z0-9][a-z0-9._@-]{1,63}$/i.test(username)) {
      throw new UsageError('A username is 2 to 64 letters, digits, dots, dashes, underscores, @.');
    }
    if ((await find(database, 'accounts', 'username', username.toLowerCase())) !== undefined) {
      throw new UsageError(`There is a person ${username} already.`);
    }
    const password = randomBytes(15).toString('base64url');
    await createAccount(database, { username, displayName, password });
    return `Added ${username.toLowerCase()} with the password ${password}`;
  },
  'add-workspace': async (database, [name = '']) => {
    if (name.trim() === '') throw new UsageError('Give the workspace a name.');
    if ((await find(database, 'workspaces', 'name', name)) !== undefined) {
      throw new UsageError(`There is a workspace ${name} already.`);
    }
    await createWorkspace(database, name);
    return `Added the workspace ${name}`;
  },
  'set-role': async (database, [username = '', workspace = '', role = '']) => {
    if (role !== 'owner' && role !== 'member') throw new UsageError('A role is owner or member.');
    const [accountId, workspaceId] = await findBoth(database, username, workspace);
    await setMember(database, workspaceId, accountId, role);
    return `${username} is ${role} of ${workspace}`;
  },
  'remove-from-workspace': async (database, [username = '', workspace = '']) => {
    const [accountId, workspaceId] = await findBoth(database, username, workspace);
    await removeMember(database, workspaceId, accountId);
    return `${username} is no longer in ${workspace}`;
  },
  list: async (database) => {
    const rows = await database.query<{ name: string; people: string | null }>(
      `SELECT workspaces.name, string_agg(accounts.username || ' (' || role || ')', ', '
                                          ORDER BY accounts.username) AS people
         FROM workspaces
         LEFT JOIN workspace_members ON workspace_members.workspace_id = workspaces.id
         LEFT JOIN accounts ON accounts.id = workspace_members.account_id
        GROUP BY workspaces.id ORDER BY workspaces.name`,
    );
    return rows.map(({ name, people }) => `${name}: ${people ?? 'nobody'}`).join('\n');
  },
};

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

async function findBoth(
  database: Queryable,
  username: string,
  workspace: string,
): Promise<[accountId: string, workspaceId: string]> {
  const accountId = await find(database, 'accounts', 'username', username.toLowerCase());
  if (accountId === undefined) throw new UsageError(`There is no person ${username}.`);
  const workspaceId = await find(database, 'workspaces', 'name', workspace);
  if (workspaceId === undefined) throw new UsageError(`There is no workspace ${workspace}.`);
  return [accountId, workspaceId];
}

/** Opens the database that the service would use; the function gives it back. */
async function open(dataDir: string): Promise<[Database, () => Promise<void>]> {
  const { databaseUrl } = optionsFromEnvironment(process.env);
  if (databaseUrl !== undefined) {
    const database = await openPostgresDatabase(databaseUrl, () => undefined);
    return [database, () => database.close()];
  }
  const folder = path.join(dataDir, 'database');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(path.join(dataDir, 'service.lock'), dataDir);
  const database = await openEmbeddedDatabase(folder);
  return [database, () => database.close().then(unlock)];
}

async function main(args: string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args,
    options: { data: { type: 'string' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [name, ...rest] = positionals;
  if (name === undefined || values.help === true) return HELP;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`There is no command ${name}; see --help.`);
  const [database, close] = await open(values.data ?? 'data');
  try {
    await migrate(database);
    return await command(database, rest);
  } finally {
    await close();
  }
}

try {
  process.stdout.write(`${(await main(process.argv.slice(2))).trimEnd()}\n`);
  process.exit(0);
} catch (error) {
  const known = error instanceof ServiceStartError || error instanceof UsageError;
  const message = error instanceof Error ? error.message : 'unknown error';
  process.stderr.write(`${known ? message : `That failed: ${message}`}\n`);
  process.exit(1);
}
