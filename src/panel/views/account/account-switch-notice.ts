import { buttonRow } from '../../dom.js';
import type { View, ViewContext } from '../../view.js';
import { notice } from '../common/notice.js';
import { endedTitle } from '../sign-in/welcome.js';

/** Shows why a sign-in to another account failed. The session is unchanged. */
export function accountSwitchNotice({ strings, signIn, button }: ViewContext): View {
  const dismiss = button('secondary', strings.dismiss, () => signIn.cancel());
  const trouble = notice(strings, [buttonRow([dismiss])]);
  return {
    root: trouble.root,
    update({ signIn, isForAnother }) {
      const error = isForAnother && signIn.kind === 'ended' ? signIn.error : null;
      trouble.error(error ? endedTitle(error.code, strings) : '', error);
    },
  };
}
