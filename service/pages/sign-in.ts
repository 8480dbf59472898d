import type { DemoAccount } from '../accounts/demo.js';
import { markup, type Html } from './html.js';
import { page, problemBox, type Page } from './layout.js';
import type { Sentence } from './sentence.js';
import type { Speech } from './speech.js';

/** The sign-in page. It posts to its own address. */
export function signInPage(about: {
  csrf: string;
  /** What the sign-in is for, after the heading. */
  purpose: Sentence;
  /** The username that was typed before and not accepted; empty for none. */
  username: string;
  problem: Sentence | undefined;
  demo: DemoAccount | undefined;
}): Page {
  const focusPassword = about.username !== '';
  return page(
    'signIn',
    (speech) =>
      markup`<h1>${speech.text('signIn')}</h1>
        <p class="soft">${speech.tell(about.purpose)}</p>
        ${problemBox(speech, about.problem)} ${about.demo && demoBox(speech, about.demo)}
        <form method="post">
          <input type="hidden" name="csrf" value="${about.csrf}" />
          <label for="username">${speech.text('username')}</label>
          <input
            id="username"
            name="username"
            type="text"
            value="${about.username}"
            autocomplete="username"
            autocapitalize="none"
            autocorrect="off"
            spellcheck="false"
            required${focusPassword ? undefined : markup` autofocus`}
          />
          <label for="password">${speech.text('password')}</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            required${focusPassword ? markup` autofocus` : undefined}
          />
          <button type="submit">${speech.text('signIn')}</button>
        </form>`,
  );
}

function demoBox(speech: Speech, demo: DemoAccount): Html {
  return markup`<div class="box small">
    <p>
      ${speech.html('demoAccount', {
        username: markup`<code>${demo.username}</code>`,
        password: markup`<code>${demo.password}</code>`,
      })}
    </p>
  </div>`;
}
