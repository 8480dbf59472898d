/** The only style sheet of the pages. Each page contains it, so nothing else has to be loaded. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f3f4f7; --card: #ffffff; --text: #1b1e26; --soft: #5c6370; --line: #d9dde5;
  --accent: #2f5bea; --accent-text: #ffffff; --accent-hover: #2449c4;
  --tint: #eef2ff; --bad: #b3261e; --bad-tint: #fdeeed; --good: #19713d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14161b; --card: #1e2128; --text: #eceef3; --soft: #a3aab8; --line: #363b46;
    --accent: #7d9bff; --accent-text: #10131a; --accent-hover: #9db4ff;
    --tint: #262c3d; --bad: #ffb4ab; --bad-tint: #3a2322; --good: #7fd69f;
  }
}
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; padding: 24px 16px; display: flex; flex-direction: column;
  align-items: center; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main {
  width: 100%; max-width: 420px; margin: auto 0; padding: 32px; background: var(--card);
  border: 1px solid var(--line); border-radius: 16px; box-shadow: 0 8px 30px rgb(0 0 0 / 8%);
}
.product { display: flex; align-items: center; gap: 10px; margin: 0 0 28px; color: var(--soft); font-size: 14px; font-weight: 600; }
.logo { width: 28px; height: 28px; flex: none; }
.logo rect { fill: var(--accent); }
.logo path { fill: none; stroke: var(--accent-text); stroke-width: 2.2; stroke-linecap: round; stroke-linejoin: round; }
h1 { margin: 0 0 8px; font-size: 24px; line-height: 1.25; letter-spacing: -0.01em; overflow-wrap: anywhere; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
main > :last-child { margin-bottom: 0; }
form + p { margin-top: 24px; }
.soft { color: var(--soft); }
.small { font-size: 14px; }
form { margin: 24px 0 0; }
label { display: block; margin: 0 0 6px; font-size: 14px; font-weight: 600; }
input {
  width: 100%; margin: 0 0 16px; padding: 11px 14px; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--soft); border-radius: 10px;
}
input.code { font-size: 24px; font-weight: 600; letter-spacing: 0.12em; text-align: center; text-transform: uppercase; }
input.code::placeholder { color: var(--soft); opacity: 0.55; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
input[type=radio], input[type=checkbox] { width: 18px; height: 18px; margin: 0; padding: 0; flex: none; accent-color: var(--accent); }
textarea, select {
  width: 100%; margin: 0 0 16px; padding: 11px 14px; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--soft); border-radius: 10px;
}
fieldset { margin: 0 0 16px; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin: 0 0 6px; font-size: 14px; font-weight: 600; }
label.option {
  display: flex; align-items: center; gap: 12px; margin: 0 0 8px; padding: 11px 14px; font-size: 16px; font-weight: 400;
  border: 1px solid var(--line); border-radius: 10px; overflow-wrap: anywhere;
}
label.option:has(:checked) { border-color: var(--accent); background: var(--tint); }
label.explained { align-items: flex-start; line-height: 1.35; }
label.explained > span { min-width: 0; }
label.explained strong { font-weight: 600; }
label.explained .soft { display: block; margin-top: 3px; }
button {
  width: 100%; min-height: 48px; padding: 10px 18px; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--accent-text); background: var(--accent); border: 1px solid transparent; border-radius: 10px;
  overflow-wrap: anywhere;
}
button:hover { background: var(--accent-hover); }
button.quiet { color: var(--text); background: transparent; border-color: var(--soft); }
button.quiet:hover { background: var(--tint); }
.signed-in-as p { margin: 0 0 8px; }
.signed-in-as form { margin: 0 0 16px; }
.choices { display: flex; gap: 12px; }
.wide { max-width: 800px; margin: 0 auto; }
nav { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 28px; padding: 0 0 14px; border-bottom: 1px solid var(--line); align-items: center; }
nav a { color: var(--soft); font-weight: 600; text-decoration: none; padding: 6px 0; }
nav a[aria-current] { color: var(--text); box-shadow: 0 2px 0 var(--accent); }
nav.second { gap: 4px 16px; font-size: 15px; }
h2 { margin: 32px 0 8px; font-size: 18px; line-height: 1.3; overflow-wrap: anywhere; }
p.back { margin: 0 0 12px; font-size: 14px; }
p.back a { padding: 4px 0; text-decoration: none; }
p.back a::before { content: "\\2039\\00a0"; }
ul.cards { list-style: none; margin: 16px 0; padding: 0; }
ul.cards > li { margin: 0 0 12px; padding: 16px; border: 1px solid var(--line); border-radius: 12px; }
ul.cards :is(h2, h3) { margin: 0 0 4px; font-size: 16px; overflow-wrap: anywhere; }
ul.cards p { margin: 0; }
ul.cards form { margin: 12px 0 0; }
ul.links { list-style: none; margin: 16px 0; padding: 0; border: 1px solid var(--line); border-radius: 12px; }
ul.links > li + li { border-top: 1px solid var(--line); }
ul.links a { display: flex; align-items: center; justify-content: space-between; gap: 12px; padding: 14px 16px; color: inherit; font-weight: 600; text-decoration: none; border-radius: 12px; }
ul.links a:hover { background: var(--tint); }
ul.links a::after { content: ""; flex: none; width: 8px; height: 8px; border: solid var(--soft); border-width: 2px 2px 0 0; rotate: 45deg; }
button.small { width: auto; min-height: 40px; padding: 6px 14px; font-size: 14px; }
button.danger { color: var(--bad); background: transparent; border-color: var(--bad); }
button.danger:hover { background: var(--bad-tint); }
:is(a, summary, label).button {
  display: inline-block; padding: 10px 18px; font-weight: 600; text-decoration: none; border-radius: 10px;
  color: var(--accent-text); background: var(--accent);
}
:is(a, summary, label).button.small { padding: 8px 14px; font-size: 14px; line-height: 22px; }
:is(a, summary, label).button.quiet { color: var(--text); background: transparent; border: 1px solid var(--soft); }
a.button.danger { color: var(--bad); background: transparent; border: 1px solid var(--bad); }
a.button.danger:hover { background: var(--bad-tint); }
.capital::first-letter { text-transform: uppercase; }
:is(form, div).fields { display: flex; flex-wrap: wrap; gap: 12px; align-items: end; margin: 0 0 16px; }
h1 + form.fields { margin-top: 16px; }
:is(form, div).fields > div { flex: 1 1 180px; min-width: 0; }
:is(form, div).fields :is(input, select, button) { height: 48px; margin: 0; }
:is(form, div).fields > a { padding: 11px 0; }
ul.rows { list-style: none; margin: 0 0 16px; padding: 0; border-top: 1px solid var(--line); }
ul.rows > li { display: flex; gap: 14px; padding: 12px 0; border-bottom: 1px solid var(--line); }
ul.rows > li > div { flex: 1; min-width: 0; }
ul.rows :is(h2, h3, p) { margin: 0; }
ul.rows :is(h2, h3) { font-size: 16px; overflow-wrap: anywhere; }
ul.rows p.pager { margin-top: 8px; }
ul.rows h2 a { color: inherit; }
ul.rows form { margin: 8px 0 0; }
ul.waiting { list-style: none; margin: 0 0 12px; padding: 0; overflow-wrap: anywhere; }
form.several { margin: 0; }
ul.gallery { list-style: none; margin: 0 0 16px; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(130px, 1fr)); gap: 20px 16px; }
ul.gallery > li { min-width: 0; }
ul.gallery img { display: block; width: 100%; aspect-ratio: 1; margin: 0 0 8px; object-fit: cover; border-radius: 10px; }
ul.gallery > li:only-child { grid-column: 1 / -1; max-width: 320px; }
ul.gallery > li:only-child img { aspect-ratio: auto; object-fit: contain; }
ul.gallery p { margin: 0 0 4px; }
ul.gallery a { display: block; padding: 8px 6px; text-align: center; overflow-wrap: anywhere; }
.tile { width: 56px; height: 56px; flex: none; object-fit: cover; border-radius: 10px; }
.tile.large { display: block; width: auto; height: auto; min-width: 56px; max-width: 100%; max-height: 240px; margin: 16px 0; }
.pager { display: flex; flex-wrap: wrap; gap: 12px; }
.good { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; margin: 0 0 24px; padding: 12px 14px; color: var(--good); background: var(--tint); border-radius: 10px; }
.good :is(p, form) { margin: 0; }
.notice { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; justify-content: space-between; margin: 0 0 24px; padding: 12px 14px; background: var(--tint); border: 1px solid var(--line); border-radius: 10px; overflow-wrap: anywhere; }
.notice ul { flex: 1 1 100%; min-width: 0; margin: 0; padding: 0; list-style: none; }
.notice :is(ul:not(:has(> li + li)), li:only-child) { display: contents; }
.notice li:not(:only-child) { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; }
.notice li + li { margin-top: 10px; padding-top: 10px; border-top: 1px solid var(--line); }
.notice li > div { flex: 1 1 160px; min-width: 0; }
.notice :is(p, form) { margin: 0; }
.state { display: flex; gap: 8px; }
.state::before { content: ""; flex: none; width: 8px; height: 8px; margin-top: 0.45em; border-radius: 50%; background: var(--soft); }
.state.is-good::before { background: var(--good); }
.state.is-bad::before { background: var(--bad); }
.card-actions { display: flex; flex-wrap: wrap; gap: 8px 12px; margin: 12px 0 0; }
ul.cards .card-actions > form { margin: 0; }
.card-actions > details[open] { flex: 1 1 100%; }
.card-actions summary { list-style: none; cursor: pointer; }
.card-actions summary::-webkit-details-marker { display: none; }
.secret { display: block; padding: 12px 14px; background: var(--tint); border-radius: 10px; overflow-wrap: anywhere; user-select: all; }
.narrow p > a.button { display: block; padding: 11px 18px; text-align: center; }
.problem { padding: 12px 14px; color: var(--bad); background: var(--bad-tint); border-radius: 10px; }
.problem p { margin: 0 0 4px; }
.problem p:last-child { margin: 0; }
.box { margin: 0 0 16px; padding: 14px 16px; background: var(--tint); border-radius: 10px; }
.box p:last-child { margin: 0; }
.big-number { margin: 20px 0; padding: 14px 0; background: var(--tint); border-radius: 14px; font: 600 72px/1.1 system-ui, sans-serif; font-variant-numeric: tabular-nums; letter-spacing: 0.04em; text-align: center; }
.big-code { margin: 20px 0; font: 600 30px/1.2 ui-monospace, "SF Mono", Menlo, Consolas, monospace; letter-spacing: 0.08em; text-align: center; }
dl { margin: 20px 0; border-top: 1px solid var(--line); }
dt { padding-top: 12px; color: var(--soft); font-size: 14px; }
dd { margin: 0; padding-bottom: 12px; border-bottom: 1px solid var(--line); font-weight: 600; overflow-wrap: anywhere; }
dd p { margin: 0; font-size: 14px; font-weight: 400; }
dd ul { margin: 0; padding-left: 20px; font-weight: 400; }
a { color: var(--accent); }
.mark { width: 56px; height: 56px; margin: 0 0 16px; }
.mark circle { fill: var(--tint); }
.mark path { fill: none; stroke: var(--good); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
.mark.bad path { stroke: var(--bad); }
code { font: 600 0.95em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
footer { width: 100%; max-width: 420px; padding: 16px 0 0; }
footer form { display: flex; flex-wrap: wrap; justify-content: center; align-items: center; gap: 8px; margin: 0; }
footer label { margin: 0; color: var(--soft); font-weight: 400; }
footer select { width: auto; max-width: 100%; min-height: 40px; margin: 0; padding: 6px 10px; font-size: 14px; }
@media (min-width: 481px) {
  .wide button { width: auto; }
  .wide form > :is(select, input:not([type=url], [type=hidden], [hidden])) { display: block; max-width: 440px; }
  :is(form, div).fields > div:has(> button) { flex: none; }
  ul.cards > li:has(> form:last-child) { display: grid; grid-template-columns: 1fr auto; gap: 0 16px; }
  ul.cards > li > form:last-child { grid-column: 2; grid-row: 1 / span 9; align-self: center; margin: 0; }
}
@media (max-width: 480px) {
  .notice { justify-content: flex-start; }
  ul.rows > li:has(> form) { display: block; }
  body { padding: 0; background: var(--card); }
  main { max-width: none; margin: 0; padding: 24px 20px; border: 0; border-radius: 0; box-shadow: none; }
  footer { margin-top: auto; padding: 16px 20px 24px; }
  nav { gap: 4px 14px; font-size: 15px; }
}
`;
