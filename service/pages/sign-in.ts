import type { DemoAccount } from '../accounts/demo.js';
import type { Html } from './html.js';
import { markup } from './html.js';
import { layout, problemBox } from './layout.js';

/** The sign-in page. It posts to its own address. */
export function signInPage(page: {
  csrf: string;
  /** What the sign-in is for, after the heading. */
  purpose: string;
  /** What was typed before, when it was not accepted. */
  username: string;
  problem: string | undefined;
  demo: DemoAccount | undefined;
}): Html {
  const focusPassword = page.username !== '';
  return layout(
    'Sign in',
    markup`<h1>Sign in</h1>
      <p class="soft">${page.purpose}</p>
      ${problemBox(page.problem)} ${page.demo && demoBox(page.demo)}
      <form method="post">
        <input type="hidden" name="csrf" value="${page.csrf}" />
        <label for="username">Username</label>
        <input
          id="username"
          name="username"
          type="text"
          value="${page.username}"
          autocomplete="username"
          autocapitalize="none"
          autocorrect="off"
          spellcheck="false"
          required${focusPassword ? undefined : markup` autofocus`}
        />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required${focusPassword ? markup` autofocus` : undefined}
        />
        <button type="submit">Sign in</button>
      </form>`,
  );
}

function demoBox(demo: DemoAccount): Html {
  return markup`<div class="box small">
    <p>
      To try it out, sign in as <code>${demo.username}</code> with the password
      <code>${demo.password}</code>.
    </p>
  </div>`;
}
