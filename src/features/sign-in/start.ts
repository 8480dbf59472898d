import { AccountSwitch, type AccountSwitchOptions } from '../../account/account-switch.js';
import type { Connection } from '../../account/connection.js';
import type { Host, HostInfo } from '../../host/host.js';
import type { DeviceDetails } from '../../oauth/device-flow/authorization.js';
import { DeviceSignIn } from '../../oauth/device-flow/sign-in.js';
import { languageFor } from '../../ui/i18n/language.js';
import type { PartSources } from '../../ui/view.js';
import { CwError } from '../../util/errors.js';
import { withParameter } from '../../util/url.js';
import type { Device, DeviceIdentity } from '../device/index.js';
import type { SignInPanel } from './panel.js';

interface StartOptions extends Pick<AccountSwitchOptions, 'ownership' | 'onUnexpectedError'> {
  readonly device: Pick<Device, 'identify'>;
}

export function startSignIn(
  host: Pick<Host, 'info' | 'openInBrowser'>,
  {
    client,
    oauth,
    session,
    account,
    isOwnAddress,
  }: Pick<Connection, 'client' | 'oauth' | 'session' | 'account' | 'isOwnAddress'>,
  { device, ...options }: StartOptions,
): { readonly signIn: DeviceSignIn; readonly panel: PartSources<SignInPanel> } {
  const signIn: DeviceSignIn = new DeviceSignIn({
    ...oauth,
    session: new AccountSwitch({ session, ...options }),
    openInBrowser: (url) => host.openInBrowser(signInPage(url, host.info, signIn)),
    grantedScopes: () => account.state.get()?.scopes ?? null,
    deviceDetails: () => deviceDetails(host.info, device.identify()),
  });
  return {
    signIn,
    panel: {
      state: {
        session: session.state,
        account: account.state,
        signIn: signIn.state,
        isForAnother: { get: () => signIn.isAccountSwitch },
        requestedScope: { get: () => signIn.requestedScope },
      },
      context: {
        signIn,
        actions: {
          disconnect: async () => {
            if (signIn.isAccountSwitch) {
              signIn.cancel();
            }
            await session.disconnect();
          },
          openPage: async (address) => {
            if (!isOwnAddress(address)) {
              throw new CwError('CW-304', 'a page that is not on the service’s own origin');
            }
            await host.openInBrowser(address);
          },
          openPhotos: () => host.openInBrowser(`${client.baseUrl}/photos`),
        },
      },
    },
  };
}

function deviceDetails(
  { appName, appVersion, os, pluginVersion }: HostInfo,
  device: DeviceIdentity | null,
): DeviceDetails {
  return {
    id: device?.id ?? null,
    name: device?.name ?? null,
    app: `${appName} ${appVersion}`.trim(),
    os,
    softwareVersion: pluginVersion,
  };
}

/**
 * The address of the sign-in page with parameters of OpenID Connect Core §3.1.2.1. A service may ignore them.
 * `ui_locales`: the page's buttons have the names that the panel uses. `prompt`: for another account, the page does not
 * take the one that is signed in.
 */
function signInPage(
  url: string,
  { uiLocale }: HostInfo,
  { isAccountSwitch, requestedScope }: DeviceSignIn,
): string {
  const page = withParameter(url, 'ui_locales', languageFor(uiLocale));
  const isForAnother = isAccountSwitch && requestedScope === null;
  return isForAnother ? withParameter(page, 'prompt', 'select_account') : page;
}
