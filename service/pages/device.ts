import type { Html } from './html.js';
import { markup } from './html.js';
import { layout, problemBox } from './layout.js';

/** The page on which the person types the code that the app shows. */
export function enterCodePage(page: {
  action: string;
  xsrf: string;
  /** What was typed before, when it was not accepted. */
  code: string | undefined;
  problem: string | undefined;
}): Html {
  // `confirm` says that the person read the code off the app; typing it was the comparison.
  return layout(
    'Connect an app',
    markup`<h1>Connect an app</h1>
      <p class="soft">
        Enter the code that the app shows you. Capital letters and the dash do not matter.
      </p>
      ${problemBox(page.problem)}
      <form method="post" action="${page.action}">
        <input type="hidden" name="xsrf" value="${page.xsrf}" />
        <input type="hidden" name="confirm" value="yes" />
        <label for="user_code">Code</label>
        <input
          class="code"
          id="user_code"
          name="user_code"
          type="text"
          value="${page.code ?? ''}"
          placeholder="XXXX-XXXX"
          maxlength="40"
          autocomplete="off"
          autocapitalize="characters"
          autocorrect="off"
          spellcheck="false"
          autofocus
        />
        <button type="submit">Continue</button>
      </form>`,
  );
}

/** The page on which the person compares a code that came in a link with the one in the app. */
export function confirmCodePage(page: {
  action: string;
  xsrf: string;
  code: string;
  clientName?: string;
}): Html {
  const app = page.clientName ?? 'the app';
  return layout(
    'Compare the code',
    markup`<h1>Is this the code you see?</h1>
      <p class="soft">
        Compare it with the code in ${app}. Continue only if you asked to connect it yourself and
        both are the same.
      </p>
      <p class="big-code">${page.code}</p>
      <form method="post" action="${page.action}">
        <input type="hidden" name="xsrf" value="${page.xsrf}" />
        <input type="hidden" name="confirm" value="yes" />
        <input type="hidden" name="user_code" value="${page.code}" />
        <button type="submit">Continue</button>
      </form>
      <p class="small soft">
        Not the same? <a href="${page.action}">Enter another code</a>, or close this page.
      </p>`,
  );
}
