import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** The cost of new hashes. Each hash states its own cost, so that old hashes stay valid when this is raised. */
const COST = { N: 32_768, r: 8, p: 1 };
const KEY_BYTES = 32;

/**
 * Hashes a password with scrypt ([RFC 7914](https://www.rfc-editor.org/rfc/rfc7914)):
 * `scrypt$N$r$p$salt$key`, salt and key in base64url.
 * @param cost a cheaper one is for tests that try many passwords.
 */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, cost);
  return [
    'scrypt',
    cost.N,
    cost.r,
    cost.p,
    salt.toString('base64url'),
    key.toString('base64url'),
  ].join('$');
}

/**
 * Whether `password` is the one behind `hash`. The comparison takes the same time either way.
 * @throws {Error} when `hash` does not have the form that {@link hashPassword} gives it.
 */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const match = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(hash);
  if (match === null) {
    throw new Error('stored password hash has an unknown form');
  }
  const [, N, r, p, salt = '', key = ''] = match;
  const expected = Buffer.from(key, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url'), cost), expected);
}

/** Whether two passwords have the same normal form for hashing. Not for secrets: its running time depends on them. */
export function isSamePassword(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

/** Normalizes a text, so that different compositions of a character are equal. */
function normalized(password: string): string {
  return password.normalize('NFKC');
}

function derive(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  const maxmem = 256 * cost.N * cost.r;
  return new Promise((resolve, reject) => {
    scrypt(normalized(password), salt, KEY_BYTES, { ...cost, maxmem }, (error, key) => {
      if (error === null) {
        resolve(key);
      } else {
        reject(error);
      }
    });
  });
}
