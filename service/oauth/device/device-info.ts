import { errors, type KoaContextWithOIDC, type UnknownObject } from 'oidc-provider';
import {
  check,
  maxLength,
  minLength,
  object,
  optional,
  pipe,
  regex,
  safeParse,
  string,
} from 'valibot';
import { validateName } from '../../identity/index.js';
import type { ClientAddress } from '../../kernel/http/request/client-address.js';
import type { NumberMatch } from './number-match.js';

/** The computer that requested a code, as the app described it. It is stored with the code and ends with it. */
export interface DeviceInfo {
  /** The address that the request came from, as {@link ClientAddress} gives it. */
  readonly address: string;
  /** The app's random id for the computer. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** The app with its version, such as `Photoshop 27.1`. */
  readonly app?: string | undefined;
  readonly os?: string | undefined;
  readonly version?: string | undefined;
  /** Set once the user has allowed the app and still has to choose the number in it. */
  readonly number?: NumberMatch;
}

const text = (max: number) =>
  optional(
    pipe(
      string(),
      minLength(1),
      maxLength(max),
      check((value) => validateName(value, max) === undefined),
    ),
  );

/** The optional parameters of a device authorization request. */
const PARAMETERS = object({
  device_id: optional(pipe(string(), regex(/^[\w-]{16,64}$/))),
  device_name: text(100),
  device_app: text(60),
  device_os: text(60),
  software_version: text(40),
});

/**
 * Reads the computer from a device authorization request.
 * @throws {InvalidRequest} naming the parameter that is malformed.
 */
export function readDeviceInfo(ctx: KoaContextWithOIDC, addressOf: ClientAddress): UnknownObject {
  const read = safeParse(PARAMETERS, ctx.oidc.body ?? {}, { abortEarly: true });
  if (!read.success) {
    const name = String(read.issues[0].path?.[0].key);
    throw new errors.InvalidRequest(`${name} is malformed`);
  }
  const given = read.output;
  const info: DeviceInfo = {
    address: addressOf(ctx.req),
    id: given.device_id,
    name: given.device_name,
    app: given.device_app,
    os: given.device_os,
    version: given.software_version,
  };
  return { ...info };
}

/** The computer of a device code. Codes from before an upgrade of the service have none. */
export function deviceInfoOf({
  deviceInfo,
}: {
  readonly deviceInfo?: UnknownObject | undefined;
}): DeviceInfo {
  return { address: '', ...deviceInfo };
}
