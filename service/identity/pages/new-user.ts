import type { IncomingMessage } from 'node:http';
import type { Accounts } from '../accounts/accounts.js';
import type { NewUser } from '../invitations/invitations.js';
import { foldTyped } from '../../kernel/typed-text.js';
import { MAX_NAME_LENGTH, validateName, usernameProblem } from '../accounts/names.js';
import type { PasswordCheck } from '../passwords/password-check.js';
import {
  newPasswordProblem,
  readPasswordEntry,
  type PasswordEntry,
} from '../passwords/password-rules.js';
import { message, type Message } from '../../kernel/i18n/message.js';

/** The entries of the form for a new account. */
export interface UserEntry extends PasswordEntry {
  readonly username: string;
  readonly displayName: string;
}

/** Reads the form for a new account. */
export function readUserEntry(form: URLSearchParams): UserEntry {
  return {
    username: foldTyped(form.get('username') ?? ''),
    displayName: (form.get('display_name') ?? '').trim(),
    ...readPasswordEntry(form),
  };
}

/** Checks the entries and hashes the password. Stores nothing. @returns the user, or the problem. */
export async function createUser(
  { accounts, passwords }: { readonly accounts: Accounts; readonly passwords: PasswordCheck },
  request: IncomingMessage,
  entry: UserEntry,
): Promise<
  | NewUser
  | {
      readonly status: number;
      readonly problem: Message;
      readonly retryAfterSeconds?: number;
    }
> {
  const { username, displayName } = entry;
  const problem = entryProblem(entry);
  if (problem !== undefined) {
    return { status: 400, problem };
  }
  if (await accounts.isTaken(username)) {
    return { status: 400, problem: message('usernameTaken') };
  }
  const made = await passwords.hash(entry.password, request);
  return 'hash' in made ? { username, displayName, passwordHash: made.hash } : made;
}

function entryProblem(entry: UserEntry): Message | undefined {
  const ofName = validateName(entry.displayName, MAX_NAME_LENGTH);
  return (
    usernameProblem(entry.username) ??
    (ofName && message('nameYourself', { problem: ofName })) ??
    newPasswordProblem(entry, entry)
  );
}
