import type { Membership, PageHandler, PageShell } from '../../identity/index.js';
import { settingsProblemPage, unavailablePage } from '../../site/error-pages.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { LOGOS } from '../../site/addresses/logo-paths.js';
import { peoplePath } from '../../site/addresses/people-paths.js';
import type { ImageWorker } from '../../library/index.js';
import { logoImage } from './logo-image.js';
import type { LogoOnPage, LogoTable } from './logo-table.js';

/** The largest file, in MB and with the rest of the form in bytes. */
const MAX_MB = 2;
const REST_BYTES = 16 * 1024;

const TOO_LARGE = message('logoTooLarge', { max: MAX_MB });

export const logoRequestBytes = {
  takesFile: true,
  maxBodyBytes: MAX_MB * 1_000_000 + REST_BYTES,
  tooLarge: TOO_LARGE,
} as const;

export interface LogoSettingDeps {
  readonly logos: LogoTable;
  readonly imageWorker: Pick<ImageWorker, 'logo'>;
}

/** Lets an owner set the logo of a workspace, or remove it. */
export function logoSetting({ logos, imageWorker }: LogoSettingDeps): PageHandler {
  return async (context) => {
    const { response, form, file, memberships } = context;
    const id = form?.get('workspace');
    const workspace = memberships.find((one) => one.id === id && one.role === 'owner');
    if (workspace === undefined) {
      sendPage(context, 403, settingsProblemPage(message('onlyOwnersLogo')));
      return;
    }
    if (form?.has('remove') === true) {
      await logos.remove(workspace.id);
      sendRedirect(response, peoplePath(workspace.id, 'saved'));
      return;
    }
    if (file === undefined || file.length === 0) {
      sendPage(context, 400, settingsProblemPage(message('chooseLogo')));
      return;
    }
    if (file.length > MAX_MB * 1_000_000) {
      sendPage(context, 413, settingsProblemPage(TOO_LARGE));
      return;
    }
    const made = await imageWorker.logo(workspace.id, file);
    if (made === 'no library') {
      sendPage(context, 503, settingsProblemPage(message('logoNoLibrary')));
    } else if (made === 'full') {
      response.setHeader('Retry-After', '60');
      sendPage(context, 503, unavailablePage());
    } else if (made === 'broken' || made.logo === undefined) {
      sendPage(context, 400, settingsProblemPage(message('logoUnreadable')));
    } else {
      await logos.set(workspace.id, made.logo);
      sendRedirect(response, peoplePath(workspace.id, 'saved'));
    }
  };
}

/** Shows the logo of a workspace; owners can change it. */
export function logoForm(
  translator: Translator,
  shell: PageShell,
  { id, name, role }: Membership,
  logo: LogoOnPage | undefined,
): Html | undefined {
  if (role !== 'owner') {
    return undefined;
  }
  const hidden = html`${csrfField(shell)}<input type="hidden" name="workspace" value="${id}" />`;
  return html`<h2>${translator.t('logo')}</h2>
    <p class="soft small">${translator.t('logoText')}</p>
    ${logo && html`<p>${logoImage(logo, name)}</p>`}
    <form method="post" action="${LOGOS.setting}" enctype="multipart/form-data">
      ${hidden}
      <label for="logo">${translator.t('logoFile')}</label>
      <input
        id="logo"
        name="logo"
        type="file"
        accept="image/png,image/jpeg,image/webp"
        required
        aria-describedby="logo-limits"
      />
      <p class="soft small" id="logo-limits">${translator.t('logoLimits', { max: MAX_MB })}</p>
      <button type="submit" class="quiet small">
        ${translator.t(logo === undefined ? 'addLogo' : 'replaceLogo')}
      </button>
    </form>
    ${
      logo === undefined
        ? undefined
        : html`<form method="post" action="${LOGOS.setting}">
            ${hidden}
            <button type="submit" name="remove" value="yes" class="quiet small">
              ${translator.t('removeLogo')}
            </button>
          </form>`
    }`;
}
