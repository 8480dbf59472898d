import type { SessionGuard } from '../session/session-guard.js';
import type { Route } from '../../kernel/http/router.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import {
  codeSignInSection,
  codeSignInSetting,
  type CodeSignInSettingDeps,
} from './code-sign-in-setting.js';
import { secondFactorSection, secondFactorSetting } from './second-factor-setting.js';
import { personalTokenSection, personalTokenSetting } from './personal-token-setting.js';
import { companyAccountSection } from './company-account-section.js';
import { securityPage } from './security-page.js';

export type SecurityRoutesDeps = CodeSignInSettingDeps & { readonly guard: SessionGuard };

/** Settings → Security. A further section is one more entry of the list. */
export function securityRoutes(deps: SecurityRoutesDeps): Route[] {
  const { guard } = deps;
  return [
    guard.page(SETTINGS.security, {
      GET: securityPage([
        codeSignInSection(deps),
        secondFactorSection(deps),
        personalTokenSection(deps),
        companyAccountSection,
      ]),
    }),
    guard.page(SETTINGS.secondFactorPolicy, { POST: secondFactorSetting(deps) }),
    guard.page(SETTINGS.personalTokenPolicy, { POST: personalTokenSetting(deps) }),
    guard.page(SETTINGS.codeSignIn, { POST: codeSignInSetting(deps) }),
  ];
}
