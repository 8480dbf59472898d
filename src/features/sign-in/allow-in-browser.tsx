import type { VNode } from 'preact';
import { Button, Buttons, type ButtonKind } from '../../ui/controls.js';
import { Notice } from '../../ui/notice.js';
import type { ViewContext } from '../../ui/view.js';
import type { SignInPanel } from './panel.js';

interface AllowProps {
  readonly context: ViewContext<SignInPanel>;
  /** What the permission is for. */
  readonly words: string;
  /** The scopes that it consists of, separated by spaces. */
  readonly scope: string;
}

/** A permission that is missing, with the button that requests it in the browser. It is the content of a sheet. */
export function AllowInBrowser({
  context,
  kind = 'cta',
  words,
  scope,
}: AllowProps & { readonly kind?: ButtonKind }): VNode {
  return (
    <>
      <div class="text">{words}</div>
      <Button wide focusOrder={3} {...request(context, scope)} kind={kind} />
    </>
  );
}

/** The same as a notice among others. */
export function AllowNotice({ context, words, scope }: AllowProps): VNode {
  return (
    <Notice mark="warning" title={words}>
      <Buttons>
        <Button kind="action" {...request(context, scope)} />
      </Buttons>
    </Notice>
  );
}

function request({ strings, signIn, on }: AllowProps['context'], scope: string) {
  return {
    on,
    label: strings.openBrowser,
    press: () => {
      signIn.startForScope(scope);
    },
  };
}
