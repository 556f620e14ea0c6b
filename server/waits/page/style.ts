/** The colours are those of the editor (`editor/theme.css`). */
export const STYLE = `
:root {
  color-scheme: light dark;
  --surface: light-dark(#ffffff, #181b21);
  --surface-2: light-dark(#f6f7f9, #1f232b);
  --line: light-dark(#d8dce4, #343a46);
  --line-strong: light-dark(#868e9c, #7d8697);
  --text: light-dark(#171a21, #eceef2);
  --text-2: light-dark(#4d5564, #aab2c0);
  --accent: light-dark(#3b5bdb, #8da2fb);
  --accent-text: light-dark(#ffffff, #10131c);
  --ok: light-dark(#1b7340, #6fd193);
  --bad: light-dark(#b3261e, #ff8f87);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--surface-2); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main {
  max-width: 40rem; margin: 0 auto; min-height: 100vh; padding: 1.5rem 1rem 3rem; background: var(--surface);
  overflow-wrap: anywhere;
}
@media (min-width: 44rem) {
  main { min-height: 0; margin: 2.5rem auto; padding: 2rem; border: 1px solid var(--line); border-radius: 12px; }
}
h1 { margin: 0 0 .25rem; font-size: 1.375rem; line-height: 1.3; }
h2 { margin: 1.25rem 0 .25rem; font-size: 1.0625rem; }
p, ul, ol { margin: .5rem 0; }
a { color: var(--accent); }
.about { margin: 0 0 1rem; color: var(--text-2); font-size: .875rem; }
.state { padding: .75rem 1rem; border-left: 4px solid var(--line-strong); background: var(--surface-2); border-radius: 4px; }
.state.ok { border-color: var(--ok); }
.state.bad { border-color: var(--bad); }
pre, code { font: .875em/1.5 ui-monospace, monospace; }
pre { padding: .75rem; background: var(--surface-2); border-radius: 8px; white-space: pre-wrap; }
dl { display: grid; grid-template-columns: minmax(6rem, auto) 1fr; gap: .25rem 1rem; margin: .75rem 0; }
dt { color: var(--text-2); }
dd { margin: 0; }
form { margin-top: 1.5rem; border-top: 1px solid var(--line); padding-top: .75rem; }
.field { margin: .875rem 0; }
label { display: block; font-weight: 600; font-size: .875rem; }
.check label { display: inline; margin-left: .375rem; font-size: 1rem; font-weight: 400; }
.help { color: var(--text-2); font-size: .875rem; margin: .125rem 0 0; }
.fault { color: var(--bad); font-size: .875rem; margin: .125rem 0 0; }
input:not([type=checkbox]), textarea, select {
  width: 100%; margin-top: .25rem; padding: .5rem .625rem; border: 1px solid var(--line-strong); border-radius: 8px;
  background: var(--surface); color: inherit; font: inherit;
}
[aria-invalid=true] { border-color: var(--bad) !important; }
input[type=checkbox] { width: 1.25rem; height: 1.25rem; vertical-align: middle; accent-color: var(--accent); }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem; }
button {
  flex: 1 1 8rem; min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--line-strong); border-radius: 8px;
  background: var(--surface); color: inherit; font: inherit; font-weight: 600; cursor: pointer;
}
button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
button[hidden] { display: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
