import { X509Certificate, createPrivateKey } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../errors.js';
import { flushFolder, replaceFile } from '../fsync.js';
import type { Pems } from './issue-certificate.js';

/** The key and certificates of a TLS server as PEM, and what its clients have to trust. */
export interface ServiceCertificate {
  readonly key: string;
  /** The server's certificate, then that of the authority that issued it. */
  readonly chain: string;
  /** Path of the authority's certificate, which users add to the trust store of their system. */
  readonly authorityFile: string;
}

/** The names and addresses by which a machine reaches itself. The certificate is valid for no others. */
const NAMES = ['localhost'];
const ADDRESSES = ['127.0.0.1', '::1'];

const DAY_MS = 86_400_000;
/** A start replaces a certificate that is valid for no longer than this, in milliseconds. */
const RENEW_BEFORE_MS = 14 * DAY_MS;

/**
 * Returns the certificate in `<dataDir>/tls`. It makes one at the first use, and a new one when the certificate has
 * expired or will expire soon, or when the files do not match.
 *
 * The server's certificate is issued by a separate authority, because UXP documents that self-signed certificates fail
 * for XMLHttpRequest. The authority's key is never written to a file, and is not kept in memory. So even with access to
 * all files, no other trusted certificate can be issued.
 */
export async function loadCertificate(dataDir: string, now: Date): Promise<ServiceCertificate> {
  const folder = path.join(dataDir, 'tls');
  const files = {
    key: path.join(folder, 'server-key.pem'),
    server: path.join(folder, 'server-certificate.pem'),
    authority: path.join(folder, 'authority-to-trust.pem'),
  };
  let pems = await readPems(files);
  if (pems === undefined || !isGood(pems, now)) {
    // Loaded only when it is needed: the library changes the global `Reflect`.
    const { issueCertificate } = await import('./issue-certificate.js');
    pems = await issueCertificate(now, { hosts: NAMES, addresses: ADDRESSES });
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o700);
    await replaceFile(files.key, pems.key, 0o600);
    await replaceFile(files.server, pems.server, 0o644);
    await replaceFile(files.authority, pems.authority, 0o644);
    // Users add this authority to their trust store, so it must survive a power loss.
    await flushFolder(folder);
    await flushFolder(dataDir);
  }
  return { key: pems.key, chain: pems.server + pems.authority, authorityFile: files.authority };
}

async function readPems(files: Pems): Promise<Pems | undefined> {
  try {
    const [key, server, authority] = await Promise.all(
      [files.key, files.server, files.authority].map((file) => readFile(file, 'utf8')),
    );
    return key !== undefined && server !== undefined && authority !== undefined
      ? { key, server, authority }
      : undefined;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

function isGood(pems: Pems, now: Date): boolean {
  try {
    const server = new X509Certificate(pems.server);
    const authority = new X509Certificate(pems.authority);
    return (
      server.checkPrivateKey(createPrivateKey(pems.key)) &&
      server.checkIssued(authority) &&
      server.verify(authority.publicKey) &&
      NAMES.every((name) => server.checkHost(name) !== undefined) &&
      ADDRESSES.every((address) => server.checkIP(address) !== undefined) &&
      Date.parse(server.validFrom) <= now.getTime() &&
      Date.parse(server.validTo) > now.getTime() + RENEW_BEFORE_MS
    );
  } catch {
    return false; // the files were damaged, or are not ours
  }
}
