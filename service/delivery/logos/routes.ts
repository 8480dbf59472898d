import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { OPEN, permit } from '../../kernel/http/permission.js';
import { sendStatus } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import type { SessionGuard } from '../../identity/index.js';
import { LOGOS } from '../../site/addresses/logo-paths.js';
import { setFileHeaders, PICTURE_TYPE } from '../../library/index.js';
import { logoSetting, logoRequestBytes, type LogoSettingDeps } from './logo-setting.js';

export type LogoRoutesDeps = LogoSettingDeps & { readonly guard: SessionGuard };

/** The logos of workspaces, and the form that sets them. */
export function logoRoutes(deps: LogoRoutesDeps): Route[] {
  return [
    {
      path: LOGOS.logo(':id'),
      kind: 'public-link',
      handlers: permit(OPEN, { GET: (context) => sendLogo(deps, context) }),
    },
    deps.guard.page(LOGOS.setting, { POST: logoSetting(deps) }, logoRequestBytes),
  ];
}

/**
 * Guests of links see the logo, so no sign-in is needed. Only pages of the workspace have its address. Shared caches
 * do not keep it: they would still send a removed logo.
 */
async function sendLogo(
  { logos }: Pick<LogoSettingDeps, 'logos'>,
  { response, id }: BufferedContext,
): Promise<void> {
  const picture = await logos.picture(id);
  if (picture === undefined) {
    sendStatus(response, 404);
    return;
  }
  setFileHeaders(response);
  response.setHeader('Cache-Control', 'private, max-age=31536000, immutable');
  response.setHeader('Content-Type', PICTURE_TYPE);
  response.setHeader('Content-Length', picture.length);
  response.end(picture);
}
