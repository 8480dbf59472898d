import {
  description,
  integer,
  maxLength,
  maxValue,
  minLength,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  regex,
  strictObject,
  string,
} from 'valibot';
import { validateName } from '../../identity/index.js';
import { tokenPermission, type BearerCheck, type Principal } from '../../oauth/index.js';
import { invalid, sendApiError } from '../../kernel/http/api-error.js';
import { permit } from '../../kernel/http/permission.js';
import { parseJson } from '../../kernel/http/request/json-body.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendStatus } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { formatEnglish } from '../../kernel/i18n/translator.js';
import { deviceQueuePath, MAX_DEVICE_NAME } from '../../site/addresses/device-paths.js';
import { QUEUE_STATES, type DeviceTable } from './device-table.js';

export interface DeviceApiDeps {
  readonly bearer: BearerCheck;
  readonly devices: DeviceTable;
  readonly now: () => Date;
}

const MAX_WAITING = 1_000_000;
/** Ten years. */
const MAX_SECONDS = 10 * 366 * 24 * 3600;

const count = (most: number) => pipe(number(), integer(), minValue(0), maxValue(most));

const REPORT = strictObject({
  device_name: pipe(
    string(),
    minLength(1),
    maxLength(MAX_DEVICE_NAME),
    description('Shown to the user and the owners'),
  ),
  waiting: count(MAX_WAITING),
  waiting_seconds: pipe(
    nullable(count(MAX_SECONDS)),
    description('How long the photo has waited that waits longest'),
  ),
  state: pipe(
    picklist(QUEUE_STATES),
    description(
      '`blocked`: the user must do something, at the computer or, for CW-606, in the workspace. For CW-620 the operator must',
    ),
  ),
  reason: pipe(
    nullable(pipe(string(), regex(/^[\w-]{1,40}$/))),
    description('A stable code, for support'),
  ),
});
const SHAPE =
  'an object with "device_name", "waiting", "waiting_seconds" (or null), "state" and "reason" (or null)';

/** The API with which apps report how many photos wait on a computer. */
export function deviceApiRoutes(deps: DeviceApiDeps): Route[] {
  return [
    {
      path: deviceQueuePath(':id'),
      kind: 'api',
      bodies: { PUT: REPORT },
      handlers: permit(tokenPermission(deps.bearer, ['uploads:write']), {
        PUT: (context, caller) => report(deps, context, caller),
      }),
    },
  ];
}

/** Answers `PUT /api/v1/devices/{id}/queue`. Ids of computers are separate for each user. */
async function report(
  { devices, now }: DeviceApiDeps,
  { request, response, body, id }: BufferedContext,
  caller: Principal,
): Promise<void> {
  const read = parseJson(request, body, REPORT, SHAPE);
  if ('refused' in read) {
    sendApiError(response, read.refused);
    return;
  }
  const { device_name: deviceName, waiting, waiting_seconds: seconds, state, reason } = read.value;
  const problem = validateName(deviceName, MAX_DEVICE_NAME);
  if (problem !== undefined || !/^[\w-]{16,64}$/.test(id)) {
    const name = problem && `the device name ${formatEnglish(problem)}`;
    sendApiError(response, invalid(name ?? 'the id must have 16 to 64 of A-Z a-z 0-9 _ -'));
    return;
  }
  await devices.report(caller, {
    ...{ deviceId: id, deviceName, waiting, state },
    // The clock of the computer may be wrong.
    waitingSince: seconds === null ? undefined : new Date(now().getTime() - seconds * 1000),
    reason: reason ?? undefined,
  });
  sendStatus(response, 204);
}
