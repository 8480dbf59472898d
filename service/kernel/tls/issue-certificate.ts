import 'reflect-metadata'; // the next import does not load without it
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { randomBytes } from 'node:crypto';

/** The key and the certificate of a server, and the certificate of the authority that issued it, as PEM. */
export interface Pems {
  readonly key: string;
  readonly server: string;
  readonly authority: string;
}

/** The names and addresses that the certificate of the server is valid for. */
export interface CertificateNames {
  readonly hosts: readonly string[];
  readonly addresses: readonly string[];
}

const DAY_MS = 86_400_000;
/** How long the certificates are valid. macOS refuses server certificates that are valid for more than 825 days. */
const LIFE_MS = 397 * DAY_MS;

/** ECDSA on P-256, which every TLS client supports. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Makes a certificate authority, and a server certificate issued by it, with the extensions that
 * [RFC 5280 §4.2](https://www.rfc-editor.org/rfc/rfc5280#section-4.2) requires. The authority's key is used once and is not
 * stored.
 */
export async function issueCertificate(now: Date, names: CertificateNames): Promise<Pems> {
  const makeKeys = (extractable: boolean): Promise<CryptoKeyPair> =>
    crypto.subtle.generateKey(ALGORITHM, extractable, ['sign', 'verify']);
  const [authorityKeys, serverKeys] = await Promise.all([makeKeys(false), makeKeys(true)]);
  const common = {
    signingAlgorithm: ALGORITHM,
    // A day ago, because the clocks of a machine and of its virtual machines may differ.
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + LIFE_MS),
  };
  const name = `CN=Creative Workspace local service ${now.toISOString().slice(0, 10)}`;
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...common,
    serialNumber: serialNumber(),
    name,
    keys: authorityKeys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const server = await X509CertificateGenerator.create({
    ...common,
    serialNumber: serialNumber(),
    subject: 'CN=localhost',
    issuer: name,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...names.hosts.map((value) => ({ type: 'dns' as const, value })),
        ...names.addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
      await SubjectKeyIdentifierExtension.create(serverKeys.publicKey),
      await AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const key = await crypto.subtle.exportKey('pkcs8', serverKeys.privateKey);
  return {
    key: `${PemConverter.encode(key, 'PRIVATE KEY')}\n`,
    server: `${server.toString('pem')}\n`,
    authority: `${authority.toString('pem')}\n`,
  };
}

/**
 * A random serial number that no other certificate has
 * ([RFC 5280 §4.1.2.2](https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.2)), in hexadecimal. Its first digit makes
 * it positive, and 16 bytes long.
 */
function serialNumber(): string {
  return `4${randomBytes(16).toString('hex').slice(1)}`;
}
