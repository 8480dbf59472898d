import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** Cost of new hashes; each hash names its own, so raising this keeps old ones valid. */
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

/** Whether `password` is the one behind `hash`; the comparison takes the same time either way. */
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

/** Whether two passwords are one as hashing sees them. Not for secrets: the time it takes tells. */
export function isSamePassword(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

/** The same characters, whichever way a keyboard composes them. */
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
