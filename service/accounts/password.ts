import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** Cost of new hashes; each hash names its own, so raising this keeps old ones valid. */
const COST = { N: 32_768, r: 8, p: 1 };
const KEY_BYTES = 32;

/** Hashes a password with scrypt (RFC 7914): `scrypt$N$r$p$salt$key`, salt and key in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COST);
  return [
    'scrypt',
    COST.N,
    COST.r,
    COST.p,
    salt.toString('base64url'),
    key.toString('base64url'),
  ].join('$');
}

/** Whether `password` is the one behind `hash`; the comparison takes the same time either way. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const match = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(hash);
  if (match === null) throw new Error('stored password hash has an unknown form');
  const [, N, r, p, salt = '', key = ''] = match;
  const expected = Buffer.from(key, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url'), cost), expected);
}

function derive(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  const maxmem = 256 * cost.N * cost.r;
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
