/** The colours and the font are those of the editor (`editor/tokens.css`); where it is not built, pages have the font of the computer. */
export const STYLE = `
@font-face { font-family: "Inter Variable"; font-weight: 100 900; font-display: swap; src: url(/assets/inter.woff2) format("woff2"); }
:root {
  color-scheme: light dark;
  --surface: light-dark(#ffffff, #1d2128);
  --surface-2: light-dark(#f6f7f9, #16191f);
  --surface-3: light-dark(#eceff3, #2a2f39);
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
body { margin: 0; background: var(--surface-2); color: var(--text); font: 16px/1.5 "Inter Variable", ui-sans-serif, system-ui, "Segoe UI", Roboto, sans-serif; }
main {
  max-width: 40rem; margin: 0 auto; min-height: 100vh; padding: 1.5rem 1rem 3rem; background: var(--surface);
  overflow-wrap: anywhere;
}
@media (min-width: 44rem) {
  main { min-height: 0; margin: 2.5rem auto; padding: 2rem; border: 1px solid var(--line); border-radius: 10px; }
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
dd { margin: 0; min-width: 0; }
dd > :first-child { margin-top: 0; }
dd > :last-child { margin-bottom: 0; }
.rows { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; min-width: 100%; font-size: .9375rem; overflow-wrap: normal; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--text-2); font-weight: 500; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
form { margin-top: 1.5rem; border-top: 1px solid var(--line); padding-top: .75rem; }
.field { margin: .875rem 0; }
label { display: block; font-weight: 500; font-size: .875rem; }
.check label { display: inline; margin-left: .375rem; font-size: 1rem; font-weight: 400; }
.help { color: var(--text-2); font-size: .875rem; margin: .125rem 0 0; }
.fault { color: var(--bad); font-size: .875rem; margin: .125rem 0 0; }
input:not([type=checkbox]), textarea, select {
  width: 100%; margin-top: .25rem; padding: .5rem .625rem; border: 1px solid var(--line-strong); border-radius: 6px;
  background: var(--surface); color: inherit; font: inherit;
}
[aria-invalid=true] { border-color: var(--bad) !important; }
input[type=checkbox] { width: 1.25rem; height: 1.25rem; vertical-align: middle; accent-color: var(--accent); }
.drop { padding: .75rem; border: 1px dashed var(--line-strong); border-radius: 10px; background: var(--surface-2); }
.drop.over { border-color: var(--accent); border-style: solid; }
.kept { margin: .25rem 0 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
input[type=file] { padding: .375rem .5rem; }
::file-selector-button {
  margin-right: .625rem; padding: .25rem .75rem; border: 1px solid var(--line-strong); border-radius: 6px; background: var(--surface-2);
  color: inherit; font: inherit; cursor: pointer;
}
progress { width: 100%; margin-top: .75rem; accent-color: var(--accent); }
.trap { position: absolute; left: -200vw; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem; }
button {
  flex: 1 1 8rem; min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--line-strong); border-radius: 6px;
  background: var(--surface); color: inherit; font: inherit; font-weight: 500; cursor: pointer;
}
button:hover { background: var(--surface-3); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
button.main:hover { filter: brightness(1.1); }
button[hidden] { display: none; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
[hidden] { display: none !important; }
main:has(.chat) { display: flex; flex-direction: column; height: 100dvh; padding: 0; }
.chat { display: flex; flex: 1; flex-direction: column; min-height: 0; }
.chat header {
  display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .25rem 1rem;
  padding: .75rem 1rem; border-bottom: 1px solid var(--line);
}
.chat header h1 { margin: 0; font-size: 1.0625rem; }
.chat header a { font-size: .875rem; }
#log { flex: 1; min-height: 0; overflow-y: auto; padding: 1rem; }
.chat > .state { margin: 0 1rem .5rem; }
.chat form {
  display: flex; gap: .75rem; align-items: flex-end; margin: 0; padding: .75rem 1rem; border-top: 1px solid var(--line);
}
.chat textarea { flex: 1; min-width: 0; margin: 0; resize: none; }
.chat button { flex: 0 0 auto; min-height: 2.75rem; }
.said { max-width: 85%; width: fit-content; margin: 0 0 .75rem; }
.said.you { margin-left: auto; }
.who { display: block; color: var(--text-2); font-size: .75rem; }
.said.you .who { text-align: right; }
.words { padding: .5rem .75rem; border-radius: 10px; background: var(--surface-3); white-space: pre-wrap; }
.words:has(p, ul, ol, pre, h2, hr, .table, blockquote) { white-space: normal; }
.words > :first-child { margin-top: 0; }
.words > :last-child { margin-bottom: 0; }
.words:empty::after { content: '…'; }
.said .words { width: fit-content; max-width: 100%; }
.said.you .words { margin-left: auto; background: var(--accent); color: var(--accent-text); white-space: pre-wrap; }
blockquote { margin: .5rem 0; padding-left: .75rem; border-left: 3px solid var(--line-strong); }
blockquote > :first-child { margin-top: 0; }
blockquote > :last-child { margin-bottom: 0; }
hr { margin: .75rem 0; border: 0; border-top: 1px solid var(--line-strong); }
.table { margin: .5rem 0; overflow-x: auto; }
.table table { border-collapse: collapse; font-size: .875rem; }
.table :is(th, td) { min-width: 4rem; padding: .25rem .5rem; border: 1px solid var(--line-strong); text-align: left; vertical-align: top; overflow-wrap: break-word; }
.table .right { text-align: right; }
.files { display: flex; flex-wrap: wrap; align-items: flex-start; gap: .375rem; margin: .25rem 0 0; padding: 0; list-style: none; }
.files:empty { display: none; }
.files li {
  display: flex; align-items: center; gap: .375rem; max-width: 100%; padding: .25rem .5rem; border: 1px solid var(--line);
  border-radius: 8px; background: var(--surface); font-size: .875rem;
}
.files span { display: flex; align-items: center; gap: .5rem; overflow-wrap: anywhere; }
.files img, .file img { display: block; max-width: 100%; max-height: 12rem; border-radius: 6px; }
form .files img { max-width: 2.5rem; max-height: 2.5rem; }
.said .files li:has(img) { padding: 0; border: 0; }
.said.you .files { justify-content: flex-end; }
.chat #attach { display: grid; place-items: center; min-width: 2.75rem; padding: 0; }
.chat .files button { min-height: 2rem; min-width: 2rem; padding: 0; border: 0; background: none; font-size: 1.125rem; line-height: 1; }
.chat form:has(#files) { flex-wrap: wrap; }
.chat form #files { flex: 1 0 100%; }
.chat form #pick { flex: 1 0 100%; }
.chat form.over { outline: 2px solid var(--accent); outline-offset: -2px; }
.stopped .words { opacity: .75; }
.greeting { margin-bottom: 1rem; color: var(--text-2); }
@media (min-width: 44rem) {
  main:has(.chat) { height: calc(100dvh - 5rem); overflow: hidden; }
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
`;
